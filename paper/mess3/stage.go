package mess3

import (
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
	plane       probe.Table // (rows, 2) of the first components, turned towards the beliefs; see align
	planeR2     float64     // held-out R² of the geometry on the first three components
	words       []float64   // cumulative explained variance, all sequences and positions weighted equally
	probability []float64   // the same, weighted by probability
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

func scoresOf(r *probe.Regression) scores { return scores{r.HeldOut, r.InSample} }

// r2 prints the share that a regression reads, held out.
func r2(s scores) string { return fmt.Sprintf("%.4f", s.heldOut.R2) }

// mse prints its mean squared error, held out.
func mse(s scores) string { return fmt.Sprintf("%.2e", s.heldOut.MSE) }

// foldCount and foldSeed are those of every held-out regression here.
const (
	foldCount = 5
	foldSeed  = 1
)

// measureStage fills in one stage. The first claims the constrained geometry, the
// last the full one: these two have all controls.
func (s *subject) measureStage(index int, trained, random *probe.Activations, look scrutiny) (err error) {
	st, hook, p := &s.stages[index], s.hooks()[index], s.Prefixes
	r := regressor{
		x:    probe.Table{Width: trained.Width, Data: trained.Stages[hook]},
		next: probe.Table{Width: p.Alphabet, Data: p.Next}, weights: p.Prob,
		folds: probe.SequenceFolds(p, foldCount, foldSeed),
	}
	if random != nil {
		r.untrained = probe.Table{Width: random.Width, Data: random.Stages[hook]}
	}
	ends := index == 0 || index == len(s.stages)-1
	list, err := r.fits([]probe.Table{constrainedOf(p), beliefsOf(p)}, look.controls && ends)
	if err != nil {
		return err
	}
	st.constrained, st.full = list[0], list[1]
	if look.shape && index == 0 {
		if err := st.explain(r, p); err != nil {
			return err
		}
	}
	if !look.components {
		return nil
	}
	target := beliefsOf(p)
	if index == 0 {
		target = constrainedOf(p)
	}
	return st.decompose(r, target, p)
}

func beliefsOf(p *process.Prefixes) probe.Table {
	return probe.Table{Width: p.States, Data: p.Beliefs}
}

func constrainedOf(p *process.Prefixes) probe.Table {
	return probe.Table{Width: p.States, Data: p.Constrained}
}

// explain regresses a stage, about its mean at each position, on the constrained
// beliefs: the share of what the stage says of its words that has their shape.
func (st *stage) explain(r regressor, p *process.Prefixes) error {
	for _, of := range []struct {
		x  probe.Table
		to *float64
	}{{r.x, &st.shape}, {r.untrained, &st.shapeRandom}} {
		fit, err := probe.Regress(constrainedOf(p), centred(of.x, p), p.Prob, r.folds)
		if err != nil {
			return err
		}
		*of.to = fit.HeldOut.R2
	}
	return nil
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

// decompose takes principal components, and turns the first ones towards a geometry.
func (st *stage) decompose(r regressor, target probe.Table, p *process.Prefixes) error {
	components, err := probe.PrincipalComponents(r.x, p.Prob)
	if err != nil {
		return err
	}
	st.probability = components.CumulativeRatio()
	if st.plane, st.planeR2, err = align(components.Project(r.x, 3), target, p.Prob, r.folds); err != nil {
		return err
	}
	equal, err := probe.PrincipalComponents(r.x, equalSequences(p.Alphabet, p.Length, p.Rows()))
	if err != nil {
		return err
	}
	st.words = equal.CumulativeRatio()
	return nil
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
	var err error
	switch {
	case controls:
		err = r.controlled(list, targets)
	default:
		err = r.beside(list, targets)
	}
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].regressed = list[i].fit.Predict(r.x)
	}
	return list, nil
}

// controlled enters each regression with all controls.
func (r regressor) controlled(list []fits, targets []probe.Table) error {
	all, err := probe.RegressControlled(r.x, targets, r.untrained, r.next, r.weights, r.folds)
	if err != nil {
		return err
	}
	words := probe.Folds{Count: foldCount, Seed: foldSeed}
	byWord, err := probe.RegressEach(r.x, targets, r.weights, words)
	if err != nil {
		return err
	}
	byWordRandom, err := probe.RegressEach(r.untrained, targets, r.weights, words)
	if err != nil {
		return err
	}
	for i, c := range all {
		list[i] = fits{
			trained: scoresOf(c.Trained), random: scoresOf(c.Random), shuffled: scoresOf(c.Shuffled), nextToken: scoresOf(c.NextToken),
			byWord: scoresOf(byWord[i]), byWordRandom: scoresOf(byWordRandom[i]), fit: c.Trained.Fit,
		}
	}
	return nil
}

// beside enters each regression beside that on a random initialisation.
func (r regressor) beside(list []fits, targets []probe.Table) error {
	trained, err := probe.RegressEach(r.x, targets, r.weights, r.folds)
	if err != nil {
		return err
	}
	for i, t := range trained {
		list[i].trained, list[i].fit = scoresOf(t), t.Fit
	}
	if r.untrained.Width == 0 {
		return nil
	}
	random, err := probe.RegressEach(r.untrained, targets, r.weights, r.folds)
	if err != nil {
		return err
	}
	for i, t := range random {
		list[i].random = scoresOf(t)
	}
	return nil
}
