package process

import (
	"math"
	"testing"
)

// Excess entropies and statistical complexities where they are known in closed
// form, in nats.
func TestFactsInClosedForm(t *testing.T) {
	third := entropy(1. / 3)
	for _, c := range []struct {
		name               string
		params             Params
		excess, complexity float64
	}{
		// All that the past says of the future is the causal state, and a
		// long future tells it: E = C_μ.
		{"even", nil, third, third},
		// Of Markov order 1: E = H(X_1) − h.
		{"golden_mean", nil, third - math.Ln2*2/3, third},
		{"periodic", nil, math.Log(3), math.Log(3)},
		{"periodic", Params{"pattern": "ABAB"}, math.Ln2, math.Ln2},
		{"iid", nil, 0, 0},
		{"noisy", Params{"epsilon": 1.0}, 0, 0},
		// The phase, and in two phases of three a bit.
		{"rrxor", nil, math.Log(3) + math.Ln2*2/3, math.Log(3) + math.Ln2*2/3},
		// ζ = 0: four beliefs and one future.
		{"mess3", Params{"x": 1. / 3}, 0, 0},
		// Which component it is, and its own.
		{"mixture", Params{"components": []Spec{{Name: "z1r"}, {Name: "periodic", Params: Params{"pattern": "AB"}}}}, math.Ln2 + math.Log(3)/2 + math.Ln2/2, math.Ln2 + math.Log(3)/2 + math.Ln2/2},
	} {
		p, err := Build(c.name, c.params)
		if err != nil {
			t.Fatal(err)
		}
		h := p.(*HMM)
		limits := must(h.Limits(t.Context()))
		if math.Abs(limits.ExcessEntropy-c.excess) > limits.ExcessEntropyError || limits.ExcessEntropyError > 1e-7 || limits.Estimated {
			t.Errorf("%s %v: E = %.10g ± %.1e, want %.10g", c.name, c.params, limits.ExcessEntropy, limits.ExcessEntropyError, c.excess)
		}
		presentation, err := h.Presentation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := presentation.StatisticalComplexity(); math.Abs(got-c.complexity) > 1e-12 {
			t.Errorf("%s %v: C_μ = %.15g, want %.15g", c.name, c.params, got, c.complexity)
		}
	}
}

// What is estimated for a generalised HMM agrees with what is bounded for the HMM
// that has the same words.
func TestEstimatesAgreeWithBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		params Params
	}{
		{"mess3", nil},
		{"mess3", Params{"x": 0.05, "a": 0.85}},
		{"even", nil},
		{"sns", nil},
		{"rrxor", nil},
		{"fractal2", nil},
		{"mess3_mixture", Params{"epsilon": 0.1}},
		{"golden_mean_5_3", nil},
		{"parentheses", nil},
	} {
		p, err := Build(c.name, c.params)
		if err != nil {
			t.Fatal(err)
		}
		h := p.(*HMM)
		generalised := h.table()
		generalised.generalised = true
		bounds, estimates := must(h.converge(t.Context(), 40_000)).limits(), must(assemble("same", generalised).converge(t.Context(), 40_000)).limits()
		if !estimates.Estimated {
			t.Error("not said to be estimates")
		}
		if d := math.Abs(bounds.EntropyRate - estimates.EntropyRate); d > bounds.EntropyRateError+estimates.EntropyRateError {
			t.Errorf("%s %v: h is %.9g ± %.1e, estimated %.9g ± %.1e", c.name, c.params,
				bounds.EntropyRate, bounds.EntropyRateError, estimates.EntropyRate, estimates.EntropyRateError)
		}
		if d := math.Abs(bounds.ExcessEntropy - estimates.ExcessEntropy); d > bounds.ExcessEntropyError+estimates.ExcessEntropyError {
			t.Errorf("%s %v: E is %.9g ± %.1e, estimated %.9g ± %.1e", c.name, c.params,
				bounds.ExcessEntropy, bounds.ExcessEntropyError, estimates.ExcessEntropy, estimates.ExcessEntropyError)
		}
	}
}

// Where a walk leaves its start by probabilities that rounding has changed, its ends have
// no probabilities that sum to one, and it is reported that float64 does not suffice.
func TestEndsThatRoundingHides(t *testing.T) {
	for _, c := range []struct {
		leaves float64
		ok     bool
	}{{0.25, true}, {1e-5, true}, {1e-13, false}, {1e-16, false}} {
		stays := 1 - 2*c.leaves
		p := &Presentation{
			Beliefs: make([][]float64, 3),
			Edges:   []Edge{{0, 0, 0, stays}, {0, 1, 1, c.leaves}, {0, 2, 2, c.leaves}, {1, 1, 1, 1}, {2, 2, 2, 1}},
		}
		if ok := p.longRun(); ok != c.ok {
			t.Errorf("a start left with probability %g: sufficient %v, want %v", 2*c.leaves, ok, c.ok)
		}
		if c.ok && (math.Abs(p.Stationary[1]-0.5) > 1e-9 || math.Abs(p.Stationary[2]-0.5) > 1e-9 || p.Stationary[0] != 0) {
			t.Errorf("a start left with probability %g for two ends alike: they have %v", 2*c.leaves, p.Stationary)
		}
	}
}
