package linalg

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"foretell/internal/panics"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// VecMul agrees with gonum on random shapes, zeros included.
func TestVecMulAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		m := rapid.IntRange(1, 6).Draw(t, "m")
		entry := rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(-8, 8).Draw(t, "eighths")) / 8
		})
		v := rapid.SliceOfN(entry, n, n).Draw(t, "v")
		a := rapid.SliceOfN(entry, n*m, n*m).Draw(t, "a")
		var want mat.Dense
		want.Mul(mat.NewDense(1, n, v), mat.NewDense(n, m, a))
		got := VecMul(make([]float64, m), v, a)
		for j := range got {
			if got[j] != want.At(0, j) { // eighths: every product and sum is exact
				t.Fatalf("entry %d is %g, gonum has %g", j, got[j], want.At(0, j))
			}
		}
	})
}

func TestStationaryIsInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		a := make([]float64, n*n)
		for i := range n {
			total := 0.0
			for j := range n {
				a[i*n+j] = rapid.Float64Range(0, 1).Draw(t, "weight")
				if j == (i+1)%n {
					a[i*n+j] += 0.01 // the ring makes it irreducible
				}
				total += a[i*n+j]
			}
			for j := range n {
				a[i*n+j] /= total
			}
		}
		pi, ok := Stationary(a, n)
		if !ok {
			t.Fatal("the elimination stopped")
		}
		next := VecMul(make([]float64, n), pi, a)
		total := 0.0
		for i := range pi {
			total += pi[i]
			if math.Abs(next[i]-pi[i]) > 1e-14 {
				t.Fatalf("πT differs from π at %d: %g and %g", i, next[i], pi[i])
			}
		}
		if math.Abs(total-1) > 1e-14 {
			t.Fatalf("π sums to %g", total)
		}
	})
}

// A chain that leaves state 1 with probability 1e-18 keeps every digit of the
// small entry, where a solver that subtracts returns noise.
func TestStationaryKeepsSmallEntries(t *testing.T) {
	const leave, enter = 1e-3, 1e-18
	pi, ok := Stationary([]float64{1 - enter, enter, leave, 1 - leave}, 2)
	want := enter / (enter + leave)
	if !ok || math.Abs(pi[1]/want-1) > 1e-15 {
		t.Errorf("π₁ = %g, want %g", pi[1], want)
	}
}

// Nothing is said of matrices whose π does not exist alone or is beyond float64: a
// ratio too large, a product too small.
func TestStationaryStops(t *testing.T) {
	for name, a := range map[string][]float64{
		"reducible": {1, 0, 0, 1},
		"ratio":     {0.5, 0.5, 1e-320, 1},
		"product":   {0, 1, 0, 0, 1, 1e-200, 1e-200, 1, 0},
	} {
		n := int(math.Sqrt(float64(len(a))))
		if pi, ok := Stationary(a, n); ok || pi != nil {
			t.Errorf("%s: %v", name, pi)
		}
	}
}

// A matrix (1−xyᵀ/yᵀx)·m of a regular m has yᵀ on its left as its null vector; so its
// transpose has y, up to a factor.
func TestNullVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		entry := rapid.Float64Range(-1, 1)
		y := rapid.SliceOfN(rapid.Float64Range(0.1, 1), n, n).Draw(t, "y")
		m := rapid.SliceOfN(entry, n*n, n*n).Draw(t, "m")
		for i := range n {
			m[i*n+i] += 2 * float64(n) // regular: the diagonal outweighs its row
		}
		a, size := make([]float64, n*n), 0.0 // a[j,i] = m[i,j] − y_i Σ_k y_k m[k,j]/yᵀy
		for i := range n {
			size += y[i] * y[i]
		}
		for j := range n {
			along := 0.0
			for k := range n {
				along += y[k] * m[k*n+j]
			}
			for i := range n {
				a[j*n+i] = m[i*n+j] - y[i]*along/size
			}
		}
		x := NullVector(a, n)
		for i := range n {
			if d := math.Abs(x[i]*y[0] - x[0]*y[i]); d > 1e-12*math.Abs(x[0]) {
				t.Fatalf("%v is not along %v", x, y)
			}
		}
	})
}

// Rows and columns are exchanged, and no zero has a sign.
func TestNullVectorOfZeros(t *testing.T) {
	got := NullVector([]float64{
		0, 0, -1,
		0, 0, 0,
		-2, 4, 0,
	}, 3)
	if got[0] != 2*got[1] || got[1] == 0 || got[2] != 0 || math.Signbit(got[2]) {
		t.Errorf("%v, want a multiple of [2 1 0]", got)
	}
}

func TestShapesPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"VecMul":     func() { VecMul(make([]float64, 2), make([]float64, 2), make([]float64, 3)) },
		"complex":    func() { VecMulComplex(make([]complex128, 2), make([]float64, 2), make([]complex128, 3)) },
		"Stationary": func() { Stationary(make([]float64, 3), 2) },
		"NullVector": func() { NullVector(make([]float64, 3), 2) },
	} {
		t.Run(name, func(t *testing.T) {
			if text := panics.Text(call); !strings.HasPrefix(text, "linalg: ") {
				t.Errorf("%q does not say what is wrong", text)
			}
		})
	}
}

func ExampleStationary() {
	// A machine that breaks on one day in ten and is mended on one in two.
	pi, _ := Stationary([]float64{
		0.9, 0.1,
		0.5, 0.5,
	}, 2)
	fmt.Printf("%.4f\n", pi)
	// Output: [0.8333 0.1667]
}
