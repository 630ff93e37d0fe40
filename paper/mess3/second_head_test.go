package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// needOf are models of two seeds, by the shares of the information that they miss; half
// is the share after half of the steps, relative to that.
func needOf(x float64, one, two [2]float64, half float64) headNeed {
	n := headNeed{Source: trained.Mess3(x, 0.6), information: 1e-3}
	for seed := range one {
		for heads, list := range []*[]limit{&n.one, &n.two} {
			c := trained.Condition{Source: n.Source, Shape: trained.Shape{Layers: 1, Heads: heads + 1}}
			kl := n.information * [2][2]float64{one, two}[heads][seed]
			*list = append(*list, limit{Condition: c, half: half * kl, kl: kl})
		}
	}
	return n
}

func TestSecondHeadRule(t *testing.T) {
	optimal, misses := [2]float64{1e-4, 2e-4}, [2]float64{0.1, 0.2}
	found := func(below, above [2]float64, half float64) headNeeds {
		return headNeeds{needOf(0.42, below, optimal, half), needOf(0.25, above, optimal, half)}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, headNeeds.judge, verdicts, []claimtest.Case[headNeeds]{
		{Name: "as stated", M: found(misses, optimal, 1.1), Want: claim.Holds},
		{Name: "one head is optimal everywhere", M: found(optimal, optimal, 1.1), Want: claim.Differs},
		{Name: "and still falls", M: found(optimal, optimal, 3), Want: claim.Differs},
		{Name: "one head misses something everywhere", M: found(misses, misses, 1.1), Want: claim.Differs},
		{Name: "the other way round", M: found(optimal, misses, 1.1), Want: claim.Fails},
		{Name: "one head still falls", M: found(misses, optimal, 1.5), Want: claim.Open},
		{Name: "one seed is optimal", M: found([2]float64{1e-4, 0.2}, optimal, 1.1), Want: claim.Open},
		{Name: "two heads miss as much", M: headNeeds{needOf(0.42, misses, misses, 1.1)}, Want: claim.Open},
	})
}

// The first rule takes divergences for settled that still fall.
func TestFirstRuleOfSecondHead(t *testing.T) {
	optimal, misses, less := [2]float64{1e-4, 2e-4}, [2]float64{0.1, 0.2}, [2]float64{0.09, 0.08}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, headNeeds.first, verdicts, []claimtest.Case[headNeeds]{
		{Name: "as stated", M: headNeeds{needOf(0.42, misses, optimal, 1.1)}, Want: claim.Holds},
		{Name: "less than twice", M: headNeeds{needOf(0.42, misses, less, 1.1)}, Want: claim.Differs},
		{Name: "equal", M: headNeeds{needOf(0.42, optimal, optimal, 3)}, Want: claim.Fails},
		{Name: "still falls", M: headNeeds{needOf(0.42, misses, optimal, 1.5)}, Want: claim.Open},
	})
}
