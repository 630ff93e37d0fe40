package paper

import (
	"context"
	"sync"

	"foretell/figure"
	"foretell/model"
	"foretell/probe"

	"gonum.org/v1/gonum/mat"
)

// folds is the number of folds of every held-out regression here, and their seed.
const (
	foldCount = 5
	foldSeed  = 1
)

// fits are the regressions of a geometry on a stage of the residual stream.
type fits struct {
	*probe.Controlled                      // held out by sequence; controls only where M2 shows them
	byWord, byWordRandom *probe.Regression // held out by word, where there are controls: trained and random
}

// measure runs the trained and the untrained model over every prefix and keeps
// what the rows need. Without an untrained one (nil) regressions have no controls.
func (s *subject) measure(ctx context.Context, untrained *model.Transformer[float32], workers int) error {
	stages := []string{midHook, finalHook}
	trained, err := probe.Collect(s.model, s.prefixes, stages, workers)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var random *probe.Activations
	if untrained != nil {
		if random, err = probe.Collect(untrained, s.prefixes, stages, workers); err != nil {
			return err
		}
	}
	s.patterns = trained.Patterns
	s.klPosition = trained.KLByPosition()
	for _, kl := range s.klPosition {
		s.kl += kl / float64(len(s.klPosition))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	bySequence := probe.SequenceFolds(s.prefixes, foldCount, foldSeed)
	var group sync.WaitGroup
	var midErr, finalErr error
	group.Go(func() { midErr = s.measureStage(&s.mid, trained, random, midHook, bySequence) })
	group.Go(func() { finalErr = s.measureStage(&s.final, trained, random, finalHook, bySequence) })
	group.Wait()
	if midErr != nil {
		return midErr
	}
	return finalErr
}

func (s *subject) measureStage(st *stage, trained, random *probe.Activations, hook string, bySequence probe.Folds) (err error) {
	p, d := s.prefixes, trained.Width
	x := probe.Table{Width: d, Data: trained.Stages[hook]}
	var untrained probe.Table
	if random != nil {
		untrained = probe.Table{Width: d, Data: random.Stages[hook]}
	}
	beliefs, constrained := probe.Table{Width: p.States, Data: p.Beliefs}, probe.Table{Width: p.States, Data: p.Constrained}
	next := probe.Table{Width: p.Alphabet, Data: p.Next}

	if st.constrained, err = fit(hook == midHook && random != nil, x, constrained, untrained, next, p.Prob, bySequence); err != nil {
		return err
	}
	if st.full, err = fit(hook == finalHook && random != nil, x, beliefs, untrained, next, p.Prob, bySequence); err != nil {
		return err
	}
	components, err := probe.PrincipalComponents(x, p.Prob)
	if err != nil {
		return err
	}
	st.probability = components.CumulativeRatio()
	claimed, target := st.full, beliefs
	if hook == midHook {
		claimed, target = st.constrained, constrained
	}
	st.regressed = claimed.Trained.Predict(x)
	if st.plane, st.planeR2, err = align(components.Project(x, 3), target, p.Prob, bySequence); err != nil {
		return err
	}
	equal, err := probe.PrincipalComponents(x, equalSequences(p.Alphabet, p.Length, p.Rows()))
	if err != nil {
		return err
	}
	st.words = equal.CumulativeRatio()
	return nil
}

// fit regresses the targets on the activations, with every control or with none.
func fit(controls bool, x, y, untrained, next probe.Table, weights []float64, bySequence probe.Folds) (f fits, err error) {
	if !controls {
		r, err := probe.Regress(x, y, weights, bySequence)
		return fits{Controlled: &probe.Controlled{Trained: r}}, err
	}
	if f.Controlled, err = probe.RegressControlled(x, y, untrained, next, weights, bySequence); err != nil {
		return f, err
	}
	byWord := probe.Folds{Count: foldCount, Seed: foldSeed}
	if f.byWord, err = probe.Regress(x, y, weights, byWord); err != nil {
		return f, err
	}
	f.byWordRandom, err = probe.Regress(untrained, y, weights, byWord)
	return f, err
}

// equalSequences weighs each prefix by the number of full sequences that begin
// with it: the data set "all sequences, all positions", as Table 1 has it.
func equalSequences(alphabet, length, rows int) []float64 {
	weights := make([]float64, 0, rows)
	words := 1
	for range length {
		words *= alphabet
		for range words {
			weights = append(weights, 1/float64(words))
		}
	}
	return weights
}

// align turns the first principal components (n, m) so that two orthonormal
// directions among them show the targets (n, 3) as the simplex has them, as the
// paper does ("we slightly rotate the PCA basis"). It returns the coordinates
// (n, 2) and the held-out R² of the targets on the components. The turn is the
// orthogonal matrix nearest to the regression (Procrustes), so that no direction
// is stretched.
func align(components, targets probe.Table, weights []float64, folds probe.Folds) (probe.Table, float64, error) {
	plane := probe.Table{Width: 2, Data: make([]float64, 2*targets.Rows())}
	for i := range targets.Rows() {
		plane.Data[2*i], plane.Data[2*i+1] = project(targets.Row(i))
	}
	r, err := probe.Regress(components, plane, weights, folds)
	if err != nil {
		return plane, 0, err
	}
	m := components.Width
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m, 2, r.Coef.Data), mat.SVDThin) {
		panic("paper: a singular value decomposition did not converge")
	}
	var u, v, turn mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	turn.Mul(&u, v.T()) // (m, 2), orthonormal columns
	out := probe.Table{Width: 2, Data: make([]float64, 2*components.Rows())}
	for i := range components.Rows() {
		for j, x := range components.Row(i) {
			out.Data[2*i] += x * turn.At(j, 0)
			out.Data[2*i+1] += x * turn.At(j, 1)
		}
	}
	return out, r.HeldOut.R2, nil
}

// project returns where a vector whose entries sum to one lies in the plane of
// the simplex, relative to its centre.
func project(p []float64) (x, y float64) {
	x, y = figure.Project(p[0], p[1], p[2])
	cx, cy := figure.Project(1./3, 1./3, 1./3)
	return x - cx, y - cy
}
