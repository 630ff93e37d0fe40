package process

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/processtest"
	"foretell/internal/random"

	"pgregory.net/rapid"
)

// inCoordinates returns h in coordinates that are scaled by factors; see
// [processtest.Scaled].
func inCoordinates(t *rapid.T, h *HMM, factors []float64) *HMM {
	matrices, right := processtest.Scaled(h, factors)
	g, err := NewGeneralised("scaled", h.Tokens(), h.States(), matrices, right)
	if err != nil {
		t.Fatalf("with factors %v: %v", factors, err)
	}
	return g
}

// anyGeneralised draws a generalised HMM: one of the catalogue, or an HMM in other
// coordinates.
func anyGeneralised(t *rapid.T) *HMM {
	switch name, params := processtest.Generalised(t); name {
	case processtest.IsSheared:
		return sheared(t, anyHMM(t))
	case processtest.IsPlain:
		plain := anyHMM(t)
		return inCoordinates(t, plain, ones(plain.NumStates()))
	default:
		return must(Build(name, params)).(*HMM)
	}
}

// The scale of r is arbitrary: over thirty decades it changes nothing that is said of
// the words, and divides beliefs by itself.
func TestScaleOfRightIsArbitrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyGeneralised(t)
		c := math.Pow(10, rapid.Float64Range(-15, 15).Draw(t, "decades"))
		factors := make([]float64, h.NumStates())
		for i := range factors {
			factors[i] = c
		}
		g := inCoordinates(t, h, factors)
		sameProcess(t, h, g, factors)
	})
}

// The scale of each coordinate by itself is arbitrary, too; a spectrum and shares of the
// variance of all coordinates together do depend on it.
func TestScalesOfCoordinatesAreArbitrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyGeneralised(t)
		factors := make([]float64, h.NumStates())
		for i := range factors {
			factors[i] = math.Ldexp(1, rapid.IntRange(-50, 50).Draw(t, "octaves"))
		}
		sameProcess(t, h, inCoordinates(t, h, factors), factors)
	})
}

// sameProcess holds that g says of its words what h does, with beliefs divided by
// factors.
func sameProcess(t *rapid.T, h, g *HMM, factors []float64) {
	if want, got := verdicts(t.Context(), h), verdicts(t.Context(), g); !slices.Equal(want, got) {
		t.Fatalf("verdicts %+v\nand %+v", want, got)
	}
	want, errWant := must(h.converge(t.Context(), 500)), presentationSize(t.Context(), h)
	got, errGot := must(g.converge(t.Context(), 500)), presentationSize(t.Context(), g)
	if errWant != errGot {
		t.Fatalf("presentations of %d and %d beliefs", errWant, errGot)
	}
	shorter := min(len(want.upper), len(got.upper)) // a budget of beliefs ends both
	if 4*shorter < max(len(want.upper), len(got.upper)) || beyond(want.upper[:shorter], got.upper[:shorter], 1e-11) {
		t.Fatalf("floors %v\nand %v", want.upper, got.upper)
	}
	if a, b := want.limits(), got.limits(); math.Abs(a.EntropyRate-b.EntropyRate) > a.EntropyRateError+b.EntropyRateError {
		t.Fatalf("limits %+v and %+v", a, b)
	}
	for seed := range uint64(3) {
		sequence, again := make([]int32, 30), make([]int32, 30)
		h.Sample(sequence, random.New(seed, "process/test", 0))
		g.Sample(again, random.New(seed, "process/test", 0))
		if h.generalised && !slices.Equal(sequence, again) {
			t.Fatalf("samples %v and %v", sequence, again)
		}
		sameBeliefs(t, h, g, factors, sequence)
	}
}

// verdicts are the notes about a process. How many words were looked at depends on which
// beliefs rounding has merged, so the text of that note is left out.
func verdicts(ctx context.Context, h *HMM) []Problem {
	list := withoutPlaces(must(h.Check(ctx)))
	for i, p := range list {
		if p.Kind == WordsLookedAt {
			list[i].Text = ""
		}
	}
	return list
}

// sameBeliefs compares beliefs and predictions along a sequence.
func sameBeliefs(t *rapid.T, h, g *HMM, factors []float64, sequence []int32) {
	want, errWant := h.Beliefs(sequence)
	got, errGot := g.Beliefs(sequence)
	if errWant != nil || errGot != nil {
		t.Fatal(errWant, errGot)
	}
	for at := range want {
		next := g.Next(got[at])
		for i, c := range factors {
			got[at][i] *= c
		}
		if beyond(want[at], got[at], 1e-8) || beyond(h.Next(want[at]), next, 1e-9) {
			t.Fatalf("beliefs %v and %v, next %v and %v", want[at], got[at], h.Next(want[at]), next)
		}
	}
}

// beyond says whether an entry of b is further from that of a than a tolerance.
func beyond(a, b []float64, tolerance float64) bool { return !(distance(a, b) <= tolerance) }

// presentationSize is the number of beliefs, 0 where they have no presentation.
func presentationSize(ctx context.Context, h *HMM) int {
	p, err := h.Presentation(ctx)
	if err != nil {
		return 0
	}
	return len(p.Beliefs)
}

// A file whose right vector is scaled has the floors of the same file with ones; one
// whose right vector cannot be scaled to a process is refused in one line.
func TestRightInAFile(t *testing.T) {
	const text = `name: mine
states: [A, B]
tokens: [heads, tails]
transitions:
  - {from: A, to: A, token: heads, p: 0.9}
  - {from: A, to: B, token: tails, p: 0.1}
  - {from: B, to: A, token: heads, p: 0.5}
  - {from: B, to: B, token: tails, p: 0.5}
right: `
	want := 5. / 6 * entropy(0.1)
	want += 1. / 6 * math.Ln2
	for _, right := range []string{"[1, 1]", "[1e13, 1e13]", "[3e-14, 3e-14]", "[-7e15, -7e15]"} {
		p, err := Parse("mine.yaml", []byte(text+right))
		if err != nil {
			t.Fatal(err)
		}
		if rate, half := rateOf(t, p); math.Abs(rate-want) > half {
			t.Errorf("right %s has the rate %.6f ± %g, want %.6f", right, rate, half, want)
		}
	}
	for right, reason := range map[string]string{
		"[0, 0]":         "right is all zeros, so every sequence would have probability 0: want at least one entry that is not 0",
		"[1, .inf]":      `right[1]: ".inf" is not a number`,
		"[.nan, 1]":      `right[0]: ".nan" is not a number`,
		"[1e200, 1e200]": "the largest entry of right has size 1e+200, want a size in [1e-100, 1e+100]",
	} {
		_, err := Parse("mine.yaml", []byte(text+right))
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.HasPrefix(err.Error(), "mine.yaml:9:") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("right %s: %v\nwant line 9 and: %s", right, err, reason)
		}
	}
}

// Scales become powers of two, up to the largest one's, a multiple of 2^5 apart. A zero
// gets the largest.
func TestRoundedScales(t *testing.T) {
	for _, c := range []struct{ scale, want []float64 }{
		{[]float64{3, 0}, []float64{4, 4}},
		{[]float64{1 << 20, 0, 1}, []float64{1 << 20, 1 << 20, 1}},
		{[]float64{1 << 20, 1 << 16, 1 << 15, 1<<15 + 1, 1<<10 - 1}, []float64{1 << 20, 1 << 20, 1 << 15, 1 << 20, 1 << 10}},
		{[]float64{0x1p-30, 0, 0x1p-41}, []float64{0x1p-30, 0x1p-30, 0x1p-40}},
		{[]float64{1}, []float64{1}},
	} {
		if got := rounded(slices.Clone(c.scale)); !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.scale, got, c.want)
		}
	}
}
