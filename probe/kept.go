package probe

import (
	"context"
	"errors"

	"foretell/internal/parallel"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// keep computes the features of every prefix and stores them.
func (a *Analysis) keep(ctx context.Context) error {
	for _, x := range a.features {
		x.kept = Table{Data: make([]float64, a.Prefixes.Rows()*x.width), Width: x.width}
		if x.row != nil {
			for row := range a.Prefixes.Rows() {
				x.row(x.kept.Row(row), row)
			}
		}
	}
	if a.model != nil {
		if err := a.keepPasses(ctx); err != nil {
			return err
		}
	}
	for _, t := range a.tables {
		if _, err := t.weightedMean("a target", a.weights); err != nil {
			return err
		}
	}
	for _, x := range a.features {
		if _, err := x.kept.weightedMean(x.Name, a.weights); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// keepPasses runs the model and stores the activations and divergences of all prefixes.
// Passes may run at the same time, because no two write the same rows.
func (a *Analysis) keepPasses(ctx context.Context) error {
	kl := make([]float64, a.Prefixes.Rows())
	visit := func(pass *Pass) {
		for _, span := range pass.Spans {
			for i := range span.N {
				kl[span.Row+i] = pass.divergence(a.Prefixes, span, i, a.model.Config.DVocab)
			}
		}
		for _, x := range a.features {
			if len(x.Stages) > 0 {
				x.keep(pass)
			}
		}
	}
	err := a.sweep(ctx, func() (func(*Pass), func()) { return visit, func() {} })
	a.addDivergences(kl)
	return err
}

// keep stores the features of the prefixes of a pass.
func (x *studied) keep(pass *Pass) {
	write := x.writer(pass)
	for _, span := range pass.Spans {
		for i := range span.N {
			write(x.kept.Row(span.Row+i), span, i)
		}
	}
}

// addDivergences sums the divergences of the prefixes of each length, weighted by
// probability.
func (a *Analysis) addDivergences(kl []float64) {
	p := a.Prefixes
	a.kl.Width = max(1, p.Groups)
	a.kl.Data = make([]float64, p.Length*a.kl.Width)
	for t := range p.Length {
		sums := a.kl.Row(t)
		from, to := p.Range(t + 1)
		for row := from; row < to; row++ {
			if p.Sequences > 0 {
				floats.AddScaled(sums, p.Prob[row]*kl[row], a.shares.Row(row))
			} else {
				sums[0] += p.Prob[row] * kl[row]
			}
		}
	}
}

// Table returns the features of every prefix, (rows, columns), including prefixes that
// cannot occur. It panics unless Plan.Keep is set.
func (a *Analysis) Table(of Features) Table {
	if !a.Plan.Keep {
		panic("probe: this analysis has not kept its rows; set Plan.Keep")
	}
	return a.entry(of).kept
}

// Under returns the analysis of the same rows under another convention, and for other
// targets if any are given. It returns an error if Plan.Keep is not set, if the
// convention needs all prefixes and these are a sample, if a target does not exist for
// the prefixes, or if ctx ends.
func (a *Analysis) Under(ctx context.Context, c Convention, targets ...Target) (*Analysis, error) {
	if !a.Plan.Keep {
		return nil, errors.New("probe: another convention needs the rows of the analysis; set Plan.Keep")
	}
	other := &Analysis{
		Plan: a.Plan, Prefixes: a.Prefixes, Patterns: a.Patterns, model: a.model, fixed: a.fixed, kl: a.kl,
	}
	if other.Plan.Convention = c; len(targets) > 0 {
		other.Plan.Targets = targets
	}
	if err := other.weigh(ctx); err != nil {
		return nil, err
	}
	for _, x := range a.features {
		other.study(&studied{Features: x.Features, width: x.width, widths: x.widths, kept: x.kept})
	}
	return other, nil
}

// fitRows computes, from the kept rows, the data that all fits of a slot share. It works
// on the folds in parallel.
func (a *Analysis) fitRows(x *studied, weights []float64) slot {
	s := slot{weights: weights}
	tables := append([]Table{x.kept}, a.tables...)
	for _, t := range tables {
		mean, _ := t.weightedMean("", weights) // keep has checked that it is finite
		s.shift = append(s.shift, mean...)
	}
	parts := make([]*moments, a.shares.Width)
	_ = parallel.Each(context.Background(), a.Plan.Workers, len(parts), func(f int) error {
		parts[f] = momentsOf(tables, s.shift, weightsIn(a.shares, f, weights))
		return nil
	})
	s.validation = newValidation(parts, x.width)
	return s
}

// slotWeights returns the weight of each prefix in slot t, and 0 for other prefixes.
func (a *Analysis) slotWeights(t int) []float64 {
	if a.Plan.Convention.Positions != EachPosition {
		return a.weights
	}
	weights := make([]float64, len(a.weights))
	from, to := a.Prefixes.Range(t + 1)
	copy(weights[from:to], a.weights[from:to])
	return weights
}

// Relate regresses y (rows, any) on x (rows, any). Both are tables with a row for each
// prefix in p, in the same order. The reading measures to what extent y is a linear
// function of x. Relate returns an error if the convention needs all prefixes and p is a
// sample, if numbers are not finite, or if ctx is done.
func Relate(ctx context.Context, p *process.Prefixes, x, y Table, c Convention) (*Reading, error) {
	target, features := tableTarget("y", y), TableFeatures("x", x)
	a, err := Analyze(ctx, nil, p, Plan{
		Features: []Features{features}, Targets: []Target{target}, Convention: c, Keep: true,
	})
	if err != nil {
		return nil, err
	}
	if err := a.Fit(ctx); err != nil {
		return nil, err
	}
	return a.Regress(target, features), nil
}
