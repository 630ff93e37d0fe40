package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

var graduated = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}

// Where a condition has no models, a rule about all conditions can only fail.
func withoutModels[M any](g replicates[M]) []replicates[M] { return []replicates[M]{g, {}} }

func TestFirstRuleOfFractals(t *testing.T) {
	of := func(mid, final float64) replicates[fractal] {
		random := fractal{mid: reads{constrained: 0.9}, final: reads{full: 0.9}}
		return seedsOf(random, fractal{mid: reads{constrained: mid, full: 0.8}, final: reads{full: final}}, fractal{})
	}
	alone := func(g replicates[fractal]) fractals { return fractals{conditions: []replicates[fractal]{g}} }
	claimtest.Rule(t, fractals.first, graduated, []claimtest.Case[fractals]{
		{Name: "as shown, in the first seed", M: alone(of(0.96, 0.995)), Want: claim.Holds},
		{Name: "less", M: alone(of(0.94, 0.995)), Want: claim.Differs},
		{Name: "much less", M: alone(of(0.7, 0.995)), Want: claim.Fails},
		{Name: "a condition without models", M: fractals{conditions: withoutModels(of(0.96, 0.995))}, Want: claim.Open},
		{Name: "much less, without models", M: fractals{conditions: withoutModels(of(0.7, 0.995))}, Want: claim.Fails},
	})
}

func TestFirstRuleOfOVVectors(t *testing.T) {
	of := func(off float64, shared point) movers {
		one := ovVector{measured: point{1, off}, predicted: point{1, 0}, shared: shared}
		other := ovVector{measured: point{-1, off}, predicted: point{-1, 0}}
		return movers{seedsOf(mover{}, mover{vectors: []ovVector{one, other}})}
	}
	claimtest.Rule(t, movers.first, graduated[:3], []claimtest.Case[movers]{
		{Name: "along Eq. 14", M: of(0.01, point{}), Want: claim.Holds},
		{Name: "a mean that all have", M: of(100, point{}), Want: claim.Holds},
		{Name: "one has a part of its own", M: of(0, point{0, 0.8}), Want: claim.Differs},
		{Name: "far off", M: of(0, point{0, 20}), Want: claim.Fails},
	})
}

func TestFirstRuleOfDecay(t *testing.T) {
	of := func(slope, spread float64) decays {
		g := seedsOf(decay{}, decay{slope: slope * math.Log(figure2.Zeta()), spread: spread})
		g.Source = figure2
		return decays{conditions: []replicates[decay]{g}}
	}
	claimtest.Rule(t, decays.first, graduated[:3], []claimtest.Case[decays]{
		{Name: "log ζ", M: of(1.05, 0.1), Want: claim.Holds},
		{Name: "near", M: of(1.2, 0.1), Want: claim.Differs},
		{Name: "tokens decide", M: of(1, 0.5), Want: claim.Differs},
		{Name: "far", M: of(1.5, 0.1), Want: claim.Fails},
	})
}

func TestFirstRuleOfTwoHeads(t *testing.T) {
	of := func(cosine, combined float64) headPairs {
		return headPairs{conditions: []replicates[headPair]{seedsOf(headPair{}, headPair{
			cosines: []float64{cosine}, heads: [2]ovHead{{even: 0.8}, {even: 0.2}},
			combined: []float64{combined, 0}, predicted: []float64{1, 0},
		})}}
	}
	claimtest.Rule(t, headPairs.first, graduated[:3], []claimtest.Case[headPairs]{
		{Name: "as Fig. 3", M: of(-0.95, 0.9), Want: claim.Holds},
		{Name: "not opposed", M: of(0, 0.9), Want: claim.Differs},
		{Name: "another pattern", M: of(-0.95, 0.5), Want: claim.Fails},
	})
}

func TestFirstRuleOfVariance(t *testing.T) {
	of := func(off float64) variances {
		g, v := seedsOf(variance{}, variance{}), variance{}
		for stage := range v {
			for _, share := range printed(sources[0], stage) {
				v[stage].words = append(v[stage].words, share+off)
			}
		}
		g.Source, g.Models[0].Found = sources[0], v
		return variances{g}
	}
	claimtest.Rule(t, variances.first, graduated, []claimtest.Case[variances]{
		{Name: "as printed", M: of(0.04), Want: claim.Holds},
		{Name: "off", M: of(0.06), Want: claim.Differs},
		{Name: "far off", M: of(0.3), Want: claim.Fails},
		{Name: "no models", M: variances{{}}, Want: claim.Open},
	})
}
