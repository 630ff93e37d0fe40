package mess3

import (
	"math"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestWarpingRule(t *testing.T) {
	of := func(list ...exactWarp) (m warps) {
		for i, e := range list {
			e.Source, e.nearest = sources[i], 0.1
			m.exact = append(m.exact, e)
		}
		return m
	}
	warped := func(torn, folded float64) exactWarp { return exactWarp{warp: warp{torn, folded}} }
	good, shared := warped(0.01, 0.02), exactWarp{pairs: 1}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, warps.judge, verdicts, []claimtest.Case[warps]{
		{Name: "neighbours stay", M: of(good, good), Want: claim.Holds},
		{Name: "at the limit", M: of(warped(mostTorn, mostTorn)), Want: claim.Holds},
		{Name: "torn", M: of(warped(1.01*mostTorn, 0)), Want: claim.Differs},
		{Name: "folded", M: of(warped(0, 1.01*mostTorn)), Want: claim.Differs},
		{Name: "both", M: of(warped(1.01*mostTorn, 1.01*mostTorn)), Want: claim.Fails},
		{Name: "two sequences share a point", M: of(shared, shared), Want: claim.Fails},
		{Name: "in one process", M: of(shared, good), Want: claim.Differs},
	})
	yes, no := of(good, good).injective().Answer, of(good, shared).injective().Answer
	if yes != claim.Yes || no != claim.No {
		t.Errorf("one-to-one: %s, %s", yes, no)
	}
}

// Neighbours on a line stay so where it is bent, and not where it is torn in two and
// interleaved.
func TestApart(t *testing.T) {
	const n = 200
	var line, bent, interleaved [][]float64
	for i := range n {
		x := float64(i) / n
		line = append(line, []float64{x, 0})
		bent = append(bent, []float64{math.Cos(3 * x), math.Sin(3 * x)})
		interleaved = append(interleaved, []float64{float64(i * 77 % n), 0})
	}
	prob := slices.Repeat([]float64{0.1}, n)
	if got := apart(line, bent, prob); got > 0.001 {
		t.Errorf("bent: %g", got)
	}
	if got := apart(line, interleaved, prob); got < 0.5 {
		t.Errorf("interleaved: %g", got)
	}
}

// Two words that share a point of the first geometry alone are counted, and the nearest
// that are far apart in the second.
func TestExactWarp(t *testing.T) {
	var e exactWarp
	shared := [][]float64{{0, 0}, {0, 0}, {1, 0}, {3, 0}}
	e.compare(shared, [][]float64{{0, 0}, {5, 0}, {1, 0}, {0, 0}}, []float64{1, 1, 1, 1})
	if e.pairs != 1 || e.nearest != 0 {
		t.Errorf("%d pairs, the nearest %g apart", e.pairs, e.nearest)
	}
	e = exactWarp{}
	e.compare([][]float64{{0, 0}, {1, 0}, {3, 0}}, [][]float64{{0, 0}, {0.1, 0}, {9, 0}}, []float64{1, 1, 1})
	if e.pairs != 0 || e.nearest != 2 {
		t.Errorf("%d pairs, the nearest %g apart", e.pairs, e.nearest)
	}
}

// Rare sequences count less: here the neighbours that part are rare.
func TestApartByProbability(t *testing.T) {
	first, second := [][]float64{{0}, {1}, {10}, {11}}, [][]float64{{0}, {1}, {10}, {20}}
	rare := apart(first, second, []float64{0.4, 0.4, 0.1, 0.1})
	often := apart(first, second, []float64{0.1, 0.1, 0.4, 0.4})
	// Σ p·d² over neighbours, and the mean of d² over pairs: 1·0.8 + 100·0.2, and the like.
	pairs := 0.32*1 + 0.08*(100+400+81+361) + 0.02*100
	wantNear(t, "rare", rare, 20.8/(pairs/(1-0.34)))
	if often < rare {
		t.Errorf("%v if they are frequent, %v if rare", often, rare)
	}
}
