package signals

import (
	"fmt"
	"slices"

	"foretell/claim"
)

// This file has the rules as first committed, of rows whose rule was changed after a
// result was known.

// first is the first rule of S1.
func (m generated) first() claim.Finding {
	conditions := []claim.Condition{m.sine.condition(), m.glass.recurrence(), m.glass.regimes(), m.glass.window()}
	return claim.FirstFinding(append(conditions, claim.ConditionsOf(m.symbolic, symbolicFound.condition)...))
}

// first is the first rule of S3: it has no guess, and fails if the gaps have another
// order.
func (m mainResults) first() claim.Finding {
	var conditions []claim.Condition
	for _, c := range m {
		if c.signal == sine {
			conditions = append(conditions, c.all())
		} else {
			conditions = append(conditions, c.ordered())
		}
	}
	gaps := m.gaps(conditions)
	if gaps.Verdict == claim.Differs {
		gaps.Verdict, gaps.Reason = claim.Fails, ""
	}
	return claim.FirstFinding(append(conditions, gaps))
}

// first is the first rule of S4: it has one bound for a plateau on all signals.
func (m sweep) first() claim.Finding {
	return claim.FirstFinding(claim.ConditionsOf(m, func(s byDepth) claim.Condition {
		return s.condition(s.flat)
	}))
}

// flat says that no depth is above the bound for brackets. It says nothing about a single
// depth of other signals: routing fails if five layers are far above three.
func (s byDepth) flat(list ...int) string {
	if slices.Max(s.end[:]) > nearRandom || s.signal == routing && len(list) == 1 {
		return ""
	}
	return fmt.Sprintf("no depth is above %.1f %%: all may be on a plateau", 100*nearRandom)
}

// first is the first rule of S5.
func (m trades) first() claim.Finding {
	exchanged, steered := claim.ConditionsOf(m, trade.firstExchanged), claim.ConditionsOf(m, trade.firstSteered)
	return claim.FirstFinding(append(exchanged, steered...))
}

// firstExchanged has no guess, and fails if the GPT's global accuracy is never lower.
func (t trade) firstExchanged() claim.Condition {
	of, with, now := t.weighted[2], t.weighted[1], t.exchanged()
	c := claim.Condition{Name: now.Name, Verdict: claim.Fails, Obtained: now.Obtained, Effect: now.Effect}
	lower := with.global-of.global > noise(with.global, of.global, of.windows)
	higher := of.conditional-with.conditional > noise(with.conditional, of.conditional, of.windows)
	switch {
	case !higher:
		return c.Judged("the GPT's conditional accuracy is not above the MLP's, and the GPT may be on a plateau")
	case lower:
		c.Verdict = claim.Holds
	case t.lowerAt() > 0:
		c.Verdict, c.Reason = claim.Differs, claim.Untrained
	}
	return c.Judged("")
}

// firstSteered has no guess.
func (t trade) firstSteered() claim.Condition {
	now := t.steered()
	c := claim.Condition{Name: now.Name, Verdict: claim.Holds, Obtained: now.Obtained, Effect: now.Effect}
	with, without := t.weighted[2].conditional, t.even[2].conditional
	switch bound := noise(with, without, t.weighted[2].windows); {
	case without-with > bound:
		c.Verdict = claim.Fails
	case with-without <= bound:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c.Judged("")
}

// first is the first rule of S6.
func (m curves) first() claim.Finding {
	conditions := m.judge().Conditions
	for _, s := range m.signals {
		if s.signal != brackets {
			continue
		}
		slow := s.firstSlow()
		slow.name = s.title + ", " + slow.name
		at := slices.IndexFunc(conditions, func(c claim.Condition) bool { return c.Name == slow.name })
		conditions[at] = slow.condition()
	}
	return claim.FirstFinding(conditions)
}

// firstSlow fails if the GPT is not slow at first, whatever more steps would do.
func (s signalCurves) firstSlow() sentence {
	const early = 0.1
	found := s.slowThenLowest()
	found.differs = ""
	if s.of[2].at(early) < max(s.of[0].at(early), s.of[1].at(early))-moves {
		found.why = ""
	}
	return found
}

// first is the first rule of S7.
func (m windowed) first() claim.Finding {
	return claim.FirstFinding([]claim.Condition{
		m.impossible(), m.byHeart(), m.ofTransformers(), m.onePeriod(), m.needsPeriod(),
	})
}

// first is the first rule of S8.
func (m workedThrough) first() claim.Finding {
	left, misprints := 0.0, 0
	for _, f := range m.formulas {
		left = larger(left, f.left)
		if !f.correct() {
			misprints++
		}
	}
	found := claim.Finding{
		Verdict:  claim.Holds,
		Obtained: fmt.Sprintf("%d of %d printed formulas are wrong", misprints, len(m.formulas)),
	}
	switch {
	case !(left <= exact):
		found.Verdict = claim.Fails
	case misprints > 0:
		found.Verdict = claim.Corrected
	}
	return found
}

// first is the first rule of S10: events are compared with Lloyd–Max alone.
func (m quantised) first() claim.Finding {
	few, rate := m.eventGain(stepSource)
	many, _ := m.eventGain(gaussianSource)
	events := stated("events", few > 1 && many <= 1, "Lloyd–Max has %.3g times the distortion of events at %.2f bits "+
		"a sample on the step signal, and at most %.3g times on independent samples", few, rate, many)
	return claim.FirstFinding([]claim.Condition{m.asDefined(), events})
}

// eventGain returns the largest ratio of Lloyd–Max's distortion and an event code's on a
// source, and the event code's rate. Lloyd–Max is taken at the lowest of its rates that
// has as many bits. The ratio is 0 if there is no such rate.
func (m quantised) eventGain(source string) (gain, rate float64) {
	scalars := m.curve(source, lloydMaxCoder)
	for _, curve := range m.events {
		if curve.source != source {
			continue
		}
		for _, p := range curve.points {
			at := slices.IndexFunc(scalars, func(s ratePoint) bool { return s.rate >= p.rate })
			if at >= 0 && scalars[at].distortion/p.distortion > gain {
				gain, rate = scalars[at].distortion/p.distortion, p.rate
			}
		}
	}
	return gain, rate
}

// first is the first rule of S13: it judges the evaluations of the training run, where
// the recording of Mackey–Glass is the one trained on.
func (m solutions) first() claim.Finding {
	return claim.FirstFinding(claim.ConditionsOf(m.signals, func(s solution) claim.Condition {
		last := func(l learning) float64 { return l.share[len(l.share)-1] }
		c, _ := s.models.Each("share of the greatest accuracy", "", last,
			func(l learning) bool { return last(l) >= ofCeiling })
		if c.Effect != nil {
			c.Obtained = fmt.Sprintf("the worst seed reaches %.1f %%", 100*slices.Min(s.models.Values(last)))
		}
		return c
	}))
}
