package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

// crowdsOf are the residuals of Eq. 13 with one head, and in the worst of many.
func crowdsOf(one, many float64) crowdPair {
	return crowdPair{headCrowd{left: []float64{0.01, one}}, headCrowd{left: []float64{0.01, many}}}
}

func TestManyHeadsRule(t *testing.T) {
	pairs := func(one, many [3]float64, manyRandom float64, why ...string) (m headCrowds) {
		m.Name, m.Fewest = "pairs", fewestConverged
		for i := range one {
			p := claim.Seeded[crowdPair]{
				Found: crowdsOf(one[i], many[i]), Random: crowdsOf(0.9, manyRandom),
			}
			if i < len(why) {
				p.Unconverged = why[i]
			}
			m.Models = append(m.Models, p)
		}
		return m
	}
	low, high := [3]float64{0.1, 0.101, 0.102}, [3]float64{0.5, 0.501, 0.502}
	verdicts := []claim.Verdict{claim.Holds, claim.Fails, claim.Open}
	claimtest.Rule(t, headCrowds.judge, verdicts, []claimtest.Case[headCrowds]{
		{Name: "as stated", M: pairs(low, high, 0.9), Want: claim.Holds},
		{Name: "the other way", M: pairs(high, low, 0.9), Want: claim.Fails},
		{Name: "lost in noise", M: pairs(low, [3]float64{0.5, 0.02, 0.102}, 0.9), Want: claim.Open},
		{Name: "one pair has converged", M: pairs(low, high, 0.9, "early", "early"), Want: claim.Open},
		{Name: "two pairs have", M: pairs(low, [3]float64{0.5, 0.501, 0.5021}, 0.9, "early"), Want: claim.Holds},
		{Name: "untrained heads as well", M: pairs(low, high, 1.3), Want: claim.Open},
		{Name: "no model", M: headCrowds{claim.BySeed[crowdPair]{Name: "pairs"}}, Want: claim.Open},
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
