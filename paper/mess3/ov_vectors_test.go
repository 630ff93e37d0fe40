package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestOVVectorsRule(t *testing.T) {
	model := func(least, middle, exponent float64) mover {
		return mover{cosines: summary{least: least, median: middle}, exponent: exponent, lengths: summary{median: 1}}
	}
	random := model(0.97, 0.985, 0)
	of := func(least, middle float64, exponents ...float64) replicates[mover] {
		var models []mover
		for _, p := range exponents {
			models = append(models, model(least, middle, p))
		}
		return seedsOf(random, models...)
	}
	rule := func(g replicates[mover]) claim.Finding { return movers{g}.judge() }
	untrained := of(0.99, 0.999, 1, 1.1, 0.9)
	for i, m := range untrained.Models {
		untrained.Models[i].Random = m.Found
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[mover]]{
		{Name: "as stated", M: of(0.96, 0.99, 1, 1.1, 0.9), Want: claim.Holds},
		{Name: "nearer to proportional than to none", M: of(0.96, 0.99, 0.7, 0.71, 0.69), Want: claim.Holds},
		{Name: "hardly longer", M: of(0.96, 0.99, 0.3, 0.31, 0.29), Want: claim.Differs},
		{Name: "more than longer", M: of(0.96, 0.99, 1.9, 1.91, 1.89), Want: claim.Differs},
		{Name: "one vector of another direction", M: of(0.94, 0.99, 1, 1.1, 0.9), Want: claim.Differs},
		{Name: "most of another direction", M: of(-1, 0.94, 1, 1.1, 0.9), Want: claim.Fails},
		{Name: "shorter", M: of(0.96, 0.99, -0.3, -0.31, -0.29), Want: claim.Fails},
		{Name: "of no dependence, as far as can be told", M: of(0.96, 0.99, 0.1, -0.05, 0.02), Want: claim.Open},
		{Name: "one model", M: of(0.96, 0.99, 1), Want: claim.Open},
		{Name: "too few to tell", M: of(0.96, 0.99, 0.4, 1.4), Want: claim.Open},
		{Name: "untrained as well", M: untrained, Want: claim.Open},
		{Name: "on a plateau", M: of(0.96, 0.99, 1, 1.1, 0.9).unconverged(3), Want: claim.Open},
	})
}

// Lengths that are a power of what Eq. 14 has have its exponent.
func TestLengthExponent(t *testing.T) {
	for _, p := range []float64{1, 0, 0.4, -1} {
		var vectors []ovVector
		for _, length := range []float64{0.5, 1, 3} {
			vectors = append(vectors, ovVector{measured: point{0, 7 * math.Pow(length, p)}, predicted: point{length, 0}})
		}
		wantNear(t, "the exponent", lengthExponent(vectors), p)
	}
}

func TestLengthsByPosition(t *testing.T) {
	list := lengthsByPosition([]ovVector{
		{position: 1, measured: point{2, 0}, predicted: point{0, 4}, unit: 2},
		{position: 1, measured: point{4, 0}, predicted: point{0, 8}, unit: 2},
		{position: 2, measured: point{1, 0}, predicted: point{0, 1}, unit: 1},
	})
	if len(list) != 2 || list[0] != [2]float64{1.5, 3} || list[1] != [2]float64{1, 1} {
		t.Errorf("%v", list)
	}
}
