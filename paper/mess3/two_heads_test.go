package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

func TestTwoHeadsRule(t *testing.T) {
	pair := func(cosine, off, positive, negative float64) headPair {
		return headPair{
			main: true, cosines: []float64{-1, cosine, 1}, relative: off,
			heads: [2]ovHead{{even: positive}, {even: negative}},
		}
	}
	of := func(models ...headPair) headPairs { return headPairs{models: models} }
	other := pair(1, 9, 0, 1)
	other.main = false
	good := pair(-0.95, 0.1, 0.9, 0.1)
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, headPairs.judge, verdicts, []claimtest.Case[headPairs]{
		{Name: "as stated", M: of(good, good), Want: claim.Holds},
		{Name: "the other normalisation does not count", M: of(good, other), Want: claim.Holds},
		{Name: "at each threshold", M: of(pair(-0.9, 0.2, 0.75, 0.25)), Want: claim.Holds},
		{Name: "hardly opposed", M: of(pair(-0.89, 0.1, 0.9, 0.1)), Want: claim.Differs},
		{Name: "combined a little off", M: of(pair(-1, 0.21, 0.9, 0.1)), Want: claim.Differs},
		{Name: "positive head at odd lags", M: of(pair(-1, 0.1, 0.74, 0.1)), Want: claim.Differs},
		{Name: "negative head at even lags", M: of(pair(-1, 0.1, 0.9, 0.26)), Want: claim.Differs},
		{Name: "combined at the far threshold", M: of(pair(1, 0.4, 0, 1)), Want: claim.Differs},
		{Name: "combined far off", M: of(pair(-1, 0.41, 0.9, 0.1)), Want: claim.Fails},
		{Name: "one of two", M: of(good, pair(-1, 0.5, 0.9, 0.1)), Want: claim.Fails},
	})
}

// One head at even lags and one at odd ones, with opposed scales, make ζⁿ exactly.
func TestCombine(t *testing.T) {
	const T, zeta = 6, -0.5
	h := headPair{Condition: trained.Condition{Source: trained.Mess3(0.5, 0.6)}}
	for i := range h.heads {
		h.heads[i] = ovHead{pattern: probe.Pattern{T: T, Mean: make([]float64, T*T)}, scale: make([]float64, T)}
		for s := range h.heads[i].scale {
			h.heads[i].scale[s] = float64(1 - 2*i)
		}
	}
	eachPair(T, func(d, s int) {
		h.heads[(d-s)%2].pattern.Mean[d*T+s] = math.Pow(-zeta, float64(d-s))
	})
	h.combine()
	if h.relative > 1e-15 {
		t.Errorf("the combined pattern is off by %v", h.relative)
	}
	if even, odd := evenShare(h.heads[0].pattern), evenShare(h.heads[1].pattern); even != 1 || odd != 0 {
		t.Errorf("shares of even lags %v and %v", even, odd)
	}
	h.heads[1].scale = make([]float64, T) // without the negative head
	h.combine()
	if h.relative < 0.5 {
		t.Errorf("one head alone is off by %v", h.relative)
	}
}
