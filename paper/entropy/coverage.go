package entropy

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

// level is the stated probability that the interval of the posterior contains the truth.
const level = 1 - 2.0/(draws+1)

// coverage is E5: the interval from the posterior of the entropy rate contains the truth.
func (l *lab) coverage() claim.Row {
	row := claim.Row{
		ID: "E5", Kind: claim.Number, RuleCommit: "",
		Test: claim.Steps[measured]{
			Measure: l.measure, Judge: measured.judgeCoverage,
			Tabulate: measured.tabulateCoverage, Draw: measured.drawCoverage,
		}.Test,
	}
	return texts.Fill(row, map[string]any{"level": 100 * level, "draws": draws, "excess": leastExcess})
}

// covered counts the intervals over seeds that contain the entropy rate, up to its
// half-width.
func (c cell) covered() (k counts) {
	for _, e := range c.runs {
		if between := e.posterior[c.length]; between != nil {
			k.add(between.Low-c.within <= c.rate && c.rate <= between.High+c.within)
		}
	}
	return k
}

// covered counts the intervals at a length that contain the entropy rate, over the
// sources that a tree of the depth makes, or over the others.
func (m measured) covered(length int, trees bool) (all counts) {
	for _, c := range m.uncertain(length) {
		if c.isTree() == trees {
			k := c.covered()
			all.k, all.n = all.k+k.k, all.n+k.n
		}
	}
	return all
}

// coverageIf returns the share of intervals that contain the truth, and whether the
// stated level is in its confidence interval or below it.
func coverageIf(k counts) (*claim.Effect, bool) {
	share := claim.NewShare(k.k, k.n)
	e := claim.Exactly("share of intervals that contain the entropy rate", "", float64(k.k)/float64(k.n))
	e.Reached = &share
	return e.Beside("stated", level), share.Interval.High >= level
}

func (m measured) judgeCoverage() claim.Finding {
	var conditions []claim.Condition
	var asked []claim.Question
	for i, n := range m.lengths {
		k := m.covered(i, true)
		if k.n == 0 {
			conditions = append(conditions, claim.Condition{
				Name: symbols(n), Converged: true, Verdict: claim.Open, Reason: claim.Power, Obtained: "no interval",
			})
			continue
		}
		e, enough := coverageIf(k)
		conditions = append(conditions, claim.Condition{
			Name: symbols(n), Converged: true, Verdict: claim.HoldsIf(enough), Effect: e,
			Obtained: fmt.Sprintf("%v intervals contain the entropy rate", k),
		})
		if k = m.covered(i, false); k.n > 0 {
			e, enough = coverageIf(k)
			asked = append(asked, claim.Question{
				Question: fmt.Sprintf("Does the interval contain the entropy rate as often where no tree of the depth "+
					"makes the sequences, %s (our own question; the same rule)?", symbols(n)),
				Answer: claim.AnswerIf(enough), Effect: e, Obtained: fmt.Sprintf("%v intervals", k),
			})
		}
	}
	found := claim.NewFinding(conditions)
	found.Asked = asked
	return found
}

func (m measured) coverageFrame() document.Frame {
	f := m.frame("intervals that contain the entropy rate",
		document.Column{Name: "excess", Heading: "best tree less entropy rate, nats", Format: "%.1e"},
		document.Column{Name: "is_tree", Heading: "a tree of the depth", Codes: []string{"no", "yes"}},
		document.Column{Name: "covered", Heading: "containing it"},
		document.Column{Name: "intervals", Heading: "intervals"},
	)
	for i := range m.lengths {
		for _, c := range m.uncertain(i) {
			k, tree := c.covered(), 0
			if c.isTree() {
				tree = 1
			}
			f.Row(m.index(c.name), c.n, max(0, c.excess), tree, k.k, k.n)
		}
	}
	return f
}

// index returns a source's place in the list.
func (m measured) index(name string) int {
	for i, j := range m.sources {
		if j.name == name {
			return i
		}
	}
	return -1
}

func (m measured) tabulateCoverage(c *claim.Claim) {
	c.Tables = append(c.Tables, m.coverageFrame().Table())
}

func (m measured) drawCoverage(out *claim.Output) {
	dots := figure.Dots{
		Title: "share of intervals that contain the entropy rate", X: figure.Axis{Include: []float64{0, 1}},
		Refs: []figure.Ref{{Label: "stated", Value: level, Vertical: true}},
	}
	for i, n := range m.lengths {
		series := figure.DotSeries{Name: symbols(n)}
		for _, c := range m.uncertain(i) {
			if i == 0 {
				name := c.name
				if !c.isTree() {
					name += " (no tree)"
				}
				dots.Groups = append(dots.Groups, name)
			}
			k := c.covered()
			series.X = append(series.X, float64(k.k)/float64(max(1, k.n)))
		}
		dots.Series = append(dots.Series, series)
	}
	out.Figure("coverage", figure.Single("Coverage", "For each source and length, the share of seeds whose interval "+
		"from the posterior contains the entropy rate.", dots))
	out.CSV("coverage", m.coverageFrame())
}
