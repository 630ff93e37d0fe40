package theory

import (
	"math"
	"testing"

	"foretell/internal/processtest"
	"foretell/process"

	"pgregory.net/rapid"
)

// inCoordinates returns h in coordinates that are scaled by factors; see
// [processtest.Scaled].
func inCoordinates(t *rapid.T, h *process.HMM, factors []float64) *process.HMM {
	matrices, right := processtest.Scaled(h, factors)
	g, err := process.NewGeneralised("scaled", h.Tokens(), h.States(), matrices, right)
	if err != nil {
		t.Fatalf("with factors %v: %v", factors, err)
	}
	return g
}

// sheared returns h in coordinates that are sheared at random.
func sheared(t *rapid.T, h *process.HMM) *process.HMM {
	matrices, right := processtest.Sheared(t, h)
	g, err := process.NewGeneralised("sheared", h.Tokens(), h.States(), matrices, right)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// anyGeneralised draws a generalised HMM: one of the catalogue, or an HMM in other
// coordinates.
func anyGeneralised(t *rapid.T) *process.HMM {
	switch name, params := processtest.Generalised(t); name {
	case processtest.IsSheared:
		return sheared(t, anyHMM(t))
	case processtest.IsPlain:
		plain := anyHMM(t)
		return inCoordinates(t, plain, ones(plain.NumStates()))
	default:
		return must(process.Build(name, params)).(*process.HMM)
	}
}

// The scale of r is arbitrary: over thirty decades it changes neither what tokens excite
// nor the shares of the filter.
func TestScaleOfRightIsArbitrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyGeneralised(t)
		c := math.Pow(10, rapid.Float64Range(-15, 15).Draw(t, "decades"))
		factors := make([]float64, h.NumStates())
		for i := range factors {
			factors[i] = c
		}
		g := inCoordinates(t, h, factors)
		sameModes(t, h, g)
		want, errWant := Of(h).LinearFilter().R2(t.Context(), 3)
		got, errGot := Of(g).LinearFilter().R2(t.Context(), 3)
		if (errWant == nil) != (errGot == nil) {
			t.Fatalf("%v and %v", errWant, errGot)
		}
		for i := range want {
			if math.Abs(want[i].Linear-got[i].Linear) > 1e-9 || math.Abs(want[i].Constrained-got[i].Constrained) > 1e-4 {
				t.Fatalf("shares %+v and %+v", want[i], got[i])
			}
		}
	})
}

// sameModes holds that the spectra say the same of what tokens excite.
func sameModes(t *rapid.T, h, g *process.HMM) {
	want, errWant := Of(h).Spectrum(t.Context())
	got, errGot := Of(g).Spectrum(t.Context())
	if (errWant == nil) != (errGot == nil) {
		t.Fatalf("%v and %v", errWant, errGot)
	}
	if errWant != nil {
		return
	}
	if len(want.Modes) != len(got.Modes) {
		t.Fatalf("%d and %d modes", len(want.Modes), len(got.Modes))
	}
	for k, m := range want.Modes {
		if o := got.Modes[k]; m.Excited != o.Excited || m.Future != o.Future || m.Next != o.Next {
			t.Fatalf("mode %d: %d %d %d and %d %d %d", k, m.Excited, m.Future, m.Next, o.Excited, o.Future, o.Next)
		}
	}
}

// Where the scale of r is another one, the matrices in their own scale are the same.
func TestMatricesInScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		factors := make([]float64, h.NumStates())
		factor := math.Ldexp(1, rapid.IntRange(-9, 9).Draw(t, "factor"))
		for i := range factors {
			factors[i] = factor
		}
		want, got := Of(h).inScale(), Of(inCoordinates(t, h, factors)).inScale()
		for z := range want {
			if d := distance(got[z], want[z]); d > 1e-12 {
				t.Fatalf("token %d: entries differ by %v", z, d)
			}
		}
	})
}
