package mess3

import (
	"testing"

	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// The attention that theory predicts makes every profile; with one head fewer,
// or with attention that is even, it does not.
func TestFitProfiles(t *testing.T) {
	const T = 8
	for _, on := range beyondMess3 {
		h, err := on.HMM()
		if err != nil {
			t.Fatal(err)
		}
		spectrum, err := h.Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		m := &subject{Subject: &trained.Subject{
			Condition: trained.Condition{Source: on, Shape: trained.Shape{Layers: 1, Heads: headsAsked(on)}},
			HMM:       h, Prefixes: &process.Prefixes{Length: T},
		}}
		for _, head := range spectrum.Attention(T).Heads {
			m.patterns = append(m.patterns, probe.Pattern{T: T, Mean: head.Pattern})
		}
		if len(m.patterns) != m.Heads {
			t.Fatalf("%s: %d heads, theory asks for %d", on, len(m.patterns), m.Heads)
		}
		wantRelative := func(what string, low, high float64) {
			t.Helper()
			fit, err := fitProfiles(m, m.patterns)
			if err != nil || !(fit.relative() >= low && fit.relative() <= high) {
				t.Errorf("%s, %s: relative error %v, want %g to %g; %v", on, what, fit.relative(), low, high, err)
			}
		}
		wantRelative("the predicted attention", 0, 1e-9)
		m.Heads--
		wantRelative("one head fewer", 0.05, 1)
		even := probe.Pattern{T: T, Mean: make([]float64, T*T)}
		for d := range T {
			for s := range d + 1 {
				even.Mean[d*T+s] = 1 / float64(d+1)
			}
		}
		m.patterns = []probe.Pattern{even, even, even}
		wantRelative("even attention", 0.3, 1)
	}
}
