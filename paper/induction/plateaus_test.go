package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestStepsRule(t *testing.T) {
	of := func(below ...float64) steps {
		m := steps{{name: "nothing", mean: 1}}
		for _, x := range below {
			m = append(m, step{name: "more", mean: 0.5, below: x, se: 0.001})
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Fails, claim.Open}
	claimtest.Rule(t, steps.judge, verdicts, []claimtest.Case[steps]{
		{Name: "each better", M: of(0.1, 0.05), Want: claim.Holds},
		{Name: "one worse", M: of(0.1, -0.05), Want: claim.Fails},
		{Name: "one worse, one alike", M: of(0.001, -0.05), Want: claim.Fails},
		{Name: "alike", M: of(0.1, 0.002), Want: claim.Open},
	})
}
