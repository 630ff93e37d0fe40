package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestWarpingRule(t *testing.T) {
	of := func(pairs ...int) (m warps) {
		for i, n := range pairs {
			m.exact = append(m.exact, exactWarp{Source: sources[i], pairs: n, nearest: 0.1})
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Fails, claim.Open}
	claimtest.Rule(t, warps.judge, verdicts, []claimtest.Case[warps]{
		{Name: "no two words share a point", M: of(0, 0), Want: claim.Open},
		{Name: "two do", M: of(1, 0), Want: claim.Fails},
	})
	if yes, no := of(0, 0).injective().Answer, of(0, 1).injective().Answer; yes != claim.Yes || no != claim.No {
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
	if got := apart(line, bent); got > 0.02 {
		t.Errorf("bent: %g", got)
	}
	if got := apart(line, interleaved); got < 0.5 {
		t.Errorf("interleaved: %g", got)
	}
}

// Two words that share a point of the first geometry alone are counted, and the nearest
// that are far apart in the second.
func TestExactWarp(t *testing.T) {
	var e exactWarp
	e.compare([][]float64{{0, 0}, {0, 0}, {1, 0}, {3, 0}}, [][]float64{{0, 0}, {5, 0}, {1, 0}, {0, 0}})
	if e.pairs != 1 || e.nearest != 0 {
		t.Errorf("%d pairs, the nearest %g apart", e.pairs, e.nearest)
	}
	e = exactWarp{}
	e.compare([][]float64{{0, 0}, {1, 0}, {3, 0}}, [][]float64{{0, 0}, {0.1, 0}, {9, 0}})
	if e.pairs != 0 || e.nearest != 2 {
		t.Errorf("%d pairs, the nearest %g apart", e.pairs, e.nearest)
	}
}
