package mess3

import (
	"context"
	"slices"

	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// stage holds the measurements on one stage of the residual stream, after attention or
// after an MLP, over every prefix.
type stage struct {
	constrained, full fits // regressions to the two geometries

	// Only for the first stage of small models: the result of [explained], trained and at
	// random initialisation.
	shape, shapeRandom float64

	// Only for the models of M2:
	plane       probe.Table    // (rows, 2): the first components, rotated towards a geometry; see align
	planeShare  float64        // share of the stage's variance in that plane
	planes      geometryScores // both geometries from the first three components alone
	literal     []float64      // cumulative explained variance, each prefix counted once
	words       []float64      // the same, all sequences and positions weighted equally
	probability []float64      // the same, weighted by probability
}

// fits holds the regressions of a geometry on a stage, with their controls. Controls that
// were not requested are zero.
type fits struct {
	trained, random, shuffled, nextToken scores // held out by sequence
	byWord, byWordRandom                 scores // held out by prefix

	fit       probe.Fit   // to all rows
	regressed probe.Table // (rows, states): the geometry as that fit predicts it
}

// scores holds the accuracy of a regression on held-out sequences and in sample.
type scores struct{ heldOut, inSample probe.Score }

func scoresOf(r *probe.Reading) scores { return scores{r.Score, r.InSample} }

// measureStage fills in stage i, 0 or 1, of a layer. The claims are that the first stage
// of a model has the constrained geometry and the last stage the full one: only these two
// are measured with all controls.
func (s *subject) measureStage(ctx context.Context, of layer, i int, look scrutiny) (err error) {
	index := of.first + i
	st := &s.stages[index]
	ends := index == 0 || index == len(s.stages)-1
	on := of.trained.Plan.Features[i]
	for k, to := range []*fits{&st.constrained, &st.full} {
		if *to, err = of.fits(ctx, readTargets[k], on, look.controls && ends); err != nil {
			return err
		}
	}
	if look.shape && index == 0 {
		if err := st.explain(ctx, of, on); err != nil {
			return err
		}
	}
	if s.random != nil {
		s.random.stages[index].readRandom(of, on)
	}
	if !look.components {
		return nil
	}
	target := probe.Beliefs
	if index == 0 {
		target = probe.Constrained
	}
	if s.random != nil {
		if err := s.random.stages[index].decompose(ctx, of.random, on, target); err != nil {
			return err
		}
	}
	return st.decompose(ctx, of.trained, on, target)
}

// readRandom records the regressions on a stage of a layer of a random initialisation.
func (st *stage) readRandom(of layer, on probe.Features) {
	for k, to := range []*fits{&st.constrained, &st.full} {
		read := of.random.Regress(readTargets[k], on)
		to.trained, to.fit = scoresOf(read), read.Fits[0]
	}
}

// fits regresses a target on a stage. It does the same for the random initialisation, if
// there is one, and for all other controls, if requested.
func (of layer) fits(ctx context.Context, target probe.Target, on probe.Features, controls bool) (f fits, err error) {
	read := of.trained.Regress(target, on)
	f.trained, f.fit = scoresOf(read), read.Fits[0]
	if f.regressed, err = of.trained.Predict(ctx, target, on); err != nil {
		return f, err
	}
	if of.random != nil {
		f.random = scoresOf(of.random.Regress(target, on))
	}
	if !controls {
		return f, nil
	}
	f.nextToken = scoresOf(of.random.Regress(target, probe.NextTokenFeatures(of.random.Prefixes)))
	f.shuffled = scoresOf(of.trained.Regress(probe.Shuffled(target), on))
	for _, by := range []struct {
		analysis *probe.Analysis
		to       *scores
	}{{of.trained, &f.byWord}, {of.random, &f.byWordRandom}} {
		words, err := by.analysis.Under(ctx, probe.Convention{HoldOut: probe.ByWord}, readTargets...)
		if err != nil {
			return f, err
		}
		*by.to = scoresOf(words.Regress(target, on))
	}
	return f, nil
}

// explain records how much of a stage the constrained beliefs explain, trained and at
// random initialisation.
func (st *stage) explain(ctx context.Context, of layer, on probe.Features) (err error) {
	if st.shape, err = explained(ctx, of.trained.Table(on), of.trained.Prefixes); err != nil {
		return err
	}
	st.shapeRandom, err = explained(ctx, of.random.Table(on), of.random.Prefixes)
	return err
}

// explained regresses a stage x, minus its mean at each position, on the constrained
// beliefs. It returns the share of its variance over sequences that they explain.
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

// centred returns a table of sequences minus its mean at each position.
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

// decompose computes the principal components of a stage, once with sequences weighted by
// probability and once with all sequences weighted equally (the data set "all sequences,
// all positions", as in Table 1). It rotates the first components, weighted by
// probability, towards a geometry.
func (st *stage) decompose(ctx context.Context, a *probe.Analysis, on probe.Features, target probe.Target) error {
	components := a.Principal(on)
	st.probability = components.CumulativeRatio()
	geometry, err := target.Of(ctx, a.Prefixes)
	if err != nil {
		return err
	}
	first := components.Project(a.Table(on), 3)
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
	st.words = equal.Principal(on).CumulativeRatio()
	literal, err := probe.PrincipalComponents(a.Table(on), nil)
	if err != nil {
		return err
	}
	st.literal = literal.CumulativeRatio()
	return nil
}

// within returns the variance of the rows of a table about 0, where each sequence has its
// probability as weight.
func within(x probe.Table, p *process.Prefixes) float64 {
	sum := 0.0
	for row, prob := range p.Prob {
		sum += prob * floats.Dot(x.Row(row), x.Row(row))
	}
	return sum / floats.Sum(p.Prob)
}
