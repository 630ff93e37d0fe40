package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// Two layers that have solved nothing and still fall decided nothing at first, either,
// but only if they fall by as much as they are above the bound.
func TestFirstRuleOfDepth(t *testing.T) {
	of := func(half, end float64) depths {
		two := shapedAs("1,1", []float64{end})
		one := two.Models[0].Found
		one.recipe.context, one.halfway, one.trained = 8, make([]float64, 8), make([]float64, 8)
		one.halfway[7], one.trained[7] = half, end
		two.Models[0].Unconverged = one.falling(endIn)
		small := []float64{0.001, 0.001, 0.001}
		return depths{two: []shaped{two}, three: []shaped{shapedAs("1,3,1", small)}, bare: one}
	}
	for name, c := range map[string]struct {
		m          depths
		first, now claim.Verdict // on two layers
	}{
		"at rest":             {of(0.1, 0.1), claim.Holds, claim.Holds},
		"falls by 30 %":       {of(0.13, 0.09), claim.Holds, claim.Open},
		"falls to the bound":  {of(0.13, 0.03), claim.Open, claim.Open},
		"is within the bound": {of(0.13, 0.01), claim.Fails, claim.Fails},
	} {
		if got := c.m.first().Conditions[0].Verdict; got != c.first {
			t.Errorf("%s: the first rule says %s, want %s", name, got, c.first)
		}
		if got := c.m.judge().Conditions[0].Verdict; got != c.now {
			t.Errorf("%s: %s, want %s", name, got, c.now)
		}
	}
}

// Almost every divergence was within 10 % of one of five observers.
func TestFirstRuleOfPlateaus(t *testing.T) {
	of := func(above float64) circuitry {
		m := followedModel{windows: []float64{0.192, 0.15, 0.12, 0.104, 0.077}, at: []moment{{above: above}}}
		return circuitry{printed: claim.BySeed[followedModel]{Name: "printed", Models: []claim.Seeded[followedModel]{{Found: m}}}}
	}
	claimtest.Rule(t, circuitry.first, []claim.Verdict{claim.Holds, claim.Fails, claim.Open}, []claimtest.Case[circuitry]{
		{Name: "an observer's", M: of(0.12), Want: claim.Holds},
		{Name: "between two", M: of(0.135), Want: claim.Holds},
		{Name: "above all", M: of(0.3), Want: claim.Fails},
		{Name: "below all", M: of(0.05), Want: claim.Open},
	})
}

// A model whose divergence still falls had converged at first.
func TestOffPlateau(t *testing.T) {
	g := claim.BySeed[int]{Models: []claim.Seeded[int]{
		{Unconverged: stillFalling + ": 0.1 nats"}, {Unconverged: "0.1 nats above the optimum"}, {},
	}}
	if got := offPlateau(g); len(got.Converged()) != 2 || len(g.Converged()) != 1 {
		t.Errorf("%d models have converged, and %d before, want 2 and 1", len(got.Converged()), len(g.Converged()))
	}
}
