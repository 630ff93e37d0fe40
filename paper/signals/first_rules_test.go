package signals

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// At first, a GPT that has not learned the guess led as well, and another order of the
// gaps was against the lecture.
func TestFirstRuleOfMainTable(t *testing.T) {
	of := func(guess, gap float64) mainResults {
		all := [3]float64{1, 1, 1}
		m := mainResults{onSignal(sine, all, all)}
		for _, s := range allSignals[1:] {
			lead := map[signal]float64{routing: 0.5, brackets: gap}[s]
			if lead == 0 {
				lead = 0.3
			}
			end := [3]float64{0.05, 0.06, 0.06 + lead}
			c := onSignal(s, end, end)
			c.end[2].guess = guess
			m = append(m, c)
		}
		return m
	}
	claimtest.Rule(t, mainResults.first, []claim.Verdict{claim.Holds, claim.Differs}, []claimtest.Case[mainResults]{
		{Name: "as printed", M: of(0, 0.1), Want: claim.Holds},
		{Name: "all at the guess", M: of(0.9, 0.1), Want: claim.Holds},
		{Name: "another order of the gaps", M: of(0, 0.4), Want: claim.Differs},
	})
	if now := of(0.9, 0.1).judge().Verdict; now != claim.Holds && now != claim.Open {
		t.Errorf("now %s, want it open or held by the sine", now)
	}
}

// At first, one bound on plateaus was for all signals.
func TestFirstRuleOfDepth(t *testing.T) {
	of := func(s signal, end ...float64) byDepth {
		return byDepth{signal: s, end: [3]float64(end), half: [3]float64(end), guess: 0.283, windows: 10_000}
	}
	for _, c := range []struct {
		of         byDepth
		first, now claim.Verdict
	}{
		{of(routing, 0.346, 0.331, 0.321), claim.Holds, claim.Holds},
		{of(routing, 0.285, 0.284, 0.283), claim.Holds, claim.Open},
		{of(routing, 0.1, 0.1, 0.1), claim.Open, claim.Open},
		{of(routing, 0.02, 0.02, 0.1), claim.Fails, claim.Open},
		{of(brackets, 0.04, 0.04, 0.05), claim.Open, claim.Open},
		{of(switching, 0.5, 0.5, 0.5), claim.Fails, claim.Fails},
		{of(switching, 0.1, 0.1, 0.1), claim.Open, claim.Open},
	} {
		m := sweep{c.of}
		if first, now := m.first().Verdict, m.judge().Verdict; first != c.first || now != c.now {
			t.Errorf("%s %v: %s at first and %s now, want %s and %s", c.of.name, c.of.end, first, now, c.first, c.now)
		}
	}
}

// At first, events had to be better than Lloyd–Max alone.
func TestFirstRuleOfQuantisers(t *testing.T) {
	of := func(events, scalar float64) quantised {
		curve := func(source string, x float64) rateCurve {
			return rateCurve{source: source, coder: lloydMaxCoder, points: []ratePoint{{rate: 1, distortion: x}}}
		}
		return quantised{
			curves: []rateCurve{curve(stepSource, scalar), curve(gaussianSource, 0.3)},
			events: []rateCurve{
				{source: stepSource, points: []ratePoint{{rate: 0.9, distortion: events}}},
				{source: gaussianSource, points: []ratePoint{{rate: 2, distortion: 0.01}}},
			},
			uniform: []definition{{ends: true, furthest: 1}},
		}
	}
	claimtest.Rule(t, quantised.first, []claim.Verdict{claim.Holds, claim.Differs}, []claimtest.Case[quantised]{
		{Name: "fewer distortions than Lloyd–Max", M: of(0.1, 0.2), Want: claim.Holds},
		{Name: "more", M: of(0.3, 0.2), Want: claim.Differs},
	})
}

// At first, the recording that was trained on counted.
func TestFirstRuleOfSolutions(t *testing.T) {
	m := ended([]float64{0.7, 0.7})
	for i := range m.signals {
		for j := range m.signals[i].models.Models {
			m.signals[i].models.Models[j].Found.share = []float64{0, 0.995}
		}
	}
	if first, now := m.first().Verdict, m.judge().Verdict; first != claim.Holds && first != claim.Open || now == claim.Holds {
		t.Errorf("%s at first and %s now", first, now)
	}
	held := func(c claim.Condition) bool { return c.Verdict == claim.Holds }
	if !slices.ContainsFunc(m.first().Conditions, held) {
		t.Error("no condition held at first")
	}
}
