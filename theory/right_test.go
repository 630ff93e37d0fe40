package theory

import (
	"math"
	"testing"

	"foretell/process"

	"pgregory.net/rapid"
)

// inCoordinates returns h with row i of each matrix and entry i of r multiplied by
// factors[i], and column i divided by it: the same process in other coordinates.
func inCoordinates(t *rapid.T, h *process.HMM, factors []float64) *process.HMM {
	n, right := h.NumStates(), h.Right()
	matrices := make([][][]float64, h.Alphabet())
	for z := range matrices {
		matrices[z] = zeros(n)
		for k, x := range h.Transition(z) {
			matrices[z][k/n][k%n] = x * (factors[k/n] / factors[k%n])
		}
	}
	for i, c := range factors {
		right[i] *= c
	}
	g, err := process.NewGeneralised("scaled", h.Tokens(), h.States(), matrices, right)
	if err != nil {
		t.Fatalf("with factors %v: %v", factors, err)
	}
	return g
}

// sheared returns h in coordinates that are sheared at random.
func sheared(t *rapid.T, h *process.HMM) *process.HMM {
	n := h.NumStates()
	// S is unit lower triangular with the entries s below the diagonal of its
	// first column: its inverse has −s there.
	s := make([]float64, n)
	for i := 1; i < n; i++ {
		s[i] = rapid.Float64Range(-2, 2).Draw(t, "shear")
	}
	matrices := make([][][]float64, h.Alphabet())
	for z := range matrices {
		m := h.Transition(z)
		matrices[z] = zeros(n)
		for i := range n {
			for j := range n {
				matrices[z][i][j] = m[i*n+j] + s[i]*m[j]
			}
			for k := 1; k < n; k++ {
				matrices[z][i][0] -= matrices[z][i][k] * s[k]
			}
			if math.Abs(matrices[z][i][0]) < 1e-15 { // the remainder of a difference that is 0
				matrices[z][i][0] = 0
			}
		}
	}
	right := ones(n)
	for i := range right {
		right[i] += s[i]
	}
	g, err := process.NewGeneralised("sheared", h.Tokens(), h.States(), matrices, right)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// anyGeneralised draws a generalised HMM: one of the catalogue, or an HMM in other
// coordinates.
func anyGeneralised(t *rapid.T) *process.HMM {
	var h *process.HMM
	var err error
	switch rapid.SampledFrom([]string{
		"sheared", "sheared", "sheared", "plain", "plain", "plain", "frdn", "bloch_walk", "moon",
	}).Draw(t, "process") {
	case "sheared":
		return sheared(t, anyHMM(t))
	case "plain":
		plain := anyHMM(t)
		h = inCoordinates(t, plain, ones(plain.NumStates()))
	case "moon":
		h, err = process.Moon(rapid.Float64Range(2, 3).Draw(t, "alpha"), rapid.Float64Range(0.3, 0.8).Draw(t, "beta"))
	case "frdn":
		// Away from whole turns, next to which two directions of a belief are nearly one and
		// its R² has no digits.
		h, err = process.FRDN(rapid.Float64Range(1, 5).Draw(t, "alpha"), rapid.Float64Range(0.1, 0.3).Draw(t, "lambda"))
	case "bloch_walk":
		h, err = process.BlochWalk(1, rapid.Float64Range(2, 8).Draw(t, "beta"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
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
