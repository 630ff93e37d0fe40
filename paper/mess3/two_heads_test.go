package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// pairOf is a pair of heads with the median cosine of their OV vectors, and the decay and
// values of the combined pattern.
func pairOf(cosine, falls float64, byLag ...float64) headPair {
	return headPair{
		zeta: -0.5, cosines: []float64{-1, cosine, 1}, falls: falls, byLag: byLag, relative: 0.1,
		heads: [2]ovHead{{even: 0.9}, {even: 0.1}},
	}
}

func TestTwoHeadsRule(t *testing.T) {
	pair := pairOf
	good := func(falls float64) headPair { return pair(-0.95, falls, -0.5, 0.25, -0.125, 0.06, 1) }
	random := pair(-0.2, 0.9, 0.1, 0.1, 0.1, 0.1)
	never := func(falls float64) headPair { return pair(-0.95, falls, -0.5, -0.25, -0.1, -0.1) }
	hardly := func(falls float64) headPair { return pair(-0.89, falls, -0.5, 0.25, -0.125, 0.06) }
	of := func(list ...headPair) replicates[headPair] {
		g := seedsOf(random, list...)
		g.Source = trained.Mess3(0.5, 0.6)
		return g
	}
	untrained := seedsOf(good(0.5), good(0.5), good(0.51))
	untrained.Source = trained.Mess3(0.5, 0.6)
	rule := func(g replicates[headPair]) claim.Finding {
		return headPairs{conditions: []replicates[headPair]{g}}.judge()
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[headPair]]{
		{Name: "as stated", M: of(good(0.5), good(0.51), good(0.49)), Want: claim.Holds},
		{Name: "faster", M: of(good(0.4), good(0.41), good(0.39)), Want: claim.Differs},
		{Name: "one does not alternate", M: of(good(0.5), good(0.51), never(0.49)), Want: claim.Differs},
		{Name: "none alternates", M: of(never(0.5), never(0.51), never(0.49)), Want: claim.Fails},
		{Name: "hardly opposed", M: of(hardly(0.5), hardly(0.51), hardly(0.49)), Want: claim.Fails},
		{Name: "too few to tell", M: of(good(0.4), good(0.7)), Want: claim.Open},
		{Name: "untrained as well", M: untrained, Want: claim.Open},
		{Name: "on a plateau", M: of(good(0.5), good(0.51), good(0.49)).unconverged(2), Want: claim.Open},
	})
}

// One head at even lags and one at odd ones, with opposed scales, make ζⁿ exactly.
func TestCombine(t *testing.T) {
	const T, zeta = 6, -0.5
	h := headPair{zeta: zeta}
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
	wantNear(t, "the decay", h.falls, 0.5)
	if !h.alternates() {
		t.Errorf("%v does not alternate", h.byLag)
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
