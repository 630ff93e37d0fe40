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
		ID: "E3", Kind: claim.Order, RuleCommit: rulesSince, StandsOn: []string{"E2", "E4"},
		Test: claim.Steps[measured]{
			Measure: l.measure, Judge: measured.judgeAccuracy,
			Tabulate: measured.tabulateAccuracy, Draw: measured.drawAccuracy,
		}.Test,
	}
	return texts.Fill(row, nil)
}

// best counts the sources on which each estimator has the smallest root mean squared
// error at a length. The first of equals counts.
func (m measured) best(length int) (wins [estimators]int) {
	for _, c := range m.cells() {
		if c.length != length {
			continue
		}
		first := compared[0]
		for _, estimator := range compared {
			if c.rmse(estimator) < c.rmse(first) {
				first = estimator
			}
		}
		wins[first]++
	}
	return wins
}

func (m measured) judgeAccuracy() claim.Finding {
	var conditions []claim.Condition
	for i, n := range m.lengths {
		wins := m.best(i)
		rival := compared[1]
		for _, estimator := range compared[1:] {
			if wins[estimator] > wins[rival] {
				rival = estimator
			}
		}
		of := len(m.sources)
		c := claim.Condition{
			Name: symbols(n), Converged: true, Verdict: claim.Fails,
			Obtained: fmt.Sprintf("the tree is the most accurate on %d of %d sources, %s on %d",
				wins[byTree], of, names[rival], wins[rival]),
			Effect: claim.Exactly("share of sources on which the tree is the most accurate", "",
				float64(wins[byTree])/float64(of)),
		}
		switch {
		case 2*wins[byTree] >= of:
			c.Verdict = claim.Holds
		case wins[byTree] > wins[rival]:
			c.Verdict, c.Reason = claim.Differs, claim.Size
		}
		conditions = append(conditions, c)
	}
	found := claim.NewFinding(conditions)
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
		Question: fmt.Sprintf("Is the bias of %s larger than its standard deviation in more than half of the cells "+
			"(another conclusion of Gao et al. 2008 is that bias is the main error; the threshold is ours)?",
			names[estimator]),
		Answer: claim.AnswerIf(2*k.k > k.n), Obtained: fmt.Sprintf("in %v", k),
	}
}

// winners is the table, the data file and the figure of the shares of sources on which an
// estimator is the most accurate.
func (m measured) winners() (document.Frame, figure.Dots) {
	const title = "share of sources on which it is the most accurate"
	f := document.Frame{Title: title, Columns: []document.Column{
		{Name: "estimator", Heading: "estimator", Codes: names[:]},
	}}
	dots := figure.Dots{Title: title, X: figure.Axis{Include: []float64{0, 1}}}
	for i, n := range m.lengths {
		f.Columns = append(f.Columns, document.Column{
			Name: fmt.Sprintf("best_%d", n), Heading: symbols(n), Format: "%.2f", Meaning: title + ", " + symbols(n),
		})
		series, wins := figure.DotSeries{Name: symbols(n)}, m.best(i)
		for _, estimator := range compared {
			series.X = append(series.X, float64(wins[estimator])/float64(len(m.sources)))
		}
		dots.Series = append(dots.Series, series)
	}
	for k, estimator := range compared {
		dots.Groups = append(dots.Groups, names[estimator])
		row := []any{estimator}
		for _, series := range dots.Series {
			row = append(row, series.X[k])
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
	out.Figure("best", figure.Single("The most accurate estimator", "For each estimator and length, the share of "+
		"sources on which its root mean squared error is the smallest.", dots))
	out.CSV("best", f)
}
