package kernel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/panics"
)

// newRand is the random numbers of one test.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// normals is n standard normal numbers.
func normals[F Float](r *rand.Rand, n int) []F {
	x := make([]F, n)
	for i := range x {
		x[i] = F(r.NormFloat64())
	}
	return x
}

// wantClose fails unless got is within tol·(1+|want|) of want, element by element.
func wantClose[F, G Float](t *testing.T, what string, got []F, want []G, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if !(math.Abs(g-w) <= tol*(1+math.Abs(w))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, g, w)
		}
	}
}

// slope is the gradient of loss with respect to x by central differences.
func slope(x []float64, loss func() float64) []float64 {
	const h = 1e-5
	grad := make([]float64, len(x))
	for i, v := range x {
		x[i] = v + h
		up := loss()
		x[i] = v - h
		down := loss()
		x[i] = v
		grad[i] = (up - down) / (2 * h)
	}
	return grad
}

// inner is Σ x·y, the loss whose gradient with respect to y is x.
func inner(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// wantPanic fails unless f panics with a message of this package.
func wantPanic(t *testing.T, what string, f func()) {
	t.Helper()
	if got := panics.Text(f); !strings.HasPrefix(got, "kernel: ") {
		t.Errorf("%s: want a panic with \"kernel: …\", got %q", what, got)
	}
}
