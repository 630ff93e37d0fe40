package linalg

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"foretell/internal/panics"

	"gonum.org/v1/gonum/cmplxs"
	"pgregory.net/rapid"
)

// drawMatrix draws an n×n matrix of small integers, many of which are defective.
func drawMatrix(t *rapid.T) ([]float64, int) {
	n := rapid.IntRange(1, 7).Draw(t, "n")
	a := make([]float64, n*n)
	for i := range a {
		a[i] = float64(rapid.IntRange(-2, 2).Draw(t, "entry"))
	}
	return a, n
}

func toComplex(a []float64) []complex128 {
	c := make([]complex128, len(a))
	for i, x := range a {
		c[i] = complex(x, 0)
	}
	return c
}

func mul(a, b []complex128, n int) []complex128 {
	c := make([]complex128, n*n)
	for i := range n {
		for k := range n {
			for j := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

func adjoint(a []complex128, n int) []complex128 {
	c := make([]complex128, n*n)
	for i := range n {
		for j := range n {
			c[j*n+i] = cmplx.Conj(a[i*n+j])
		}
	}
	return c
}

func eye(n int) []complex128 {
	c := make([]complex128, n*n)
	for i := range n {
		c[i*n+i] = 1
	}
	return c
}

func apart(a, b []complex128) float64 { return cmplxs.Distance(a, b, math.Inf(1)) }

// Q is unitary, U is triangular with the eigenvalues on its diagonal, and QUQᴴ is A.
func TestSchur(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, n := drawMatrix(t)
		s, ok := NewSchur(a, n)
		if !ok {
			t.Fatal("the eigenvalues did not converge")
		}
		if d := apart(mul(s.q, adjoint(s.q, n), n), eye(n)); d > 1e-13 {
			t.Fatalf("Q is %g from unitary", d)
		}
		if d := apart(mul(mul(s.q, s.u, n), adjoint(s.q, n), n), toComplex(a)); d > 1e-12 {
			t.Fatalf("QUQᴴ is %g from A", d)
		}
		for i, v := range s.Eigenvalues {
			if d := cmplx.Abs(s.u[i*n+i] - v); d > 1e-12 {
				t.Fatalf("eigenvalue %d is %v, on the diagonal stands %v", i, v, s.u[i*n+i])
			}
			if imag(v) > 0 && s.Eigenvalues[i+1] != cmplx.Conj(v) {
				t.Fatalf("the eigenvalue after %v is %v", v, s.Eigenvalues[i+1])
			}
			for j := range i {
				if s.u[i*n+j] != 0 {
					t.Fatalf("U[%d,%d] is %v", i, j, s.u[i*n+j])
				}
			}
		}
	})
}

// A projector is idempotent, commutes with A, has the number of selected
// eigenvalues as its trace, and A times it has their sum; it and that of the others
// sum to the identity.
func TestSpectralProjector(t *testing.T) {
	tested := 0
	rapid.Check(t, func(t *rapid.T) {
		a, n := drawMatrix(t)
		s, _ := NewSchur(a, n)
		// All eigenvalues to the right of a line.
		line := rapid.Float64Range(-3, 3).Draw(t, "line")
		selected, others := make([]bool, n), make([]bool, n)
		count, sum, gap := complex128(0), complex128(0), math.Inf(1)
		for i, v := range s.Eigenvalues {
			selected[i], others[i] = real(v) > line, real(v) <= line
			gap = min(gap, math.Abs(real(v)-line))
			if selected[i] {
				count, sum = count+1, sum+v
			}
		}
		if gap < 0.05 {
			t.Skip("an eigenvalue on the line")
		}
		tested++
		p, rest := s.Projector(selected), s.Projector(others)
		size := math.Max(1, cmplxs.Norm(p, 2))
		tolerance := 1e-12 * size * size
		if d := apart(mul(p, p, n), p); d > tolerance {
			t.Fatalf("P² is %g from P of norm %g", d, size)
		}
		ap := mul(toComplex(a), p, n)
		if d := apart(ap, mul(p, toComplex(a), n)); d > tolerance {
			t.Fatalf("AP is %g from PA", d)
		}
		both := append([]complex128(nil), p...)
		cmplxs.Add(both, rest)
		if d := apart(both, eye(n)); d > tolerance {
			t.Fatalf("the projectors sum to the identity but for %g", d)
		}
		trace, weighted := complex128(0), complex128(0)
		for i := range n {
			trace, weighted = trace+p[i*n+i], weighted+ap[i*n+i]
		}
		if cmplx.Abs(trace-count) > tolerance || cmplx.Abs(weighted-sum) > 10*tolerance {
			t.Fatalf("traces of P and AP: %v and %v, want %v and %v", trace, weighted, count, sum)
		}
	})
	if tested < 10 {
		t.Errorf("only %d matrices had a gap", tested)
	}
}

// A Jordan block's eigenvalue is computed as a ring; the projector of the whole
// ring is as accurate as that of a well-separated eigenvalue.
func TestProjectorOfJordanBlock(t *testing.T) {
	const n = 6
	a := make([]float64, n*n)
	for i := range 5 {
		a[i*n+i] = 0.25
		a[i*n+i+1] = 1
	}
	a[n*n-1] = 1
	// A similarity that hides the blocks: rows and columns added up.
	for i := 1; i < n; i++ {
		for j := range n {
			a[i*n+j] += a[(i-1)*n+j]
		}
		for j := range n {
			a[j*n+i-1] -= a[j*n+i]
		}
	}
	s, _ := NewSchur(a, n)
	selected := make([]bool, n)
	for i, v := range s.Eigenvalues {
		selected[i] = cmplx.Abs(v-0.25) < 0.3
	}
	p := s.Projector(selected)
	nilpotent := toComplex(a)
	for i := range n {
		nilpotent[i*n+i] -= 0.25
	}
	power := p
	for k := 1; k <= 5; k++ {
		power = mul(nilpotent, power, n)
		if norm := cmplxs.Norm(power, 2); (norm > 1e-9) != (k < 5) {
			t.Errorf("(A−λ)^%d·P has the norm %g", k, norm)
		}
	}
}

func TestSchurPanics(t *testing.T) {
	s, _ := NewSchur([]float64{1}, 1)
	for name, call := range map[string]func(){
		"shape":     func() { NewSchur([]float64{1, 2}, 2) },
		"selection": func() { s.Projector(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			if text := panics.Text(call); !strings.HasPrefix(text, "linalg: ") {
				t.Errorf("%q does not say what is wrong", text)
			}
		})
	}
}
