package entropy

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/portable"
)

// level is the stated probability that the interval of the posterior contains the truth.
const level = 1 - 2.0/(draws+1)

// coverage is E5: the interval from the posterior of the entropy rate contains the truth.
func (l *lab) coverage() claim.Row {
	row := claim.Row{
		ID: "E5", Kind: claim.Beyond, RuleCommit: "6b829251",
		ChangedAfterResult: true, First: claim.FirstBy(rulesSince, measured.judgeFirstCoverage),
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

// inside returns the cells of a length whose entropy rate is neither 0 nor the logarithm
// of the number of symbols. These are the ends of the range of entropies: the range of
// samples from a density contains neither.
func (m measured) inside(length int) (list []cell) {
	for _, c := range m.uncertain(length) {
		if portable.Log(float64(c.alphabet))-c.rate > c.within {
			list = append(list, c)
		}
	}
	return list
}

// covered counts the intervals that contain the entropy rate, over the sources that a
// tree of the depth makes, or over the others.
func covered(cells []cell, trees bool) (all counts) {
	for _, c := range cells {
		if c.isTree() == trees {
			all = all.plus(c.covered())
		}
	}
	return all
}

// coverageIf returns the share of intervals that contain the truth, and whether the
// stated level is in its confidence interval or below it.
func coverageIf(k counts) (*claim.Effect, bool) {
	share := claim.NewShare(k.k, k.n)
	return claim.Shared("share of intervals that contain the entropy rate", share), share.Interval.High >= level
}

// coverageConditions judges each length over the sources among its cells that are trees.
func (m measured) coverageConditions(cells func(length int) []cell) (conditions []claim.Condition) {
	for i, n := range m.lengths {
		k := covered(cells(i), true)
		c := claim.Condition{Name: symbols(n), Converged: true}
		if k.n == 0 {
			c.Verdict, c.Reason, c.Obtained = claim.Open, claim.Power, "no interval"
		} else {
			e, enough := coverageIf(k)
			c.Verdict, c.Effect = claim.HoldsIf(enough), e
			c.Obtained = fmt.Sprintf("%v intervals of %g %% contain the entropy rate", k, 100*level)
		}
		conditions = append(conditions, c)
	}
	return conditions
}

func (m measured) judgeCoverage() claim.Finding {
	found := claim.NewFinding(m.coverageConditions(m.inside))
	for i, n := range m.lengths {
		if k := covered(m.inside(i), false); k.n > 0 {
			e, enough := coverageIf(k)
			found.Asked = append(found.Asked, claim.Question{
				Question: fmt.Sprintf("Does the interval contain the entropy rate as often where no tree of the depth "+
					"makes the sequences, %s (our own question; the same rule)?", symbols(n)),
				Answer: claim.AnswerIf(enough), Effect: e, Obtained: fmt.Sprintf("%v intervals", k),
			})
		}
	}
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
			series.X = append(series.X, c.covered().share())
		}
		dots.Series = append(dots.Series, series)
	}
	out.Figure("coverage", figure.Single("Coverage", "For each source and length, the share of seeds whose interval "+
		"from the posterior contains the entropy rate.", dots))
	out.CSV("coverage", m.coverageFrame())
}
