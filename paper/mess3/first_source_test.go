package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

func TestFirstSourceRule(t *testing.T) {
	even := nextAndLengths{next: []float64{0.5, 0.33, 0.25}, lengths: []float64{1, 1.1, 0.9}}
	of := func(random nextAndLengths, next, length float64, why ...string) firstSources {
		g := newReplicates[nextAndLengths](trained.Condition{Source: oneHeadSources[0]})
		reasons := make([]string, 3)
		copy(reasons, why)
		for seed, reason := range reasons {
			shift := 0.001 * float64(seed)
			g.Models = append(g.Models, claim.Seeded[nextAndLengths]{
				Seed: seed + 1, Unconverged: reason, Random: random,
				Found: nextAndLengths{next: []float64{next + shift, 0.5, 0.49}, lengths: []float64{length + shift, 1, 1.02}},
			})
		}
		return firstSources{g}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, firstSources.judge, verdicts, []claimtest.Case[firstSources]{
		{Name: "as stated", M: of(even, 0.7, 0.6), Want: claim.Holds},
		{Name: "apart, but by less than the range of the others", M: of(even, 0.505, 0.6), Want: claim.Differs},
		{Name: "as large as the range, give or take", M: of(even, 0.509, 0.6), Want: claim.Open},
		{Name: "attention alone", M: of(even, 0.7, 1.1), Want: claim.Open},
		{Name: "length alone", M: of(even, 0.4, 0.6), Want: claim.Open},
		{Name: "neither", M: of(even, 0.4, 1.1), Want: claim.Fails},
		{Name: "so is a random initialisation", M: of(nextAndLengths{
			next: []float64{0.5, 0.3, 0.31}, lengths: []float64{0.5, 1, 0.99},
		}, 0.7, 0.6), Want: claim.Open},
		{Name: "two have not converged", M: of(even, 0.7, 0.6, "early", "early"), Want: claim.Open},
	})
}
