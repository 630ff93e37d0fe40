package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestSecondHeadRule(t *testing.T) {
	found := func(positive, negative [2][]float64, half float64) headNeeds {
		return headNeeds{limitsOf(positive, negative, half)}
	}
	same, apart := [2][]float64{{5e-7, 6e-7}, {5e-7, 4e-7}}, [2][]float64{{1.5e-4, 1.4e-4}, {4e-6, 5e-6}}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, headNeeds.judge, verdicts, []claimtest.Case[headNeeds]{
		{Name: "as stated", M: found(same, apart, 1.1), Want: claim.Holds},
		{Name: "one head still falls", M: found(same, apart, 1.5), Want: claim.Open},
		{Name: "no head helps", M: found(same, same, 1.1), Want: claim.Differs},
		{Name: "a head helps everywhere", M: found(apart, apart, 1.1), Want: claim.Differs},
		{Name: "a head helps where it should not", M: found(apart, same, 1.1), Want: claim.Fails},
	})
}
