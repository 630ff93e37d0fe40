// Package linalg provides float64 helpers that gonum does not have in the needed form:
// products of a row or column vector and a flat row-major matrix, the stationary
// distribution of a Markov chain, the null vector of a matrix, an orthonormal basis of a
// growing space, and the complex Schur form with spectral projectors.
//
// Matrices are square, flat and row-major: entry (i, j) of an n×n matrix a is a[i*n+j].
// Other functions (eigenvalues, singular values, inverses) are used directly from gonum;
// their last digits differ between architectures. In this package, except for the Schur
// form and [Span], products are rounded before they are added and sums have a fixed
// order; therefore a process samples the same tokens everywhere.
package linalg

import (
	"fmt"
	"math"
)

// VecMul sets dst = v·a and returns dst, for a row vector v of length n and an n×m
// row-major matrix a with m = len(dst). dst must not overlap v. It panics if len(a) is
// not len(v)·len(dst).
//
// Rows of a for which v is zero are skipped, which makes sparse vectors cheap.
func VecMul(dst, v, a []float64) []float64 {
	m := len(dst)
	if len(a) != len(v)*m {
		panic(fmt.Sprintf("linalg: VecMul: the matrix has %d entries, want %d × %d", len(a), len(v), m))
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

// MulVec returns a·v, for an n×n matrix a and a column v of length n.
func MulVec(a, v []float64) []float64 {
	product, n := make([]float64, len(v)), len(v)
	for i := range product {
		for j, x := range a[i*n : (i+1)*n] {
			product[i] += float64(x * v[j])
		}
	}
	return product
}

// VecMulComplex is [VecMul] for a real v and a complex a.
func VecMulComplex(dst []complex128, v []float64, a []complex128) []complex128 {
	m := len(dst)
	if len(a) != len(v)*m {
		panic(fmt.Sprintf("linalg: VecMulComplex: the matrix has %d entries, want %d × %d",
			len(a), len(v), m))
	}
	clear(dst)
	for i, vi := range v {
		for j, aij := range a[i*m : (i+1)*m] {
			dst[j] += complex(float64(vi*real(aij)), float64(vi*imag(aij)))
		}
	}
	return dst
}

// Stationary returns the row vector π with π·t = π and Σπ = 1 of an irreducible n×n
// stochastic matrix t. ok is false if the elimination fails because t is reducible, or
// because products or ratios of its entries underflow a float64. It panics if len(t) is
// not n².
//
// The algorithm is the elimination of Grassmann, Taksar and Heyman (1985), which never
// subtracts: the relative error of each entry of π is at most a small multiple of n·2⁻⁵³,
// even if entries of t differ by many orders of magnitude.
func Stationary(t []float64, n int) (pi []float64, ok bool) {
	if len(t) != n*n {
		panic(fmt.Sprintf("linalg: Stationary: %d entries do not fill a %d×%d matrix", len(t), n, n))
	}
	a := append([]float64(nil), t...)
	// Remove states from the last to the second. The flow through a removed state k is
	// distributed over the states before it.
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

// NullVector returns x with a·x = 0, up to a factor, for an n×n matrix a of rank n−1,
// possibly only up to rounding: the last pivot of the elimination with complete pivoting
// counts as zero. x is undefined if the rank is lower. It panics if len(a) is not n².
func NullVector(a []float64, n int) []float64 {
	if len(a) != n*n {
		panic(fmt.Sprintf("linalg: NullVector: %d entries do not fill a %d×%d matrix", len(a), n, n))
	}
	u := append([]float64(nil), a...)
	column := make([]int, n) // column[j] is the column of the matrix a that is now column j of u
	for j := range column {
		column[j] = j
	}
	for k := range n - 1 {
		pivot(u, column, n, k)
		for i := k + 1; i < n; i++ {
			factor := u[i*n+k] / u[k*n+k]
			for j := k + 1; j < n; j++ {
				u[i*n+j] -= float64(factor * u[k*n+j])
			}
		}
	}
	x := make([]float64, n)
	x[column[n-1]] = 1
	for k := n - 2; k >= 0; k-- {
		sum := 0.0
		for j := k + 1; j < n; j++ {
			sum -= float64(u[k*n+j] * x[column[j]])
		}
		if sum != 0 { // avoids negative zeros
			x[column[k]] = sum / u[k*n+k]
		}
	}
	return x
}

// pivot exchanges rows and columns of u from k on to make entry (k, k) the largest
// remaining one in magnitude (the first, if several are equal).
func pivot(u []float64, column []int, n, k int) {
	row, col := k, k
	for i := k; i < n; i++ {
		for j := k; j < n; j++ {
			if math.Abs(u[i*n+j]) > math.Abs(u[row*n+col]) {
				row, col = i, j
			}
		}
	}
	for j := range n {
		u[k*n+j], u[row*n+j] = u[row*n+j], u[k*n+j]
	}
	for i := range n {
		u[i*n+k], u[i*n+col] = u[i*n+col], u[i*n+k]
	}
	column[k], column[col] = column[col], column[k]
}
