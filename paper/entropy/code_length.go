package entropy

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
)

// leastRedundancy is what the figure shows of smaller redundancies, nats a symbol.
const leastRedundancy = 1e-6

// codeLength is E1: no code length of the context tree is below the entropy rate.
func (l *lab) codeLength() claim.Row {
	row := claim.Row{
		ID: "E1", Kind: claim.Order, RuleCommit: rulesSince,
		Test: claim.Steps[measured]{
			Measure: l.measure, Judge: measured.judgeCodeLength,
			Tabulate: measured.tabulateCodeLength, Draw: measured.drawCodeLength,
		}.Test,
	}
	return texts.Fill(row, map[string]any{
		"errors": standardErrors, "depth": mostDepth, "contexts": mostContexts, "within": mostWithin,
		"least": numerals.Scientific(leastRedundancy),
	})
}

// redundancies returns the tree's code length minus the optimal predictor's loss on the
// same symbols, by seed.
func (c cell) redundancies() []float64 {
	return c.over(func(e estimated) float64 { return e.estimates[c.length][byTree] - e.optimal[c.length] })
}

// isCode reports whether the tree's code length can be the length of a code: on average
// it is not below the optimal predictor's loss.
func (c cell) isCode() bool {
	redundancies := c.redundancies()
	return seeds.Mean(redundancies)+margin(redundancies) >= 0
}

func (m measured) judgeCodeLength() claim.Finding {
	above := counts{}
	bySource := map[string]*counts{}
	for _, c := range m.cells() {
		so := c.isCode()
		above.add(so)
		if bySource[c.name] == nil {
			bySource[c.name] = &counts{}
		}
		bySource[c.name].add(so)
	}
	least, _ := lowest("code length minus the optimal predictor's loss", "nats", m.cells(), cell.redundancies)
	conditions := claim.ConditionsOf(m.sources, func(j judged) claim.Condition {
		k := *bySource[j.name]
		return claim.Condition{
			Name: j.name, Converged: true, Verdict: claim.HoldsIf(k.k == k.n),
			Obtained: fmt.Sprintf("not below at %v lengths", k),
		}
	})
	found := claim.Finding{Effect: least, Conditions: conditions, Asked: m.askWhoStaysAbove()}
	found.Verdict, found.Reason = claim.Conclude(conditions)
	found.Obtained = fmt.Sprintf("not below the optimal predictor's loss in %v cells of source and length; "+
		"the least %s: %.2g nats", above, least.What, least.Estimate)
	return found
}

// askWhoStaysAbove asks for each estimator whether its mean is never below the entropy
// rate itself.
func (m measured) askWhoStaysAbove() (list []claim.Question) {
	for estimator, name := range names {
		above := counts{}
		for _, c := range m.cells() {
			above.add(!c.isBelow(estimator))
		}
		least := lowestError(estimator, m.cells())
		list = append(list, claim.Question{
			Question: fmt.Sprintf("Is the mean estimate by %s at least the exact entropy rate in all cells, less %d "+
				"standard errors (our threshold)?", name, standardErrors),
			Answer:   claim.AnswerIf(above.k == above.n),
			Obtained: fmt.Sprintf("in %v; the lowest mean error is %.2g nats", above, least.Estimate),
			Effect:   least,
		})
	}
	return list
}

// redundancyFrame is the table and the data file of E1.
func (m measured) redundancyFrame() document.Frame {
	f := m.frame("the context tree's code length, mean and standard deviation over seeds, nats a symbol",
		document.Column{Name: "depth", Heading: "depth"},
		document.Column{Name: "rate", Heading: "entropy rate", Format: "%.4f"},
		document.Column{Name: "code_length", Heading: "code length", Format: "%.4f"},
		document.Column{Name: "optimal", Heading: "optimal predictor", Format: "%.4f"},
		document.Column{Name: "redundancy", Heading: "difference", Format: "%.5f"},
		document.Column{Name: "redundancy_deviation", Heading: "its deviation", Format: "%.1g"},
	)
	for at, c := range m.cells() {
		tree := c.over(func(e estimated) float64 { return e.estimates[c.length][byTree] })
		optimal := c.over(func(e estimated) float64 { return e.optimal[c.length] })
		f.Row(at/len(m.lengths), c.n, c.depth, c.rate, seeds.Mean(tree), seeds.Mean(optimal),
			seeds.Mean(c.redundancies()), seeds.StdDev(c.redundancies()))
	}
	return f
}

func (m measured) tabulateCodeLength(c *claim.Claim) {
	c.Tables = append(c.Tables, m.redundancyFrame().Table())
}

func (m measured) drawCodeLength(out *claim.Output) {
	dots := figure.Dots{
		Title: "code length minus the optimal predictor's loss", X: figure.Axis{Label: "nats a symbol", Log: true},
		Groups: m.sourceNames(),
	}
	for i, n := range m.lengths {
		series := figure.DotSeries{Name: symbols(n)}
		for _, j := range m.sources {
			drawn := cell{j, i, n}.redundancies()
			for seed := range drawn {
				drawn[seed] = max(leastRedundancy, drawn[seed])
			}
			series = seeds.Dot(series, drawn)
		}
		dots.Series = append(dots.Series, series)
	}
	out.Figure("redundancy", figure.Single("Redundancy of the context tree", "For each source and length, the context "+
		"tree's code length minus the loss of the optimal predictor on the same symbols.", dots))
	out.CSV("code-length", m.redundancyFrame())
}
