package linalg

import (
	"math"
	"math/cmplx"
	"testing"

	"foretell/internal/panics"
)

// numbers are some that no sum of few of them makes twice.
func numbers(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(3*i+1)) / (1 + float64(i%7))
	}
	return x
}

// Products take the place of what was there, whatever that is, and a complex matrix has
// the products of its parts.
func TestVecMulOverwrites(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {3, 5}, {5, 3}, {2, 1}} {
		n, m := shape[0], shape[1]
		v, a, b := numbers(n), numbers(n*m), numbers(2 * n * m)[n*m:]
		v[n-1] = 0
		c := make([]complex128, n*m)
		for i := range c {
			c[i] = complex(a[i], b[i])
		}
		dirty, dirtyComplex := make([]float64, m), make([]complex128, m)
		for j := range m {
			dirty[j], dirtyComplex[j] = math.NaN(), cmplx.NaN()
		}
		re, im := VecMul(dirty, v, a), VecMul(make([]float64, m), v, b)
		got := VecMulComplex(dirtyComplex, v, c)
		for j := range m {
			want := 0.0
			for i := range n {
				want += v[i] * a[i*m+j]
			}
			if math.Abs(re[j]-want) > 1e-15 || got[j] != complex(re[j], im[j]) {
				t.Errorf("%d×%d, column %d: %v and %v, want %v and %v", n, m, j, re[j], got[j], want, im[j])
			}
		}
	}
}

// A vector of n and a result of m take a matrix of n·m entries, no more and no fewer.
func TestEveryOtherShapePanics(t *testing.T) {
	for n := range 5 {
		for m := range 5 {
			for entries := range 18 {
				if got := panics.Does(func() { VecMul(make([]float64, m), make([]float64, n), make([]float64, entries)) }); got != (entries != n*m) {
					t.Errorf("%d by %d entries into %d: panic %v", n, entries, m, got)
				}
				if got := panics.Does(func() { VecMulComplex(make([]complex128, m), make([]float64, n), make([]complex128, entries)) }); got != (entries != n*m) {
					t.Errorf("%d by %d complex entries into %d: panic %v", n, entries, m, got)
				}
			}
		}
	}
	for n := range 4 {
		for entries := range 18 {
			a := make([]float64, entries)
			if got := panics.Does(func() { NewSchur(a, n) }); got != (n == 0 || entries != n*n) {
				t.Errorf("the Schur form of %d entries, n = %d: panic %v", entries, n, got)
			}
			if n == 0 {
				continue
			}
			if got := panics.Does(func() { Stationary(a, n) }); got != (entries != n*n) {
				t.Errorf("π of %d entries, n = %d: panic %v", entries, n, got)
			}
			if got := panics.Does(func() { NullVector(a, n) }); got != (entries != n*n) {
				t.Errorf("the null vector of %d entries, n = %d: panic %v", entries, n, got)
			}
		}
	}
}

// The Schur form of larger matrices, for which LAPACK works block by block, is one, too.
func TestSchurOfLargerMatrices(t *testing.T) {
	for _, n := range []int{9, 24, 40} {
		a := numbers(n * n)
		s, ok := NewSchur(a, n)
		if !ok {
			t.Fatalf("%d: the eigenvalues did not converge", n)
		}
		if d := apart(mul(s.q, adjoint(s.q, n), n), eye(n)); d > 1e-12 {
			t.Errorf("%d: Q is %g from unitary", n, d)
		}
		if d := apart(mul(mul(s.q, s.u, n), adjoint(s.q, n), n), toComplex(a)); d > 1e-11 {
			t.Errorf("%d: QUQᴴ is %g from A", n, d)
		}
		trace, sum := 0.0, complex128(0)
		for i, v := range s.Eigenvalues {
			trace, sum = trace+a[i*n+i], sum+v
		}
		if cmplx.Abs(sum-complex(trace, 0)) > 1e-11 {
			t.Errorf("%d: the eigenvalues sum to %v, the diagonal to %v", n, sum, trace)
		}
	}
}

// Eigenvalues that are equal can be exchanged in place: nothing has to turn.
func TestRotationOfNothing(t *testing.T) {
	s, ok := NewSchur([]float64{2, 0, 0, 2}, 2)
	if !ok {
		t.Fatal("the eigenvalues did not converge")
	}
	p := s.Projector([]bool{true, true})
	if d := apart(p, eye(2)); d > 1e-15 {
		t.Errorf("the projector of all is %v", p)
	}
	before := append([]complex128(nil), s.q...)
	s.swap(0)
	if d := apart(s.q, before); d != 0 || s.u[0] != 2 || s.u[3] != 2 || s.u[1] != 0 {
		t.Errorf("Q %v, U %v", s.q, s.u)
	}
}
