package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

func TestAttentionDecayRule(t *testing.T) {
	model := func(off, spread float64) decay { return decay{main: true, off: off, spread: spread} }
	good, other := model(0.01, 0.05), decay{off: 1, spread: 1}
	of := func(models ...decay) decays { return decays{models: models} }
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, decays.judge, verdicts, []claimtest.Case[decays]{
		{Name: "as stated", M: of(good, model(0.02, 0.1)), Want: claim.Holds},
		{Name: "the other normalisation does not count", M: of(good, other), Want: claim.Holds},
		{Name: "at each threshold", M: of(model(0.1, 0.2)), Want: claim.Holds},
		{Name: "another slope", M: of(good, model(0.11, 0)), Want: claim.Differs},
		{Name: "words matter", M: of(good, model(0, 0.21)), Want: claim.Differs},
		{Name: "at the far threshold", M: of(model(0.3, 9)), Want: claim.Differs},
		{Name: "quite another slope", M: of(good, model(0.31, 0)), Want: claim.Fails},
	})
}

// exponential is a pattern that Eq. 13 describes exactly: A[d+1][s] = ζ·A[d][s]
// for d > s. What a row lacks to 1 is on the diagonal.
func exponential(T int, zeta, first float64) probe.Pattern {
	p := probe.Pattern{T: T, Mean: make([]float64, T*T), SD: make([]float64, T*T)}
	for d := range T {
		rest := 1.0
		for s := range d {
			p.Mean[d*T+s] = first / float64(s+2) * math.Pow(zeta, float64(d-s-1))
			rest -= p.Mean[d*T+s]
		}
		p.Mean[d*T+d] = rest
	}
	return p
}

func TestErrorOfEq13(t *testing.T) {
	for _, zeta := range []float64{0.55, -0.5, 0.1} {
		p := exponential(6, zeta, 0.4)
		if got := errorOfEq13(p, zeta); got > 1e-16 {
			t.Errorf("ζ = %v: error %v of an exact pattern", zeta, got)
		}
		// One of the ten pairs d > s+1 of six positions.
		p.Mean[4*6+1] += 0.03
		wantNear(t, "the error of one pair, of ten", errorOfEq13(p, zeta), 0.003)
	}
	wantNear(t, "slope", probe.FitDecay(exponential(6, 0.55, 0.4).Mean, 6).Slope, math.Log(0.55))
}

func TestRelativeSpread(t *testing.T) {
	p := exponential(5, 0.55, 0.4)
	if got := relativeSpread(p); got != 0 {
		t.Errorf("spread %v without any", got)
	}
	for d := range p.T {
		for s := range p.T {
			p.SD[d*p.T+s] = 0.1 * p.Mean[d*p.T+s]
		}
		p.SD[d*p.T+d] = 5 // the diagonal does not count
	}
	wantNear(t, "a tenth of each", relativeSpread(p), 0.1)
}
