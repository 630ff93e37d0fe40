package entropy

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/paper/internal/seeds"
)

// low are the estimators that E2 expects below the entropy rate.
var low = []int{byMatches, byPlugIn10}

// below is E2: match lengths and plug-in entropies of a high order are below the truth.
func (l *lab) below() claim.Row {
	row := claim.Row{
		ID: "E2", Kind: claim.Order, RuleCommit: rulesSince, StandsOn: []string{"E3", "E4"},
		Test: claim.Steps[measured]{
			Measure: l.measure, Judge: measured.judgeBelow, Tabulate: measured.tabulateBelow, Draw: measured.drawBelow,
		}.Test,
	}
	return texts.Fill(row, map[string]any{"errors": standardErrors, "order": orders[byPlugIn10-byPlugIn1]})
}

// uncertain returns the cells of a length whose source has an entropy rate above 0: no
// estimate here is below 0.
func (m measured) uncertain(length int) (list []cell) {
	for _, c := range m.cells() {
		if c.length == length && c.rate > c.within {
			list = append(list, c)
		}
	}
	return list
}

func (m measured) judgeBelow() claim.Finding {
	var conditions []claim.Condition
	for _, estimator := range low {
		for i, n := range m.lengths {
			var k counts
			cells := m.uncertain(i)
			for _, c := range cells {
				k.add(c.isBelow(estimator))
			}
			least := lowestError(estimator, cells)
			c := claim.Condition{
				Name: names[estimator] + ", " + symbols(n), Converged: true, Effect: least,
				Obtained: fmt.Sprintf("below on %v sources, by up to %.2g nats", k, max(0, -least.Estimate)),
			}
			c.Verdict, c.Reason = k.all()
			conditions = append(conditions, c)
		}
	}
	return claim.NewFinding(conditions)
}

// errorsFrame has the bias and the spread of every estimator in every cell.
func (m measured) errorsFrame() document.Frame {
	f := m.frame("every estimator", document.Column{Name: "estimator", Heading: "estimator", Codes: names[:]},
		document.Column{Name: "rate", Heading: "entropy rate"},
		document.Column{Name: "bias", Heading: "bias"},
		document.Column{Name: "deviation", Heading: "deviation"},
		document.Column{Name: "rmse", Heading: "root mean squared error"})
	for at, c := range m.cells() {
		for estimator := range names {
			errors := c.errors(estimator)
			f.Row(at/len(m.lengths), c.n, estimator, c.rate, seeds.Mean(errors), seeds.StdDev(errors),
				c.rmse(estimator))
		}
	}
	return f
}

// biasTable shows the mean error and its standard deviation, for each estimator a column.
func (m measured) biasTable() document.Table {
	f := m.frame("estimate less entropy rate, mean ± standard deviation over seeds, nats a symbol",
		document.Column{Heading: "entropy rate", Format: "%.4f"})
	for _, name := range names {
		f.Columns = append(f.Columns, document.Column{Heading: name, Format: "%+.4f", Deviation: "%.4f"})
	}
	for at, c := range m.cells() {
		row := []any{at / len(m.lengths), c.n, c.rate}
		for estimator := range names {
			row = append(row, seeds.Spread(c.errors(estimator)))
		}
		f.Row(row...)
	}
	return f.Table()
}

func (m measured) tabulateBelow(c *claim.Claim) { c.Tables = append(c.Tables, m.biasTable()) }

func (m measured) drawBelow(out *claim.Output) {
	out.Figure("below", m.panels("Estimates below the entropy rate", "For each source and length, the error of match "+
		"lengths and of plug-in entropies of order 10.", "nats a symbol",
		[]string{names[byMatches], names[byPlugIn10]},
		func(c cell, series int) []float64 { return c.errors(low[series]) }))
	out.CSV("errors", m.errorsFrame())
}
