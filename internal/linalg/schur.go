package linalg

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// Schur is the complex Schur form A = Q·U·Qᴴ of a real n×n matrix: Q is unitary, and U is
// upper triangular with the eigenvalues of A on its diagonal. Every matrix has one,
// including defective matrices, and computing it is backward stable.
type Schur struct {
	// Eigenvalues are the eigenvalues of A, repeated by algebraic multiplicity. The two of a
	// conjugate pair are adjacent and exact conjugates; the one with positive imaginary part
	// comes first.
	Eigenvalues []complex128

	n    int
	u, q []complex128 // n×n, row-major
}

// NewSchur returns the Schur form of a, an n×n row-major matrix. ok is false if the
// eigenvalues do not converge. It panics unless len(a) = n² > 0.
func NewSchur(a []float64, n int) (s *Schur, ok bool) {
	if n < 1 || len(a) != n*n {
		panic(fmt.Sprintf("linalg: Schur form of %d entries as a %d×%d matrix", len(a), n, n))
	}
	u, q, wr, wi, ok := realSchur(a, n)
	if !ok {
		return nil, false
	}
	s = &Schur{n: n, Eigenvalues: make([]complex128, n), u: make([]complex128, n*n), q: make([]complex128, n*n)}
	for i := range u {
		s.u[i], s.q[i] = complex(u[i], 0), complex(q[i], 0)
	}
	for i := range n {
		s.Eigenvalues[i] = complex(wr[i], wi[i])
	}
	// A pair is a 2×2 block on the diagonal; a rotation makes it triangular.
	for i := range n {
		if wi[i] > 0 {
			s.split(i)
		}
	}
	return s, true
}

// realSchur returns the real Schur form by LAPACK's Hessenberg reduction and QR.
func realSchur(a []float64, n int) (u, q, wr, wi []float64, ok bool) {
	var lapackImpl lapackgonum.Implementation
	u = append([]float64(nil), a...)
	wr, wi = make([]float64, n), make([]float64, n)
	tau, work := make([]float64, n-1), make([]float64, 64*n)
	lapackImpl.Dgehrd(n, 0, n-1, u, n, tau, work, len(work))
	q = append([]float64(nil), u...)
	lapackImpl.Dorghr(n, 0, n-1, q, n, tau, work, len(work))
	for i := 2; i < n; i++ {
		clear(u[i*n : i*n+i-1]) // the reflectors
	}
	unconverged := lapackImpl.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, n, 0, n-1, u, n,
		wr, wi, q, n, work, len(work))
	return u, q, wr, wi, unconverged == 0
}

// split makes the 2×2 block at i triangular, with the eigenvalue of positive imaginary
// part first. The first rotated vector is the eigenvector of that eigenvalue.
func (s *Schur) split(i int) {
	n := s.n
	// (block − λ)(b, λ−a)ᵀ = 0 in the first row.
	s.rotate(i, s.u[i*n+i+1], s.Eigenvalues[i]-s.u[i*n+i])
}

// rotate applies the unitary similarity that maps the direction (x, y) in rows i and i+1
// to (r, 0), and clears the entry below the diagonal.
func (s *Schur) rotate(i int, x, y complex128) {
	n := s.n
	r := math.Hypot(cmplx.Abs(x), cmplx.Abs(y))
	if r == 0 {
		return
	}
	c, d := x/complex(r, 0), y/complex(r, 0)
	for j := range n {
		above, below := s.u[i*n+j], s.u[(i+1)*n+j]
		s.u[i*n+j] = cmplx.Conj(c)*above + cmplx.Conj(d)*below
		s.u[(i+1)*n+j] = -d*above + c*below
	}
	for _, m := range [][]complex128{s.u, s.q} {
		for k := range n {
			left, right := m[k*n+i], m[k*n+i+1]
			m[k*n+i] = left*c + right*d
			m[k*n+i+1] = -left*cmplx.Conj(d) + right*cmplx.Conj(c)
		}
	}
	s.u[(i+1)*n+i] = 0
}

// swap exchanges the eigenvalues at i and i+1 of the triangular form.
func (s *Schur) swap(i int) {
	n := s.n
	a, b := s.u[i*n+i], s.u[(i+1)*n+i+1]
	// (u01, b−a) is the eigenvector of b in the 2×2 block.
	s.rotate(i, s.u[i*n+i+1], b-a)
	s.u[i*n+i], s.u[(i+1)*n+i+1] = b, a
}

// Projector returns the spectral projector of the selected eigenvalues, an n×n row-major
// matrix. It commutes with A, is the identity on the invariant subspace of the selected
// eigenvalues and zero on the invariant subspace of the others. No selected eigenvalue
// may equal an unselected one. The norm of the projector bounds the amplification of
// errors.
//
// The selected eigenvalues are moved to the top of the triangular form, where the
// projector is Q·[I Y; 0 0]·Qᴴ with U₁₁Y − YU₂₂ = U₁₂ (Golub and Van Loan, 7.6.2). It
// panics unless selected has one entry for each eigenvalue.
func (s *Schur) Projector(selected []bool) []complex128 {
	n := s.n
	if len(selected) != n {
		panic(fmt.Sprintf("linalg: selected has %d entries, want one for each of %d eigenvalues", len(selected), n))
	}
	w := &Schur{n: n, u: append([]complex128(nil), s.u...), q: append([]complex128(nil), s.q...)}
	m := 0
	for i, yes := range selected {
		if !yes {
			continue
		}
		for j := i - 1; j >= m; j-- {
			w.swap(j)
		}
		m++
	}
	y := w.sylvester(m)
	p := make([]complex128, n*n)
	for i := range n {
		row := append([]complex128(nil), w.q[i*n:i*n+m]...) // row i of Q·[I Y; 0 0]
		for j := range n - m {
			sum := complex128(0)
			for k := range m {
				sum += w.q[i*n+k] * y[k*(n-m)+j]
			}
			row = append(row, sum)
		}
		for j := range n {
			for k, x := range row {
				p[i*n+j] += x * cmplx.Conj(w.q[j*n+k])
			}
		}
	}
	return p
}

// sylvester solves U₁₁Y − YU₂₂ = U₁₂ for the leading m×m block U₁₁ by back
// substitution; Y is m×(n−m).
func (s *Schur) sylvester(m int) []complex128 {
	n, width := s.n, s.n-m
	y := make([]complex128, m*width)
	for j := range width {
		for i := m - 1; i >= 0; i-- {
			sum := s.u[i*n+m+j]
			for k := range j {
				sum += y[i*width+k] * s.u[(m+k)*n+m+j]
			}
			for k := i + 1; k < m; k++ {
				sum -= s.u[i*n+k] * y[k*width+j]
			}
			y[i*width+j] = sum / (s.u[i*n+i] - s.u[(m+j)*n+m+j])
		}
	}
	return y
}
