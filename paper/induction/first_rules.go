package induction

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
)

// This file has the rules as first committed, of rows whose rule was changed after a
// result was known.

// firstIn returns the first rule of a row that is repeated in variants. It judges the
// profile's own setting.
func firstIn[M any](commit string, judge func(M) claim.Finding) claim.First {
	return claim.FirstBy(commit, func(m repeated[M]) claim.Finding { return judge(m.own) })
}

// offPlateau returns models that have converged as the first rules say: they predict
// better than with the evidence of the last transitions, even if their divergence is
// still falling.
func offPlateau[M any](g claim.BySeed[M]) claim.BySeed[M] {
	g.Models = slices.Clone(g.Models)
	for i, m := range g.Models {
		if strings.HasPrefix(m.Unconverged, stillFalling) {
			g.Models[i].Unconverged = ""
		}
	}
	return g
}

// first is the first rule of I7: it does not judge constructions with one head.
func (m panels) first() claim.Finding {
	var conditions []claim.Condition
	for _, p := range m {
		conditions = append(conditions, p.matchesML(p.written[len(p.written)-1]))
		p.trained = slices.Clone(p.trained)
		for i, t := range p.trained {
			p.trained[i].BySeed, p.trained[i].early = offPlateau(t.BySeed), offPlateau(t.early)
			for k, of := range p.trained[i].BySeed.Models {
				if k < len(p.trained[i].early.Models) {
					p.trained[i].early.Models[k].Unconverged = of.Unconverged
				}
			}
		}
		conditions = append(conditions, p.ofTrained()...)
	}
	found := claim.FirstFinding(conditions)
	found.Obtained = tally(conditions)
	return found
}

// first is the first rule of I8: it judges layers 1 and 3, and the scores of layer 1.
func (m mapped) first() claim.Finding {
	var conditions []claim.Condition
	for _, c := range m {
		c.BySeed = offPlateau(c.BySeed)
		conditions = append(conditions, c.layer(0), c.layer(2), c.scores())
	}
	return claim.FirstFinding(conditions)
}

// first is the first rule of I9: it judges the last positions at a larger β.
func (m sweep) first() claim.Finding {
	shown, large := m[0], len(betas)-2
	from := endIn(shown.ml.context).first
	smallest, _ := shown.above(0, from)
	gap, se := shown.above(large, from)
	found := claim.Finding{
		Verdict: claim.Holds,
		Obtained: fmt.Sprintf("in the last eighth of positions, %.4f ± %.4f nats above ML at β = %g, %.4f at β = "+
			"%g", gap, se, betas[large], smallest, betas[0]),
		Effect: claim.Measured(fmt.Sprintf("Eq. 3 with β = %g above ML", betas[large]), "nats", gap, se),
	}
	switch {
	case math.Abs(gap) >= math.Abs(smallest):
		found.Verdict = claim.Fails
	case math.Abs(gap) > matches:
		found.Verdict, found.Reason = claim.Differs, claim.Size
	}
	return found
}

// first is the first rule of I10.
func (m depths) first() claim.Finding {
	off := func(s shaped) shaped {
		s.BySeed = offPlateau(s.BySeed)
		return s
	}
	can := func(s shaped) claim.Condition { return off(s).can() }
	noBetter := func(s shaped) claim.Condition { return off(s).noBetter(off(m.three[0])) }
	return claim.FirstFinding(slices.Concat(claim.ConditionsOf(m.two, shaped.firstCannot),
		claim.ConditionsOf(m.three, can), claim.ConditionsOf(m.four, noBetter)))
}

// firstCannot judges two layers, whether or not they have converged. It is open if the
// first seed's divergence falls in the second half of its steps by as much as it is above
// the bound.
func (m shaped) firstCannot() claim.Condition {
	values := m.All(atEnd)
	reached := within(values, solved)
	c := claim.Condition{
		Name: m.Name, Verdict: claim.HoldsIf(reached.K == 0),
		Effect: claim.Over("divergence above BMA at the end", "nats", values),
	}
	c.Obtained = solvedText(c.Effect.Estimate, reached)
	first := m.Models[0].Found
	if reached.K > 0 || first.trained == nil {
		return c.Judged("")
	}
	end := endIn(first.recipe.context)
	if moved := end.mean(first.halfway) - end.mean(first.trained); moved >= first.atEnd-solved {
		return c.Judged(fmt.Sprintf("still falls, by %.3f nats in the second half of the steps", moved))
	}
	return c.Judged("")
}

// first is the first rule of I11.
func (m headCounts) first() claim.Finding {
	m.list = slices.Clone(m.list)
	for i := range m.list {
		m.list[i].BySeed = offPlateau(m.list[i].BySeed)
	}
	return claim.FirstFinding(m.judge().Conditions)
}

// first is the first rule of I12: it asks for twice uniform attention.
func (m selections) first() claim.Finding {
	return claim.FirstFinding(claim.ConditionsOf(m, func(s selecting) claim.Condition {
		n := len(s.untrained)
		bound := slices.Repeat([][]float64{slices.Repeat([]float64{2 * s.uniform / ofConstruction}, n)}, n)
		c, k := offPlateau(s.BySeed).Each("attention to the true lag's token", "", selected,
			func(byLag [][]float64) bool { return selects(byLag, bound) })
		if c.Converged {
			c.Obtained = fmt.Sprintf("%d models select, with an attention of %.2f to the true lag's token (uniform: "+
				"%.2f)", k, c.Effect.Estimate, s.uniform)
		}
		return c
	}))
}

// first is the first rule of I14: half of the sequences are enough.
func (m cumulated) first() claim.Finding {
	return claim.FirstFinding(claim.ConditionsOf(m, func(s cumulatedSize) claim.Condition {
		soon, last := percent(s.soon()), percent(s.last())
		c := claim.Condition{
			Name: fmt.Sprintf("|S| = %d", s.tokens), Verdict: claim.Fails, Converged: true,
			Obtained: fmt.Sprintf("the true lag leads permanently from transition %d on in %.0f %% of sequences, and "+
				"at the last one in %.1f %%", fewTransitions, soon, last),
		}
		switch {
		case soon >= 50:
			c.Verdict = claim.Holds
		case last >= 95:
			c.Verdict, c.Reason = claim.Differs, claim.Size
		}
		return c
	}))
}

// first is the first rule of I19.
func (m circuitry) first() claim.Finding {
	conditions := []claim.Condition{m.firstRests()}
	return claim.FirstFinding(append(conditions, claim.ConditionsOf(m.cells, followedCell.firstCondition)...))
}

// firstRests judges one model, by any of the observers.
func (m circuitry) firstRests() claim.Condition {
	c := claim.Condition{Name: m.printed.Name, Obtained: "no model"}
	if len(m.printed.Models) == 0 {
		return c.Judged(claim.NotTrained)
	}
	of := m.printed.Models[0].Found
	above, windows := of.end().above, of.windows
	c.Verdict, c.Obtained = claim.Fails, fmt.Sprintf("%.3f nats, like none of the observers", above)
	like := func(window float64) bool { return math.Abs(above-window) <= restsWithin*window }
	if at := slices.IndexFunc(windows, like); at >= 0 {
		c.Verdict = claim.Holds
		c.Obtained = fmt.Sprintf("%.3f nats, an observer of the last %d transitions %.3f", above, at, windows[at])
	} else if above < windows[len(windows)-1] {
		c.Verdict, c.Reason, c.Obtained = claim.Open, claim.Power, fmt.Sprintf("%.3f nats, below all observers", above)
	}
	return c.Judged("")
}

// firstCondition judges the order in which attention rises. The first layer's difference
// has a sign.
func (f followedCell) firstCondition() claim.Condition {
	g := offPlateau(f.BySeed)
	return g.Judge(func(converged []claim.Seeded[followedModel]) (c claim.Condition) {
		k := 0
		for _, m := range converged {
			looks, selects := m.Found.halfway(moment.looks), m.Found.halfway(moment.selects)
			if at := m.Found.halfway(moment.signed); looks >= 0 && looks <= at && at <= selects {
				k++
			}
		}
		c.Obtained = fmt.Sprintf("%d of %d models in this order", k, len(converged))
		c.Verdict, c.Reason = claim.AllOrNone(k, len(converged))
		return c
	})
}

// signed is [moment.extracts] with its sign.
func (m moment) signed() float64 {
	further := make([]int, len(m.lags))
	for i, lag := range m.lags {
		further[i] = lag + 1
	}
	return tellsApart(m.sees.onLags(0, further))
}

// first is the first rule of I21: it judges models with layer norm, too.
func (m causes) first() claim.Finding {
	return claim.FirstFinding([]claim.Condition{m.implemented("standard transformers", asStated, normalised)})
}
