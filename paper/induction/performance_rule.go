package induction

import (
	"fmt"
	"strings"

	"foretell/claim"
)

func (m panels) judge() claim.Finding {
	var conditions []claim.Condition
	for _, p := range m {
		conditions = append(conditions, p.conditions()...)
	}
	found := claim.NewFinding(conditions)
	found.Obtained = tally(conditions)
	found.Asked = []claim.Question{m.optimum(), m.everyConverged(), m.grams()}
	return found
}

// tally summarises the verdicts on conditions, and lists the conditions that do not hold.
func tally(conditions []claim.Condition) string {
	counts := map[claim.Verdict]int{}
	var not []string
	for _, c := range conditions {
		if counts[c.Verdict]++; c.Verdict != claim.Holds && c.Verdict != claim.Open {
			not = append(not, c.Name+": "+c.Obtained)
		}
	}
	text := fmt.Sprintf("%d of %d conditions hold, %d are open",
		counts[claim.Holds], len(conditions), counts[claim.Open])
	if len(not) > 0 {
		text += "; not as stated: " + strings.Join(not, "; ")
	}
	return text
}

// conditions returns the conditions on a panel that follow from the paper's sentences.
func (p panel) conditions() (list []claim.Condition) {
	enough := p.written[len(p.written)-1]
	list = append(list, p.matchesML(enough))
	if one := p.written[0]; one.heads != enough.heads {
		list = append(list, p.matchesML(one)) // “still solves the task”
	}
	return append(list, p.ofTrained()...)
}

// ofTrained returns the conditions on the trained models of a panel.
func (p panel) ofTrained() (list []claim.Condition) {
	enough := p.written[len(p.written)-1]
	for _, t := range p.trained {
		switch {
		case t.heads == enough.heads:
			list = append(list, t.matches())
		default:
			list = append(list, t.better())
		}
		if len(p.lags()) == 2 {
			list = append(list, t.atFirst())
		}
	}
	return list
}

// matchesML returns the condition that the construction matches ML. With two lags, where
// the paper claims the optimal sample complexity for one head, it is about all positions
// from judgedFrom on.
func (p panel) matchesML(w panelWritten) claim.Condition {
	over, value, se := "the last eighth of positions", w.aboveML, w.se
	if len(p.lags()) == 2 {
		over, value, se = fmt.Sprintf("positions from %d on", judgedFrom), w.aboveMLFrom, w.seFrom
	}
	c := claim.Condition{
		Name: fmt.Sprintf("%s, construction, heads %d", p.task, w.heads), Converged: true, Verdict: claim.Holds,
		Effect:   claim.Measured("divergence above ML, mean over "+over, "nats", value, se),
		Obtained: fmt.Sprintf("%+.4f nats compared with ML", value),
	}
	if value > solved {
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c
}

// everyPanel returns the condition that asStated is true for each converged model of a
// kind, and the number of models for which it is true.
func everyPanel[M any](
	of cell, g claim.BySeed[M], name, what string, number func(M) float64, asStated func(M) bool,
) (claim.Condition, int) {
	c, k := g.Each(what, "nats", number, asStated)
	c.Name = fmt.Sprintf("%s, %s", of, name)
	if c.Converged {
		c.Obtained = fmt.Sprintf("%+.4f nats, %d of %d models as stated", c.Effect.Estimate, k, len(g.Converged()))
	}
	return c, k
}

// matches returns the condition that trained models predict as well as the construction
// at the end of the sequence.
func (t panelTrained) matches() claim.Condition {
	c, _ := everyPanel(t.cell, t.BySeed, "compared with the construction",
		"divergence above the construction at the end",
		func(m panelModel) float64 { return m.atEnd }, func(m panelModel) bool { return m.atEnd <= solved })
	return c
}

// better returns the condition that trained models with one head can be better than the
// construction. It holds if any seed is better, whether or not it has converged.
func (t panelTrained) better() claim.Condition {
	c, k := everyPanel(t.cell, t.BySeed, "better than the construction", "divergence above the construction",
		func(m panelModel) float64 { return m.difference },
		func(m panelModel) bool { return m.difference < -significantErrors*m.se })
	if c.Converged && k > 0 {
		c.Verdict, c.Reason = claim.Holds, ""
	}
	return c
}

// atFirst returns the condition that, for two lags and before position judgedFrom,
// trained models are less than half as far above BMA as ML is. Models have converged if
// their divergence at these positions is final.
func (t panelTrained) atFirst() claim.Condition {
	c, _ := everyPanel(t.cell, t.early, "closer to BMA than to ML at first", "divergence above BMA before position 20",
		func(m panelEarly) float64 { return m.model }, func(m panelEarly) bool { return m.model < m.ml/2 })
	return c
}

// optimum asks whether any curve is below the optimum.
func (m panels) optimum() claim.Question {
	count := 0
	for _, p := range m {
		count += p.undercuts
		for _, t := range p.trained {
			for _, one := range t.Models {
				count += one.Found.undercutsPositions
			}
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("Is every curve above BMA's at every position, within %d standard errors of the paired "+
			"difference? (in theory, BMA is optimal)", beyondNoise),
		Answer: claim.AnswerIf(count == 0), Obtained: fmt.Sprintf("curves are below it at %d positions", count),
	}
}

// grams asks whether learning a (k̂+1)-gram in context is worse than inferring the lag.
func (m panels) grams() claim.Question {
	k := 0
	var parts []string
	for _, p := range m {
		if p.gramAbove > solved {
			k++
		}
		parts = append(parts, fmt.Sprintf("%s %+.3f", p.task, p.gramAbove))
	}
	return claim.Question{
		Question: fmt.Sprintf("Is a (k̂+1)-gram that is learned in context more than %g nats above ML at the end, "+
			"for every set of lags? (Sec. 3: “a suboptimal sample complexity”; flat Dirichlet prior, our bound)",
			solved),
		Answer: claim.AnswerIf(k == len(m)), Obtained: strings.Join(parts, ", ") + " nats",
	}
}

// everyConverged asks whether every model that has converged is near the optimum.
func (m panels) everyConverged() claim.Question {
	q := claim.Question{
		Question: fmt.Sprintf("Is every converged model with three layers, and enough heads to keep transitions "+
			"apart, within %g nats of BMA at the end? (our question)", solved),
		Answer: claim.Undecided, Obtained: "no model has converged",
	}
	k, n := 0, 0
	for _, p := range m {
		for _, t := range p.trained {
			if t.heads != p.written[len(p.written)-1].heads {
				continue
			}
			for _, one := range t.Converged() {
				if n++; one.Found.aboveAtEnd <= solved {
					k++
				}
			}
		}
	}
	if n > 0 {
		q.Answer, q.Obtained = claim.AnswerIf(k == n), fmt.Sprintf("%d of %d", k, n)
	}
	return q
}
