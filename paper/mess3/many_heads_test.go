package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

func TestManyHeadsRule(t *testing.T) {
	group := func(left float64, why ...string) (list []headCrowd) {
		for i := range 3 {
			h := headCrowd{left: []float64{0.01, left + 0.001*float64(i)}, random: []float64{0.9}}
			if i < len(why) {
				h.unconverged = why[i]
			}
			list = append(list, h)
		}
		return list
	}
	noisy := group(0.1)
	noisy[0].left, noisy[1].left = []float64{0.5}, []float64{0.02}
	spread := group(0.5) // random initialisations that are as far from one head's
	for i := range spread {
		spread[i].random = []float64{1.4}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Fails, claim.Open}
	claimtest.Rule(t, headCrowds.judge, verdicts, []claimtest.Case[headCrowds]{
		{Name: "as stated", M: headCrowds{one: group(0.1), many: group(0.5)}, Want: claim.Holds},
		{Name: "the other way", M: headCrowds{one: group(0.5), many: group(0.1)}, Want: claim.Fails},
		{Name: "lost in noise", M: headCrowds{one: group(0.1), many: noisy}, Want: claim.Open},
		{Name: "one pair has converged", M: headCrowds{one: group(0.1), many: group(0.5, "early", "early")}, Want: claim.Open},
		{Name: "two pairs have", M: headCrowds{one: group(0.1), many: []headCrowd{
			group(0.5, "early")[0], {left: []float64{0.501}, random: []float64{0.9}}, {left: []float64{0.5021}, random: []float64{0.9}},
		}}, Want: claim.Holds},
		{Name: "untrained heads as well", M: headCrowds{one: group(0.1), many: spread}, Want: claim.Open},
		{Name: "no model", M: headCrowds{}, Want: claim.Open},
	})
}

// An exponential of the right rate is left nothing of, whatever the factors; another is.
func TestLeftOfEq13(t *testing.T) {
	const T = 8
	pattern := func(lambda float64) probe.Pattern {
		p := probe.Pattern{T: T, Mean: make([]float64, T*T)}
		eachPair(T, func(d, src int) { p.Mean[d*T+src] = math.Pow(lambda, float64(d-src)) / float64(src+1) })
		return p
	}
	if left := leftOfEq13(pattern(0.55), 0.55); left > 1e-7 {
		t.Errorf("%g is left of itself", left)
	}
	if near, far := leftOfEq13(pattern(0.5), 0.55), leftOfEq13(pattern(0.2), 0.55); !(near > 0.01 && far > 2*near) {
		t.Errorf("%g and %g are left of other rates", near, far)
	}
}
