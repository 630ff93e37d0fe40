package mess3

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

func TestAttentionDecayRule(t *testing.T) {
	random := decay{lambda: 0.8, positional: 0.9}
	of := func(lambdas ...float64) replicates[decay] {
		var models []decay
		for _, lambda := range lambdas {
			models = append(models, decay{lambda: lambda, positional: 0.9, spread: 0.1})
		}
		return seedsOf(random, models...)
	}
	tokens := of(0.55, 0.551, 0.549)
	for i := range tokens.Models {
		tokens.Models[i].Found.positional = 0.5
	}
	untrained := seedsOf(decay{lambda: 0.56, positional: 0.9}, of(0.55, 0.551, 0.549).Models[0].Found)
	rule := func(g replicates[decay]) claim.Finding { return decays{conditions: []replicates[decay]{g}}.judge() }
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[decay]]{
		{Name: "as stated", M: of(0.55, 0.56, 0.54, 0.555, 0.545), Want: claim.Holds},
		{Name: "a little off, which does not matter", M: of(0.53, 0.531, 0.529), Want: claim.Holds},
		{Name: "another decay", M: of(0.48, 0.481, 0.479), Want: claim.Differs},
		{Name: "faster in every model", M: of(0.1, 0.2, 0.15), Want: claim.Differs},
		{Name: "no fall", M: of(1, 1.01, 0.99), Want: claim.Fails},
		{Name: "tokens matter more", M: tokens, Want: claim.Fails},
		{Name: "too few to tell", M: of(0.45, 0.65), Want: claim.Open},
		{Name: "one model is no test of equality", M: of(0.54), Want: claim.Differs},
		{Name: "untrained as well", M: untrained, Want: claim.Open},
		{Name: "on a plateau", M: of(0.55, 0.56, 0.54).unconverged(2), Want: claim.Open},
		{Name: "not trained", M: of(), Want: claim.Open},
	})
}

// Attention that does not look at tokens has all of its variance in its mean; of a mean
// that is the same everywhere nothing is.
func TestPositionalShare(t *testing.T) {
	p := exponential(5, 0.55, 0.4)
	wantNear(t, "no dependence on tokens", positionalShare(p), 1)
	for i := range p.SD {
		p.SD[i], p.Mean[i] = 0.1, 0.2
	}
	wantNear(t, "the same everywhere", positionalShare(p), 0)
}

// The linear filter of Mess3(0.15, 0.6) forgets faster than ζ.
func TestFilterDecay(t *testing.T) {
	rho, err := filterDecay(t.Context(), figure2)
	if err != nil || math.Abs(rho-0.4666) > 5e-5 {
		t.Errorf("ρ = %v, %v", rho, err)
	}
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
	wantNear(t, "slope", probe.FitDecay(exponential(6, 0.55, 0.4).Mean, 6), math.Log(0.55))
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
