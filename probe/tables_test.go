package probe

import (
	"context"
	"fmt"
	"slices"

	"foretell/model"
	"foretell/process"
)

// Activations is what a model makes of every word of a table of prefixes. Rows
// are those of the table.
type Activations struct {
	Prefixes *process.Prefixes
	Width    int                  // d_model
	Stages   map[string][]float64 // by hook name: (rows, d_model)
	KL       []float64            // (rows) from the optimal next-token distribution to the model's, in nats
	Patterns []Pattern            // by layer and head, layer by layer
}

// KLByPosition returns KL over the words of each length 1 … Prefixes.Length,
// each weighted by its probability.
func (a *Activations) KLByPosition() []float64 {
	kl := make([]float64, a.Prefixes.Length)
	for t := range kl {
		from, to := a.Prefixes.Range(t + 1)
		for row := from; row < to; row++ {
			kl[t] += a.Prefixes.Prob[row] * a.KL[row]
		}
	}
	return kl
}

// Collect runs m over every word of p, whose length may not exceed n_ctx, and
// keeps the residual-stream activations of the given hook names, of width
// d_model. Another name is an error, and so are words or tokens that the model
// has no room for. The result does not depend on the number of workers.
//
// It holds the activations of all words in float64; [Analyze] does with their moments.
func Collect(m *model.Transformer[float32], p *process.Prefixes, stages []string, workers int) (*Activations, error) {
	if _, err := stageWidths(m, stages); err != nil {
		return nil, err
	}
	a := &Activations{Prefixes: p, Width: m.Config.DModel, Stages: map[string][]float64{}, KL: make([]float64, p.Rows())}
	for _, name := range stages {
		a.Stages[name] = make([]float64, p.Rows()*a.Width)
	}
	hooks := slices.Clone(stages)
	for layer := range m.Config.NLayers {
		hooks = append(hooks, patternHook(layer))
	}
	total := newPatternMoments(m.Config, p.Length)
	err := Sweep(context.Background(), m, p, hooks, workers, func() (func(*Pass), func()) {
		patterns := newPatternMoments(m.Config, p.Length)
		visit := func(pass *Pass) {
			a.keep(pass, m.Config.DVocab)
			patterns.add(pass, p)
		}
		return visit, func() { total.merge(patterns) }
	})
	if err != nil {
		return nil, err
	}
	a.Patterns = total.patterns()
	return a, nil
}

// keep writes the rows of a pass; no other pass writes them.
func (a *Activations) keep(pass *Pass, vocab int) {
	for _, span := range pass.Spans {
		for name, stage := range a.Stages {
			to := stage[span.Row*a.Width : (span.Row+span.N)*a.Width]
			for i, x := range pass.Activation(name).Data[span.Node*a.Width:][:len(to)] {
				to[i] = float64(x)
			}
		}
		for i := range span.N {
			a.KL[span.Row+i] = pass.divergence(a.Prefixes, span, i, vocab)
		}
	}
}

// Folds says how the rows are divided to test a regression on rows that it has not
// seen.
type Folds struct {
	Count int    // at least 3; 0 stands for 5
	Seed  uint64 // of the shuffle that assigns rows to folds

	// Shares, if not empty, is (n, Count): the share of each row's weight that each
	// fold holds; a row's shares sum to one. A row that stands for many draws, as a
	// short word does for all sequences that begin with it, may be in several folds.
	// See [SequenceFolds].
	Shares Table
}

// SequenceFolds divides the sequences of full length among the folds, and each shorter
// word in proportion to the sequences that begin with it, by probability: a regression
// is tested on sequences that it has not seen, whose beginnings it has. This is how a
// set of sampled sequences is split, and how the field holds data out.
//
// The folds of rows that [Folds] makes on its own are stricter: a word that is held out
// is in no fit that predicts it. With few words at the first positions, which hold as
// much weight as the many later ones, that asks how a probe carries over to a token
// that it never saw at that position.
func SequenceFolds(p *process.Prefixes, count int, seed uint64) Folds {
	return Folds{Count: count, Seed: seed, Shares: sequenceShares(p, p.Prob, count, seed)}
}

// Regression is a linear regression of targets on activations, tested on rows that it
// has not seen.
type Regression struct {
	Fit            // to all rows
	InSample Score // of Fit on the rows that made it
	HeldOut  Score // of each fold by the fit to the other folds: the one to report
	folds    []Fit // folds[f] is the fit to what fold f does not hold
	shares   Table // (n, folds)
}

// Regress fits y (n, k) by weighted least squares to x (n, d) with an intercept, to all
// rows and, for each fold, to the rows of the others. Nil weights stand for equal ones.
//
// Activations of a small model span few directions, so the covariance of x is singular,
// or nearly so, as a rule, and a fit that uses every direction fits noise. The solution
// is the one of least norm within the directions whose variance is above a cut-off,
// from 1e-12 to 1e-2 of the largest. The cut-off is chosen by cross-validation over the
// folds that a fit may see, and over no other: a held-out row has no say in the fit
// that predicts it.
//
// Numbers that are not finite are an error. It panics when the shapes do not fit, or
// when a fold would be empty.
func Regress(x, y Table, weights []float64, folds Folds) (*Regression, error) {
	list, err := RegressEach(x, []Table{y}, weights, folds)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// RegressEach is [Regress] for each of the targets ys (n, any), whose cut-offs are
// chosen one by one. What depends on x alone, most of the work, is done once.
func RegressEach(x Table, ys []Table, weights []float64, folds Folds) ([]*Regression, error) {
	x.check("x", -1)
	n := x.Rows()
	weights = checkWeights(weights, n)
	if folds.Count == 0 {
		folds.Count = 5
	}
	if folds.Count < 3 || folds.Count > n {
		panic(fmt.Sprintf("probe: %d rows in %d folds", n, folds.Count))
	}
	shift, err := x.weightedMean("x", weights)
	if err != nil {
		return nil, err
	}
	tables, targets := []Table{x}, make([]columns, len(ys))
	for i, y := range ys {
		y.check("y", n)
		mean, err := y.weightedMean("y", weights)
		if err != nil {
			return nil, err
		}
		targets[i].from = len(shift) - x.Width
		shift, tables = append(shift, mean...), append(tables, y)
		targets[i].to = len(shift) - x.Width
	}
	shares := folds.Shares
	if shares.Width == 0 {
		shares = folds.assign(n)
	}
	shares.check("shares", n)
	parts := make([]*moments, folds.Count)
	for f := range parts {
		parts[f] = momentsOf(tables, shift, weightsIn(shares, f, weights))
	}
	v := newValidation(parts, x.Width)
	list := make([]*Regression, len(ys))
	for i, y := range ys {
		list[i] = v.regression(x, y, targets[i], shift, weights, shares)
	}
	return list, nil
}

// regression returns the regression of some columns of y, which are the table given,
// with its scores.
func (v *validation) regression(x, table Table, y columns, shift, weights []float64, shares Table) *Regression {
	r := &Regression{shares: shares, Fit: v.fit(-1, y, 0).absolute(shift, y)}
	mean := shift[v.d+y.from : v.d+y.to]
	inSample, heldOut := newResiduals(mean), newResiduals(mean)
	inSample.add(r.Fit, x, table, weights)
	for f := range v.parts {
		r.folds = append(r.folds, v.fit(f, y, 0).absolute(shift, y))
		heldOut.add(r.folds[f], x, table, weightsIn(shares, f, weights))
	}
	r.InSample, r.HeldOut = inSample.score(), heldOut.score()
	return r
}

// Controlled is a regression beside its controls. A probe is never shown alone: a
// random model reaches a high R² too, and so may the next-token distribution on its
// own, without any belief behind it.
type Controlled struct {
	Trained   *Regression // targets on the activations
	Random    *Regression // targets on the activations of a random initialisation
	Shuffled  *Regression // targets dealt out to other rows: what the method finds where there is nothing
	NextToken *Regression // targets on the next-token distribution
}

// RegressControlled fits each of the targets ys (n, any) to the activations x (n, d),
// and once more for each control: to the activations untrained (n, any) of a random
// initialisation, to x with the rows of y shuffled by the seed of folds, and to the
// next-token distributions next (n, A). The weights and the folds are the same in all
// four. Errors and panics are those of [Regress].
func RegressControlled(x Table, ys []Table, untrained, next Table, weights []float64,
	folds Folds,
) ([]*Controlled, error) {
	targets := slices.Clone(ys)
	for _, y := range ys {
		y.check("y", -1)
		targets = append(targets, shuffleRows(y, folds.Seed))
	}
	trained, err := RegressEach(x, targets, weights, folds)
	if err != nil {
		return nil, err
	}
	random, err := RegressEach(untrained, ys, weights, folds)
	if err != nil {
		return nil, err
	}
	fromNext, err := RegressEach(next, ys, weights, folds)
	if err != nil {
		return nil, err
	}
	list := make([]*Controlled, len(ys))
	for i := range ys {
		list[i] = &Controlled{Trained: trained[i], Shuffled: trained[len(ys)+i], Random: random[i], NextToken: fromNext[i]}
	}
	return list, nil
}

// shuffleRows returns the rows of t in a random order.
func shuffleRows(t Table, seed uint64) Table { return t.shuffled(allRows(t.Rows()), seed) }

// assign deals the rows out to the folds.
func (f Folds) assign(n int) Table { return dealt(n, f.Count, f.Seed) }
