package entropy

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

// leastShare is the share of the learnable gap that a code length should see (our
// question).
const leastShare = 0.5

// allColumns is the number of panels side by side.
const allColumns = 4

// share is E4: how much of the learnable gap the context tree's code length sees.
func (l *lab) share() claim.Row {
	row := claim.Row{
		ID: "E4", Kind: claim.Beyond, RuleCommit: rulesSince, StandsOn: []string{"E2", "E3"},
		Test: claim.Steps[measured]{
			Measure: l.measure, Judge: measured.judgeShare, Tabulate: measured.tabulateShare, Draw: measured.drawShare,
		}.Test,
	}
	return texts.Fill(row, map[string]any{"share": leastShare, "gap": leastGap})
}

// shares returns the shares of the learnable gap that an estimator sees, by seed.
func (c cell) shares(estimator int) []float64 {
	return c.over(func(e estimated) float64 { return (c.chance - e.estimates[c.length][estimator]) / c.gap() })
}

// learnable returns the cells of a length whose sources have something to learn.
func (m measured) learnable(length int) (list []cell) {
	for _, c := range m.cells() {
		if c.length == length && c.gap() >= leastGap {
			list = append(list, c)
		}
	}
	return list
}

// judgeShare judges each length over the sources.
func (m measured) judgeShare() claim.Finding {
	var conditions []claim.Condition
	for i, n := range m.lengths {
		var k counts
		cells := m.learnable(i)
		for _, c := range cells {
			k.add(seeds.Mean(c.shares(byTree)) >= leastShare)
		}
		least, at := lowest("share of the learnable gap", "", cells, func(c cell) []float64 { return c.shares(byTree) })
		c := claim.Condition{
			Name: symbols(n), Converged: true, Effect: least,
			Obtained: fmt.Sprintf("at least %g on %v sources; the least is %.2f, on %s", leastShare, k, least.Estimate,
				at.name),
		}
		c.Verdict, c.Reason = k.all()
		conditions = append(conditions, c)
	}
	return claim.NewFinding(conditions)
}

// shareFrame has the mean share of the gap that each estimator sees.
func (m measured) shareFrame() document.Frame {
	f := m.frame("share of the learnable gap that each estimator sees, mean over seeds; more than 1 means an estimate "+
		"below the entropy rate, and less than 0 one above the entropy of a symbol",
		document.Column{Name: "gap", Heading: "learnable gap, nats", Format: "%.4f"},
	)
	for i, name := range names {
		f.Columns = append(f.Columns, document.Column{
			Name: fmt.Sprintf("share_%d", i), Heading: name, Format: "%.3f",
			Meaning: "share of the learnable gap that the estimator sees: " + name,
		})
	}
	for at, c := range m.cells() {
		if c.gap() < leastGap {
			continue
		}
		row := []any{at / len(m.lengths), c.n, c.gap()}
		for estimator := range names {
			row = append(row, seeds.Mean(c.shares(estimator)))
		}
		f.Row(row...)
	}
	return f
}

func (m measured) tabulateShare(c *claim.Claim) { c.Tables = append(c.Tables, m.shareFrame().Table()) }

func (m measured) drawShare(out *claim.Output) {
	out.Figure("share", m.shareFigure())
	out.Figure("all", m.allFigure())
	out.CSV("shares", m.shareFrame())
}

// shareFigure has the context tree's shares of [measured.shareFrame].
func (m measured) shareFigure() *figure.Figure {
	dots := figure.Dots{
		X:    figure.Axis{Label: "share of the learnable gap", Include: []float64{0, 1}},
		Refs: []figure.Ref{{Value: 1, Vertical: true}},
	}
	for i, n := range m.lengths {
		series := figure.DotSeries{Name: symbols(n)}
		dots.Groups = nil // the same sources at all lengths
		for _, c := range m.learnable(i) {
			dots.Groups = append(dots.Groups, c.name)
			series.X = append(series.X, seeds.Mean(c.shares(byTree)))
		}
		dots.Series = append(dots.Series, series)
	}
	return figure.Single("What the context tree sees of each source", "For each source and length, the share of the "+
		"learnable gap that the context tree's code length sees.", dots)
}

// allFigure has a panel for each source, with the mean estimates by length, the entropy
// rate and the entropy of a symbol.
func (m measured) allFigure() *figure.Figure {
	var panels []figure.Panel
	for _, j := range m.sources {
		chart := figure.Chart{
			Title: j.name, X: figure.Axis{Label: "n", Log: true}, Y: figure.Axis{Label: "nats"},
			Refs: []figure.Ref{{Value: j.rate}, {Value: j.chance}},
		}
		for estimator, name := range names {
			series := figure.Series{Name: name, Color: estimator + 1}
			for i, n := range m.lengths {
				series.Add(float64(n), j.rate+seeds.Mean(j.errors(i, estimator)))
			}
			chart.Series = append(chart.Series, series)
		}
		panels = append(panels, chart)
	}
	return figure.Grid(allColumns, "All estimators on all sources", "For each source, each estimator's mean estimate "+
		"against the length of the sequence, with the exact entropy rate and the entropy of a symbol.", panels...)
}
