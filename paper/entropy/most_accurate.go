package entropy

import (
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

// compared are the estimators that Gao et al. 2008 compare and that are measured here.
var compared = []int{byTree, byMatches, byPlugIn1, byPlugIn3, byPlugIn6, byPlugIn10}

// mostAccurate is E3: the context tree is the most accurate.
func (l *lab) mostAccurate() claim.Row {
	row := claim.Row{
		ID: "E3", Kind: claim.Order, RuleCommit: "6b829251", StandsOn: []string{"E2", "E4"},
		ChangedAfterResult: true, First: claim.FirstBy(rulesSince, measured.judgeFirstAccuracy),
		Test: claim.Steps[measured]{
			Measure: l.measure, Judge: measured.judgeAccuracy,
			Tabulate: measured.tabulateAccuracy, Draw: measured.drawAccuracy,
		}.Test,
	}
	return texts.Fill(row, nil)
}

// beats counts the cells of a length in which the tree has a smaller root mean squared
// error than a rival.
func (m measured) beats(rival, length int) (k counts) {
	for _, c := range m.cells() {
		if c.length == length {
			k.add(c.rmse(byTree) < c.rmse(rival))
		}
	}
	return k
}

func (m measured) judgeAccuracy() claim.Finding {
	found := claim.NewFinding(claim.ConditionsOf(compared[1:], func(rival int) claim.Condition {
		var all counts
		for i := range m.lengths {
			all = all.plus(m.beats(rival, i))
		}
		return claim.Condition{
			Name: "against " + names[rival], Converged: true, Verdict: claim.HoldsIf(2*all.k >= all.n),
			Obtained: fmt.Sprintf("the tree is more accurate in %v cells", all),
		}
	}))
	for _, estimator := range compared {
		found.Asked = append(found.Asked, m.askBias(estimator))
	}
	return found
}

// askBias asks whether an estimator's main error is its bias.
func (m measured) askBias(estimator int) claim.Question {
	var k counts
	for _, c := range m.cells() {
		errors := c.errors(estimator)
		k.add(math.Abs(seeds.Mean(errors)) > seeds.StdDev(errors))
	}
	return claim.Question{
		Question: fmt.Sprintf("Is the bias of the estimate by %s larger than its standard deviation in more than half "+
			"of the cells (Gao et al. 2008 conclude that bias is the main error; the threshold is ours)?",
			names[estimator]),
		Answer: claim.AnswerIf(2*k.k > k.n), Obtained: fmt.Sprintf("in %v", k),
	}
}

// winners is the table, the data file and the figure of the shares of sources on which
// the tree is more accurate.
func (m measured) winners() (document.Frame, figure.Dots) {
	const title = "share of sources on which the tree is more accurate"
	f := document.Frame{Title: title, Columns: []document.Column{
		{Name: "estimator", Heading: "compared with", Codes: names[:]},
	}}
	dots := figure.Dots{
		Title: title, X: figure.Axis{Include: []float64{0, 1}}, Refs: []figure.Ref{{Value: 0.5, Vertical: true}},
	}
	for i, n := range m.lengths {
		f.Columns = append(f.Columns, document.Column{
			Name: fmt.Sprintf("beats_%d", n), Heading: symbols(n), Format: "%.2f", Meaning: title + ", " + symbols(n),
		})
		series := figure.DotSeries{Name: symbols(n)}
		for _, rival := range compared[1:] {
			series.X = append(series.X, m.beats(rival, i).share())
		}
		dots.Series = append(dots.Series, series)
	}
	for at, rival := range compared[1:] {
		dots.Groups = append(dots.Groups, names[rival])
		row := []any{rival}
		for _, series := range dots.Series {
			row = append(row, series.X[at])
		}
		f.Row(row...)
	}
	return f, dots
}

func (m measured) tabulateAccuracy(c *claim.Claim) {
	f, _ := m.winners()
	c.Tables = append(c.Tables, f.Table())
}

func (m measured) drawAccuracy(out *claim.Output) {
	f, dots := m.winners()
	out.Figure("accuracy", figure.Single("The context tree against each other estimator", "For each estimator and "+
		"length, the share of sources on which the tree's root mean squared error is smaller.", dots))
	out.CSV("accuracy", f)
}
