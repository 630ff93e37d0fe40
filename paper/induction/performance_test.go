package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// panelOf is a panel of three lags whose construction is so far above ML, with two models
// of three heads so far from it at the end, and one of one head by so much below it.
func panelOf(aboveML, atEnd, below float64) panel {
	model := panelModel{atEnd: atEnd, aboveAtEnd: atEnd, difference: -below, se: 0.001}
	return panel{
		task: example, written: []panelWritten{{heads: 1, aboveML: aboveML}, {heads: 3, aboveML: aboveML}},
		trained: []panelTrained{
			{cell: cell{example, "1,1,1", false}, heads: 1, BySeed: converged(model)},
			{cell: cell{example, "1,3,1", false}, heads: 3, BySeed: converged(model, model)},
		},
	}
}

// twoLagsOf is a panel of two lags, with a model whose divergence at first is early where
// that of ML is 0.01.
func twoLagsOf(aboveML, early float64) panel {
	return panel{
		task: twoApart, written: []panelWritten{{heads: 1, aboveMLFrom: aboveML}},
		trained: []panelTrained{{
			cell: cell{twoApart, "1,1,1", false}, heads: 1, BySeed: converged(panelModel{}),
			early: converged(panelEarly{early, 0.01}),
		}},
	}
}

func TestPerformanceRule(t *testing.T) {
	resting := panelOf(0.001, 0.01, 0.01)
	for i := range resting.trained {
		for j := range resting.trained[i].Models {
			resting.trained[i].Models[j].Unconverged = "rests"
		}
	}
	restingTwo := twoLagsOf(0.001, 0.004)
	unfinished(restingTwo.trained[0].BySeed)
	unfinished(restingTwo.trained[0].early)
	short := panelOf(0.001, 0.01, 0.01)
	short.written[0].aboveML = 0.05
	unseen := panel{task: example, trained: []panelTrained{{cell: cell{example, "1,3,1", true}, heads: 3}}, written: []panelWritten{{heads: 3}}}
	of := func(list ...panel) panels { return panels(list) }
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Open}
	claimtest.Rule(t, panels.judge, verdicts, []claimtest.Case[panels]{
		{Name: "as stated", M: of(panelOf(0.001, 0.01, 0.01), twoLagsOf(0.001, 0.004)), Want: claim.Holds},
		{Name: "the construction falls short", M: of(panelOf(0.03, 0.01, 0.01)), Want: claim.Differs},
		{Name: "the construction with one head falls short", M: of(short), Want: claim.Differs},
		{Name: "trained models fall short", M: of(panelOf(0.001, 0.03, 0.01)), Want: claim.Differs},
		{Name: "one head is no better", M: of(panelOf(0.001, 0.01, 0.002)), Want: claim.Differs},
		{Name: "two lags fall short", M: of(twoLagsOf(0.03, 0.004)), Want: claim.Differs},
		{Name: "like ML at first", M: of(twoLagsOf(0.001, 0.009)), Want: claim.Differs},
		{Name: "on a plateau", M: of(resting, restingTwo), Want: claim.Open}, // constructions alone are judged
		{Name: "not trained", M: of(unseen), Want: claim.Holds},              // one of two
	})
	if c := resting.trained[0].better(); c.Verdict != claim.Open || c.Reason != claim.Untrained {
		t.Errorf("on a plateau: %s, %s", c.Verdict, c.Reason)
	}
	some := panelOf(0, 0.01, 0).trained[1]
	some.Models[1].Found.atEnd = 0.03
	if c := some.matches(); c.Verdict != claim.Open || c.Reason != claim.Power {
		t.Errorf("one of two: %s, %s", c.Verdict, c.Reason)
	}
}

// A curve undercuts another where it is below by more than chance.
func TestUndercuts(t *testing.T) {
	other := curve{2, []float64{1, 1, 1, 1, 1, 1, 1, 1}}
	here := curve{2, []float64{0.5, 0.5, 0.6, 1.5, 0.5, 0.5, 0.6, 1.4}}
	if got := here.undercuts(other); got != 1 {
		t.Errorf("%d positions, want 1", got)
	}
	if got := other.undercuts(other); got != 0 {
		t.Errorf("a curve undercuts itself at %d positions", got)
	}
}
