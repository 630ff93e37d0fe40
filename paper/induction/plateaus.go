package induction

import (
	"context"
	"fmt"
	"slices"
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
	return texts.Fill(claim.Row{
		ID: "I18", Kind: claim.Identity, Setting: l.setting,
		RuleCommit: "b28b104", ChangedAfterResult: true,
		First: claim.FirstBy("1be083e", steps.judge),
		Test: claim.Steps[steps]{
			Measure: l.measureSteps, Judge: steps.judge, Tabulate: steps.tabulate, Draw: steps.draw,
		}.Test,
	}, map[string]any{"lags": example, "from": judgedFrom, "errors": significantErrors})
}

// significantErrors is the number of standard errors, over held-out sequences, by which
// two predictors must differ to be called different.
const significantErrors = 3

// steps holds the divergences of observers, each of which uses more evidence than the
// previous one.
type steps []step

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
	var found steps
	c := l.chains(l.of(example))
	var before curve
	for i, o := range c.observers() {
		along := c.predicted(o.by)
		s := step{name: o.name, along: along.at(), mean: stat.Mean(along.from(judgedFrom), nil)}
		if i > 0 {
			s.below, s.se = before.above(along, judgedFrom)
		}
		found, before = append(found, s), along
	}
	return found, nil
}

func (m steps) judge() claim.Finding {
	var parts []string
	f := claim.Finding{Verdict: claim.Holds}
	for i, s := range m {
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
	table := document.Frame{
		Title: fmt.Sprintf("lags %s: divergence of observers in nats, mean over positions %d to T",
			example, judgedFrom),
		Columns: slices.Concat(
			document.Headed("", "observer"),
			document.Headed("%.4f", "nats", "below the previous one by", "standard error"),
		),
	}
	for _, s := range m {
		table.Row(s.name, s.mean, s.below, s.se)
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m steps) draw(out *claim.Output) {
	chart := alongChart("")
	var curves []labelled
	for i, s := range m {
		c := labelled{name: s.name, column: fmt.Sprintf("observer_%d", i+1), along: s.along}
		chart.Series = append(chart.Series, c.from(1))
		curves = append(curves, c)
	}
	out.Figure("observers", figure.Single("Observers that lack a step of the selective induction head",
		"Divergence against position, a line for each observer.", chart))
	out.CSV("observers", byPosition(curves))
}
