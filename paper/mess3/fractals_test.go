package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestFractalsRule(t *testing.T) {
	model := func(shift, mid, midFull, final float64) fractal {
		return fractal{midPlane: reads{mid + shift, midFull}, finalPlane: reads{0.9, final + shift}}
	}
	random := model(0, 0.9, 0.91, 0.92)
	of := func(mid, midFull, final float64) replicates[fractal] {
		var models []fractal
		for _, shift := range []float64{0, 0.001, -0.001} {
			models = append(models, model(shift, mid, midFull, final))
		}
		return seedsOf(random, models...)
	}
	rule := func(groups []replicates[fractal]) claim.Finding { return fractals{conditions: groups}.judge() }
	one := func(g ...replicates[fractal]) []replicates[fractal] {
		for i := range g {
			g[i].Name = string(rune('a' + i))
		}
		return g
	}
	good, wrong := of(0.97, 0.9, 0.99), of(0.93, 0.97, 0.99)
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[[]replicates[fractal]]{
		{Name: "as stated", M: one(good, good), Want: claim.Holds},
		{Name: "on a plateau elsewhere", M: one(good, of(0.97, 0.9, 0.99).unconverged(2)), Want: claim.Holds},
		{Name: "not trained elsewhere", M: one(good, seedsOf(random)), Want: claim.Holds},
		{Name: "not in one condition", M: one(good, wrong), Want: claim.Differs},
		{Name: "intermediate nearer to the full beliefs", M: one(wrong), Want: claim.Fails},
		{Name: "final holds less of the beliefs than intermediate", M: one(of(0.97, 0.95, 0.93)), Want: claim.Fails},
		{Name: "intermediate as near to both", M: one(of(0.97, 0.97, 0.99)), Want: claim.Open},
		{Name: "intermediate no better than untrained", M: one(of(0.89, 0.8, 0.99)), Want: claim.Open},
		{Name: "final no better than untrained", M: one(of(0.97, 0.9, 0.92)), Want: claim.Open},
		{Name: "on a plateau", M: one(of(0.97, 0.9, 0.99).unconverged(2)), Want: claim.Open},
	})
}
