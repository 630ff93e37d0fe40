package paper

import (
	"context"
	"errors"
	"slices"
	"sync"

	"foretell/figure"
	"foretell/model"
	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// folds is the number of folds of every held-out regression here, and their seed.
const (
	foldCount = 5
	foldSeed  = 1
)

// fits are the regressions of a geometry on a stage of the residual stream, held
// out by sequence. Controls that nobody asked for are nil.
type fits struct {
	*probe.Controlled
	byWord, byWordRandom *probe.Regression // held out by word, trained and random; only with all controls
	regressed            probe.Table       // (rows, states) the geometry as the fit to all rows reads it
}

// scrutiny says how closely a model is looked at.
type scrutiny struct {
	untrained  *model.Transformer[float32] // for the control by a random initialisation; nil for none
	controls   bool                        // every other control of the geometry that the stage claims
	components bool                        // principal components
	shape      bool                        // how much of the first stage the constrained geometry explains
}

// measure runs the trained and the untrained model over every prefix and keeps
// what the rows need. It looks at one layer at a time, so that a deep model takes
// no more memory than a shallow one.
func (s *subject) measure(ctx context.Context, look scrutiny, workers int) error {
	hooks := s.hooks()
	s.stages = make([]stage, len(hooks))
	folds := probe.SequenceFolds(s.prefixes, foldCount, foldSeed)
	for first := 0; first < len(hooks); first += 2 {
		pair := hooks[first : first+2]
		trained, err := probe.Collect(s.model, s.prefixes, pair, workers)
		if err != nil {
			return err
		}
		if first == 0 {
			s.patterns, s.klPosition, s.kl = trained.Patterns, trained.KLByPosition(), 0
			for _, kl := range s.klPosition {
				s.kl += kl / float64(len(s.klPosition))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var random *probe.Activations
		if look.untrained != nil {
			if random, err = probe.Collect(look.untrained, s.prefixes, pair, workers); err != nil {
				return err
			}
		}
		if first == 0 && random != nil {
			s.untrained = random.Patterns
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var group sync.WaitGroup
		var errs [2]error
		for i := range pair {
			group.Go(func() {
				errs[i] = s.measureStage(first+i, trained, random, look, folds)
			})
		}
		group.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
	}
	return nil
}

// measureStage fills in one stage. The first claims the constrained geometry, the
// last the full one: these two have all controls.
func (s *subject) measureStage(index int, trained, random *probe.Activations, look scrutiny, folds probe.Folds) (err error) {
	st, hook, p := &s.stages[index], s.hooks()[index], s.prefixes
	r := regressor{
		x:    probe.Table{Width: trained.Width, Data: trained.Stages[hook]},
		next: probe.Table{Width: p.Alphabet, Data: p.Next}, weights: p.Prob, folds: folds,
	}
	if random != nil {
		r.untrained = probe.Table{Width: random.Width, Data: random.Stages[hook]}
	}
	beliefs, constrained := probe.Table{Width: p.States, Data: p.Beliefs}, probe.Table{Width: p.States, Data: p.Constrained}
	list, err := r.fits([]probe.Table{constrained, beliefs}, look.controls && (index == 0 || index == len(s.stages)-1))
	if err != nil {
		return err
	}
	st.constrained, st.full = list[0], list[1]
	if look.shape && index == 0 {
		if st.shape, err = explained(r.x, p, folds); err != nil {
			return err
		}
		if st.shapeRandom, err = explained(r.untrained, p, folds); err != nil {
			return err
		}
	}
	if !look.components {
		return nil
	}
	components, err := probe.PrincipalComponents(r.x, p.Prob)
	if err != nil {
		return err
	}
	st.probability = components.CumulativeRatio()
	target := beliefs
	if index == 0 {
		target = constrained
	}
	if st.plane, st.planeR2, err = align(components.Project(r.x, 3), target, p.Prob, folds); err != nil {
		return err
	}
	equal, err := probe.PrincipalComponents(r.x, equalSequences(p.Alphabet, p.Length, p.Rows()))
	if err != nil {
		return err
	}
	st.words = equal.CumulativeRatio()
	return nil
}

// explained regresses a stage, about its mean at each position, on the constrained
// beliefs: the share of what the stage says of its words that has their shape.
func explained(x probe.Table, p *process.Prefixes, folds probe.Folds) (*probe.Regression, error) {
	centred := probe.Table{Width: x.Width, Data: slices.Clone(x.Data)}
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		mean := make([]float64, x.Width)
		for row := from; row < to; row++ {
			floats.AddScaled(mean, p.Prob[row], x.Row(row))
		}
		for row := from; row < to; row++ {
			floats.Sub(centred.Row(row), mean)
		}
	}
	return probe.Regress(probe.Table{Width: p.States, Data: p.Constrained}, centred, p.Prob, folds)
}

// regressor is what the regressions of a stage have in common.
type regressor struct {
	x         probe.Table
	untrained probe.Table // empty for no control
	next      probe.Table
	weights   []float64
	folds     probe.Folds
}

// fits regresses each of the targets on the stage, beside a random initialisation if
// there is one, or beside all controls.
func (r regressor) fits(targets []probe.Table, controls bool) ([]fits, error) {
	list := make([]fits, len(targets))
	if controls {
		controlled, err := probe.RegressControlled(r.x, targets, r.untrained, r.next, r.weights, r.folds)
		if err != nil {
			return nil, err
		}
		words := probe.Folds{Count: foldCount, Seed: foldSeed}
		byWord, err := probe.RegressEach(r.x, targets, r.weights, words)
		if err != nil {
			return nil, err
		}
		byWordRandom, err := probe.RegressEach(r.untrained, targets, r.weights, words)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i] = fits{Controlled: controlled[i], byWord: byWord[i], byWordRandom: byWordRandom[i]}
		}
	} else {
		trained, err := probe.RegressEach(r.x, targets, r.weights, r.folds)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i].Controlled = &probe.Controlled{Trained: trained[i]}
		}
		if r.untrained.Width > 0 {
			random, err := probe.RegressEach(r.untrained, targets, r.weights, r.folds)
			if err != nil {
				return nil, err
			}
			for i := range list {
				list[i].Random = random[i]
			}
		}
	}
	for i := range list {
		list[i].regressed = list[i].Trained.Predict(r.x)
	}
	return list, nil
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
