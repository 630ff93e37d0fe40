package induction

import (
	"context"
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// judgedFrom is the position from which divergences are averaged: earlier positions have
// little evidence of the lag.
const judgedFrom = 20

// plateaus returns row I18, which goes beyond the claims of D'Angelo et al. 2025.
func (l *lab) plateaus() claim.Row {
	return claim.Row{
		ID: "I18", Kind: claim.Beyond, Source: authors + "; beyond: the steps of Sec. 4.1",
		Quote: "No claim of the document. Nearest: “The operation of the first layer is now explicit […] This " +
			"selection requires aggregating the normalized transition probabilities from the past” (Sec. 4.1; a " +
			"construction: no model, no error bars)",
		Statement: "Each step of the selective induction head reduces the divergence: an observer that lacks a step " +
			"predicts worse by a measurable amount.",
		Expected: fmt.Sprintf("lags %s: the divergence of five observers, averaged over positions %d to T: one that "+
			"ignores all tokens, and observers with no evidence of the lag, with the evidence of the last "+
			"transition, of every K-th transition, and of all (the Bayesian model average, BMA). Holds if each "+
			"divergence is below the previous one by more than %d standard errors of the paired difference; fails "+
			"if one is above the previous one by more than that; open otherwise",
			example, judgedFrom, significantErrors),
		RuleCommit: "1be083e", ChangedAfterResult: true,
		Test: claim.Steps[steps]{
			Measure: l.measureSteps, Judge: steps.judge, Tabulate: steps.tabulate, Draw: steps.draw,
		}.Test,
	}
}

// significantErrors is the number of standard errors, over held-out sequences, by which
// two predictors must differ to be called different.
const significantErrors = 3

// steps holds the divergences of observers, each of which uses more evidence than the
// previous one.
type steps struct {
	setting string
	list    []step
}

type step struct {
	name  string
	along []float64 // by position
	mean  float64   // from judgedFrom on
	// below is the previous observer's divergence minus this one's, with its standard error.
	below, se float64
}

// observers returns the observers of row I18 for a task.
func (c *chains) observers() []struct {
	name string
	by   process.Predictor
} {
	lags := len(c.lags())
	return []struct {
		name string
		by   process.Predictor
	}{
		{"no token", constant(c.process.Stationary())},
		{"tokens at the lags, no evidence", c.observer(last(0))},
		{"evidence of the last transition", c.observer(last(1))},
		{"evidence of every K-th transition", c.observer(func(back int) bool { return back%lags == 0 })},
		{"all evidence (BMA)", c.process.Predictor()},
	}
}

// constant is a predictor that gives the same distribution after every prefix.
type constant []float64

func (c constant) Next(dst []float64) { copy(dst, c) }
func (constant) Observe(int) error    { return nil }
func (constant) Reset()               {}

func (l *lab) measureSteps(context.Context, *claim.Study) (steps, error) {
	found := steps{setting: l.setting}
	c, err := l.chains(l.of(example))
	if err != nil {
		return found, err
	}
	var before curve
	for i, o := range c.observers() {
		along, err := c.predicted(o.by)
		if err != nil {
			return found, err
		}
		s := step{name: o.name, along: along.at(), mean: stat.Mean(along.from(judgedFrom), nil)}
		if i > 0 {
			s.below, s.se = before.above(along, judgedFrom)
		}
		found.list, before = append(found.list, s), along
	}
	return found, nil
}

func (m steps) judge() claim.Finding {
	var parts []string
	f := claim.Finding{Verdict: claim.Holds}
	for i, s := range m.list {
		parts = append(parts, fmt.Sprintf("%s %.4f", s.name, s.mean))
		switch {
		case i == 0 || s.below > significantErrors*s.se:
		case s.below < -significantErrors*s.se:
			f.Verdict, f.Reason = claim.Fails, ""
		case f.Verdict == claim.Holds:
			f.Verdict, f.Reason = claim.Open, claim.Power
		}
	}
	f.Obtained = "nats: " + strings.Join(parts, ", ")
	return f
}

func (m steps) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: fmt.Sprintf("lags %s: divergence of observers in nats, mean over positions %d to T",
			example, judgedFrom),
		Columns: []string{"observer", "nats", "below the previous one by", "standard error"},
	}
	for _, s := range m.list {
		table.Rows = append(table.Rows, []string{
			s.name, fmt.Sprintf("%.4f", s.mean), fmt.Sprintf("%.4f", s.below), fmt.Sprintf("%.4f", s.se),
		})
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
}

func (m steps) draw(out *claim.Output) {
	chart := figure.Chart{
		X: figure.Axis{Label: "position"}, Y: figure.Axis{Label: "KL (nats)", Include: []float64{0}},
	}
	header, rows := []string{"position"}, make([][]float64, len(m.list[0].along))
	for t := range rows {
		rows[t] = []float64{float64(t + 1)}
	}
	for i, s := range m.list {
		header = append(header, fmt.Sprintf("observer_%d", i+1))
		series := figure.Series{Name: s.name}
		for t, x := range s.along {
			series.X = append(series.X, float64(t+1))
			series.Y = append(series.Y, x)
			rows[t] = append(rows[t], x)
		}
		chart.Series = append(chart.Series, series)
	}
	out.Captioned("observers", "Divergence of the true next-token distribution from each observer's prediction along "+
		"the sequence. The first k̂ tokens, where k̂ is the largest lag, are independent: nothing can be learned "+
		"from them.",
		figure.Single("Observers that lack a step of the selective induction head",
			"Divergence against position, a line for each observer.", chart))
	out.CSV("observers", document.Numbers(header, rows))
}
