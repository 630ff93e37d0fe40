package mess3

import (
	"context"
	"fmt"
	"slices"

	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// stage is one stage of the residual stream over every prefix.
type stage struct {
	constrained, full fits // regressions to the two geometries

	// Only for the first stage of small models, see explained: R², held out.
	shape, shapeRandom float64

	// Only for the models of M2:
	plane       probe.Table    // (rows, 2) of the first components, turned towards the beliefs; see align
	planeShare  float64        // of the stage's variance that lies in plane
	planes      geometryScores // of both geometries from the first three components alone
	literal     []float64      // cumulative explained variance, each prefix once
	words       []float64      // the same, all sequences and positions weighted equally
	probability []float64      // the same, weighted by probability
}

// fits are the regressions of a geometry on a stage, beside their controls; those that
// nobody asked for are zero.
type fits struct {
	trained, random, shuffled, nextToken scores // held out by sequence
	byWord, byWordRandom                 scores // held out by word

	fit       probe.Fit   // to all rows
	regressed probe.Table // (rows, states) the geometry as that fit reads it
}

// scores are how well a regression reads a geometry from words that it has not seen,
// and from those that made it.
type scores struct{ heldOut, inSample probe.Score }

func scoresOf(r *probe.Reading) scores { return scores{r.Score, r.InSample} }

// r2 prints the share that a regression reads, held out.
func r2(s scores) string { return fmt.Sprintf("%.4f", s.heldOut.R2) }

// mse prints its mean squared error, held out.
func mse(s scores) string { return fmt.Sprintf("%.2e", s.heldOut.MSE) }

// measureStage fills in stage i, 0 or 1, of a layer. The first stage of all claims the
// constrained geometry, the last the full one: these two have all controls.
func (s *subject) measureStage(ctx context.Context, of layer, i int, look scrutiny) (err error) {
	index := of.first + i
	st := &s.stages[index]
	ends := index == 0 || index == len(s.stages)-1
	for target, to := range []*fits{&st.constrained, &st.full} {
		if *to, err = of.fits(ctx, i, target, look.controls && ends); err != nil {
			return err
		}
	}
	if look.shape && index == 0 {
		if err := st.explain(ctx, of, s.Prefixes); err != nil {
			return err
		}
	}
	if s.random != nil {
		s.random.stages[index].readRandom(of, i)
	}
	if !look.components {
		return nil
	}
	target := probe.Beliefs
	if index == 0 {
		target = probe.Constrained
	}
	if s.random != nil {
		if err := s.random.stages[index].decompose(ctx, of.random, i, target); err != nil {
			return err
		}
	}
	return st.decompose(ctx, of.trained, i, target)
}

// readRandom enters the readings of a random initialisation from stage i, 0 or 1, of a
// layer.
func (st *stage) readRandom(of layer, i int) {
	for target, to := range []*fits{&st.constrained, &st.full} {
		read := of.random.Regress(i, target)
		to.trained, to.fit = scoresOf(read), read.Fits[0]
	}
}

// fits reads a target from stage i, beside a random initialisation if there is one, and
// beside all controls if asked for.
func (of layer) fits(ctx context.Context, i, target int, controls bool) (f fits, err error) {
	read := of.trained.Regress(i, target)
	f.trained, f.fit = scoresOf(read), read.Fits[0]
	if f.regressed, err = of.trained.Predict(ctx, i, target); err != nil {
		return f, err
	}
	if of.random != nil {
		f.random = scoresOf(of.random.Regress(i, target))
	}
	if !controls {
		return f, nil
	}
	const nextToken = 2 // the features after the two stages
	f.nextToken = scoresOf(of.random.Regress(nextToken, target))
	f.shuffled = scoresOf(of.trained.Regress(i, len(readTargets)+target))
	for _, by := range []struct {
		analysis *probe.Analysis
		to       *scores
	}{{of.trained, &f.byWord}, {of.random, &f.byWordRandom}} {
		words, err := by.analysis.Under(ctx, probe.Convention{Test: probe.ByWord}, readTargets...)
		if err != nil {
			return f, err
		}
		*by.to = scoresOf(words.Regress(i, target))
	}
	return f, nil
}

// explain enters how much of a stage the constrained beliefs explain, beside that of a
// random initialisation.
func (st *stage) explain(ctx context.Context, of layer, p *process.Prefixes) (err error) {
	if st.shape, err = explained(ctx, of.trained.Table(0), p); err != nil {
		return err
	}
	st.shapeRandom, err = explained(ctx, of.random.Table(0), p)
	return err
}

// explained regresses a stage, about its mean at each position, on the constrained
// beliefs: the share of what the stage says of its words that has their shape.
func explained(ctx context.Context, x probe.Table, p *process.Prefixes) (float64, error) {
	constrained, err := probe.Constrained.Of(ctx, p)
	if err != nil {
		return 0, err
	}
	read, err := probe.Relate(ctx, p, constrained, centred(x, p), probe.Ours)
	if err != nil {
		return 0, err
	}
	return read.R2, nil
}

// centred is a table of words less its mean at each position.
func centred(x probe.Table, p *process.Prefixes) probe.Table {
	out := probe.Table{Width: x.Width, Data: slices.Clone(x.Data)}
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		mean := make([]float64, x.Width)
		for row := from; row < to; row++ {
			floats.AddScaled(mean, p.Prob[row], x.Row(row))
		}
		for row := from; row < to; row++ {
			floats.Sub(out.Row(row), mean)
		}
	}
	return out
}

// decompose takes principal components of stage i, words weighted by probability and all
// sequences alike (the data set "all sequences, all positions", as Table 1 has it), and
// turns the first ones towards a geometry.
func (st *stage) decompose(ctx context.Context, a *probe.Analysis, i int, target probe.Target) error {
	components := a.Principal(i)
	st.probability = components.CumulativeRatio()
	geometry, err := target.Of(ctx, a.Prefixes)
	if err != nil {
		return err
	}
	first := components.Project(a.Table(i), 3)
	if st.plane, _, err = align(ctx, a.Prefixes, first, geometry); err != nil {
		return err
	}
	st.planeShare = within(st.plane, a.Prefixes) / floats.Sum(components.Variance)
	if st.planes, err = readGeometries(ctx, a.Prefixes, first); err != nil {
		return err
	}
	equal, err := a.Under(ctx, probe.Convention{Equal: true})
	if err != nil {
		return err
	}
	st.words = equal.Principal(i).CumulativeRatio()
	literal, err := probe.PrincipalComponents(a.Table(i), nil)
	if err != nil {
		return err
	}
	st.literal = literal.CumulativeRatio()
	return nil
}

// within is the variance of the rows of a table about 0, words weighted by probability.
func within(x probe.Table, p *process.Prefixes) float64 {
	sum := 0.0
	for row, prob := range p.Prob {
		sum += prob * floats.Dot(x.Row(row), x.Row(row))
	}
	return sum / floats.Sum(p.Prob)
}
