package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// limitsOf are models of two seeds each: what they have reached with one head and with
// two, where ζ is positive and where it is negative, and after half of the steps relative
// to that.
func limitsOf(positive, negative [2][]float64, half float64) limits {
	m := limits{lastTwo: map[trained.Source]float64{limitSources[0]: 3e-4, limitSources[1]: 3e-4}}
	for i, kl := range [][2][]float64{negative, positive} {
		for heads, list := range kl {
			for _, x := range list {
				c := trained.Condition{Source: limitSources[i], Shape: trained.Shape{Layers: 1, Heads: heads + 1}}
				m.heads = append(m.heads, limit{Condition: c, half: half * x, kl: x})
			}
		}
	}
	return m
}

func TestOneLayerLimitRule(t *testing.T) {
	found := limitsOf
	same, apart := [2][]float64{{5e-7, 6e-7}, {5e-7, 4e-7}}, [2][]float64{{1.5e-4, 1.4e-4}, {4e-6, 5e-6}}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, limits.judge, verdicts, []claimtest.Case[limits]{
		{Name: "as stated", M: found(same, apart, 1.1), Want: claim.Holds},
		{Name: "one head still falls", M: found(same, apart, 1.5), Want: claim.Holds},
		{Name: "no head helps", M: found(same, same, 1.1), Want: claim.Differs},
		{Name: "a head helps everywhere", M: found(apart, apart, 1.1), Want: claim.Differs},
		{Name: "a head helps where it should not", M: found(apart, same, 1.1), Want: claim.Fails},
		{Name: "a little", M: found(same, [2][]float64{{1.5e-4, 1.4e-4}, {8e-5, 9e-5}}, 1.1), Want: claim.Differs},
	})
	if q := found(same, apart, 1.1).judge().Asked; len(q) != 1 || q[0].Answer != claim.No {
		t.Errorf("%+v", q)
	}
	still := found(same, apart, 1.5).judge().Conditions[0]
	if still.Verdict != claim.Open {
		t.Errorf("a head that still falls is %s", still.Verdict)
	}
}
