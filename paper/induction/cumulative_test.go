package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestCumulativeRule(t *testing.T) {
	of := func(from ...float64) cumulated {
		return cumulated{{tokens: 10, leads: make([]float64, 900), from: from}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, cumulated.judge, verdicts, []claimtest.Case[cumulated]{
		{Name: "soon", M: of(1, fewTransitions), Want: claim.Holds},
		{Name: "late in one", M: of(1, fewTransitions, fewTransitions+1), Want: claim.Differs},
		{Name: "never in one", M: of(1, 2, 901), Want: claim.Differs},
		{Name: "late in most", M: of(1, fewTransitions+1, 400), Want: claim.Fails},
	})
}

func TestRunLeadsForGood(t *testing.T) {
	for _, test := range []struct {
		leads []bool
		want  float64
	}{
		{[]bool{true, true, true}, 1},
		{[]bool{true, false, true}, 3},
		{[]bool{true, true, false}, 4},
		{[]bool{false, true, true}, 2},
	} {
		if got := (lead{leads: test.leads}).from(); got != test.want {
			t.Errorf("%v: %v, want %v", test.leads, got, test.want)
		}
	}
}
