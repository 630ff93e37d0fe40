package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// singleOf is off Eq. 10 by a share of the correction, and its attention to the first
// source falls by a factor λ.
func singleOf(off, lambda float64) single {
	return single{own: []float64{off, off}, first: []float64{0.4, 0.4 * lambda, 0.4 * lambda * lambda}, near: off}
}

func TestSinglePositionsRule(t *testing.T) {
	zeta := figure2.Zeta()
	of := func(random single, models ...single) singles { return singles{seedsOf(random, models...)} }
	untrained := singleOf(0.9, 1)
	three := func(off, lambda float64) singles {
		return of(untrained, singleOf(off, lambda), singleOf(off+0.01, lambda+0.01), singleOf(off-0.01, lambda-0.01))
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, singles.judge, verdicts, []claimtest.Case[singles]{
		{Name: "as derived", M: three(0.1, zeta), Want: claim.Holds},
		{Name: "Eq. 10 by half", M: three(0.5, zeta), Want: claim.Differs},
		{Name: "falls faster", M: three(0.1, zeta-0.2), Want: claim.Differs},
		{Name: "neither", M: three(1.5, 1.2), Want: claim.Fails},
		{Name: "untrained as well", M: of(singleOf(0.1, zeta), singleOf(0.1, zeta), singleOf(0.11, zeta)), Want: claim.Open},
		{Name: "on a plateau", M: singles{three(0.1, zeta)[0].unconverged(2)}, Want: claim.Open},
	})
	if got := singleOf(0, 0.5).falls(); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("attention that halves falls by %v", got)
	}
}

// Vectors that obey Eq. 10 and 14 are not off, whatever the attention.
func TestOwnError(t *testing.T) {
	const zeta = 0.55
	p := exponential(5, zeta, 0.4)
	for m := 1; m < p.T; m++ {
		correction, own := point{1, -0.5}, p.Mean[(m-1)*p.T+m-1]
		scale := zeta / toNext(p, m)
		v := ovVector{position: m, predicted: point{scale * correction[0], scale * correction[1]}}
		v.measured = v.predicted
		v.embedding = correction.minus(point{own * v.measured[0], own * v.measured[1]})
		if off := v.ownError(p, zeta); off > 1e-12 {
			t.Errorf("position %d is off by %v", m, off)
		}
		v.embedding = v.embedding.plus(correction)
		if off := v.ownError(p, zeta); math.Abs(off-1) > 1e-12 {
			t.Errorf("position %d, with a correction more, is off by %v", m, off)
		}
	}
}
