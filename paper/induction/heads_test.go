package induction

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestHeadsRule(t *testing.T) {
	of := func(means ...float64) (m headCounts) {
		for i, x := range means {
			m.list = append(m.list, shapedAs(secondLayer(i+1), []float64{x, x + 0.001, x - 0.001}))
		}
		return m
	}
	one := of(0.06, 0.05, 0.04, 0.03, 0.02, 0.02)
	for i := range one.list {
		one.list[i].Models = one.list[i].Models[:1]
	}
	resting := of(0.06, 0.05, 0.04, 0.03, 0.02, 0.02)
	for i := range resting.list {
		for j := range resting.list[i].Models {
			resting.list[i].Models[j].Unconverged = "rests"
		}
	}
	noisy := of(0.02, 0.02, 0.02, 0.02, 0.02, 0.02)
	noisy.list[5] = shapedAs(noisy.list[5].heads, []float64{0.01, 0.02, 0.03})
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, headCounts.judge, verdicts, []claimtest.Case[headCounts]{
		{Name: "as stated", M: of(0.06, 0.05, 0.04, 0.03, 0.02, 0.02), Want: claim.Holds},
		{Name: "worse beyond", M: of(0.06, 0.05, 0.04, 0.03, 0.02, 0.03), Want: claim.Holds},
		{Name: "better beyond", M: of(0.06, 0.05, 0.04, 0.03, 0.02, 0.01), Want: claim.Differs},
		{Name: "worse with more", M: of(0.01, 0.02, 0.03, 0.04, 0.05, 0.02), Want: claim.Fails},
		{Name: "the last alone is decided", M: of(0.02, 0.02, 0.02, 0.02, 0.02, 0.02), Want: claim.Open},
		{Name: "noisy beyond", M: noisy, Want: claim.Open},
		{Name: "one seed", M: one, Want: claim.Open},
		{Name: "on a plateau", M: resting, Want: claim.Open},
	})
	resting.list[1].Models = slices.Clone(resting.list[1].Models)
	for j := range resting.list[1].Models {
		resting.list[1].Models[j].Unconverged = "falls"
	}
	if why := resting.judge().Conditions[0].Unconverged; why != "seed 1: rests; seed 1: falls" {
		t.Errorf("two reasons: %q", why)
	}
}
