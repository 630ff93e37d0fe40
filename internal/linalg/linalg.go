// Package linalg holds the few float64 helpers that gonum does not offer in the
// form the analysis needs: products of a row vector with a flat row-major
// matrix, the stationary distribution of a Markov chain, and the complex Schur
// form with spectral projectors.
//
// Matrices are square, flat and row-major: entry (i, j) of an n×n matrix a is
// a[i*n+j]. Everything else (eigenvalues, singular values, inverses) is taken
// from gonum directly. Products are rounded before they are added, on every
// architecture, so that a process samples the same tokens everywhere.
package linalg

import (
	"fmt"
	"math"
)

// VecMul sets dst = v·a and returns dst, for a row vector v of length n and an
// n×m row-major matrix a with m = len(dst). dst must not overlap v. It panics
// when len(a) is not len(v)·len(dst).
//
// A row of a that meets a zero of v is skipped, so a vector with few non-zero
// entries is cheap.
func VecMul(dst, v, a []float64) []float64 {
	m := len(dst)
	if len(a) != len(v)*m {
		panic(fmt.Sprintf("linalg: VecMul of a vector of %d and a matrix of %d entries into %d", len(v), len(a), m))
	}
	clear(dst)
	for i, vi := range v {
		if vi == 0 {
			continue
		}
		row := a[i*m : (i+1)*m]
		for j, aij := range row {
			dst[j] += float64(vi * aij)
		}
	}
	return dst
}

// VecMulComplex sets dst = v·a and returns dst, as [VecMul] does, for a real v and
// a complex a.
func VecMulComplex(dst []complex128, v []float64, a []complex128) []complex128 {
	m := len(dst)
	if len(a) != len(v)*m {
		panic(fmt.Sprintf("linalg: VecMulComplex of a vector of %d and a matrix of %d entries into %d", len(v), len(a), m))
	}
	clear(dst)
	for i, vi := range v {
		for j, aij := range a[i*m : (i+1)*m] {
			dst[j] += complex(vi*real(aij), vi*imag(aij))
		}
	}
	return dst
}

// Stationary returns the row vector π with π·t = π and Σπ = 1 of an irreducible
// n×n stochastic matrix t. ok is false when the elimination stops, because t is
// reducible or because entries are so small that a float64 cannot hold their
// products or ratios. It panics when len(t) is not n².
//
// It is the elimination of Grassmann, Taksar and Heyman (1985), which never
// subtracts: every entry of π is accurate to a relative error of a small
// multiple of n·2⁻⁵³, even where entries of t differ by many orders of magnitude.
func Stationary(t []float64, n int) (pi []float64, ok bool) {
	if len(t) != n*n {
		panic(fmt.Sprintf("linalg: Stationary of %d entries as a %d×%d matrix", len(t), n, n))
	}
	a := append([]float64(nil), t...)
	// Remove states from the last to the second: what flows through a removed
	// state k is spread over the states before it.
	for k := n - 1; k > 0; k-- {
		out := 0.0
		for j := range k {
			out += a[k*n+j]
		}
		if !(out > 0) {
			return nil, false
		}
		for i := range k {
			a[i*n+k] /= out
			for j := range k {
				a[i*n+j] += float64(a[i*n+k] * a[k*n+j])
			}
		}
	}
	pi = make([]float64, n)
	pi[0] = 1
	total := 1.0
	for k := 1; k < n; k++ {
		for i := range k {
			pi[k] += float64(pi[i] * a[i*n+k])
		}
		total += pi[k]
	}
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return nil, false
	}
	for i := range pi {
		pi[i] /= total
	}
	return pi, true
}
