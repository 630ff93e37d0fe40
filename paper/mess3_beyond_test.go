package paper

import (
	"testing"

	"foretell/internal/random"
	"foretell/probe"
	"foretell/process"
)

// The attention that theory predicts makes every profile; with one head fewer,
// or with attention that is even, it does not.
func TestFitProfiles(t *testing.T) {
	const T = 8
	for _, b := range beyondMess3 {
		on := source{name: b.name}
		h, err := on.hmm()
		if err != nil {
			t.Fatal(err)
		}
		spectrum, err := h.Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		m := &subject{condition: condition{source: on, Shape: Shape{1, beyondHeads(on)[1]}}, hmm: h, prefixes: &process.Prefixes{Length: T}}
		for _, head := range spectrum.Attention(T).Heads {
			m.patterns = append(m.patterns, probe.Pattern{T: T, Mean: head.Pattern})
		}
		if len(m.patterns) != m.Heads {
			t.Fatalf("%s: %d heads, theory asks for %d", b.name, len(m.patterns), m.Heads)
		}
		wantRelative := func(what string, low, high float64) {
			t.Helper()
			fit, err := fitProfiles(m, m.patterns)
			if err != nil || !(fit.relative >= low && fit.relative <= high) {
				t.Errorf("%s, %s: relative error %v, want %g to %g; %v", b.name, what, fit.relative, low, high, err)
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

// A ratio of means that one seed makes is seen by seed.
func TestBySeed(t *testing.T) {
	if got, want := bySeed([]float64{1.3, 40}, []float64{1, 1}), "by seed 1.3 to 40.0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A stage that holds the constrained beliefs beside offsets of its positions is
// explained by them; one of noise is not.
func TestExplained(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	p := h.Prefixes(6)
	s := random.New(1, "test/explained")
	var mixed, noise probe.Table
	mixed.Width, noise.Width = 2, 2
	for row := range p.Rows() {
		position, _ := p.Position(row)
		r := p.ConstrainedBelief(row)
		mixed.Data = append(mixed.Data, 3*r[0]-r[1]+float64(position), r[2]-float64(position*position))
		noise.Data = append(noise.Data, s.Normal(), s.Normal())
	}
	folds := probe.SequenceFolds(p, foldCount, foldSeed)
	r, err := explained(mixed, p, folds)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "a linear image", r.HeldOut.R2, 1)
	if r, err = explained(noise, p, folds); err != nil || r.HeldOut.R2 > 0.1 {
		t.Errorf("noise: R² %v, %v", r.HeldOut.R2, err)
	}
}

// Full and constrained beliefs agree to first order in α − 1/3, and part from each
// other as tokens say more.
func TestTheoryGapGrows(t *testing.T) {
	for _, alphas := range [][]float64{{0.32, 0.2, 0.1, 0.01}, {0.35, 0.5, 0.7, 0.9, 0.99}} {
		last := 0.0
		for _, a := range alphas {
			h, err := process.Mess3(0.15, a)
			if err != nil {
				t.Fatal(err)
			}
			gap, err := theoryGap(h.Prefixes(6))
			if err != nil || gap <= last {
				t.Errorf("α = %g: gap %v after %v, %v", a, gap, last, err)
			}
			last = gap
		}
	}
}
