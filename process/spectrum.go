package process

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"foretell/internal/linalg"
)

const (
	// sameEigenvalue is the distance at which neighbouring computed
	// eigenvalues count as one eigenvalue of higher multiplicity.
	sameEigenvalue = 1e-10
	// imaginaryPart is the size from which an imaginary part is T's own. A
	// real eigenvalue with a Jordan block of size k may be computed as a ring
	// of complex ones, of a radius about the k-th root of 1e-16; below this
	// size the missing eigenvectors tell.
	imaginaryPart = 1e-3
	// residual is how far the eigenvectors of a group may miss (T − λ)v = 0.
	residual = 1e-10
	// worstCondition is the condition number of the eigenvectors from which
	// T counts as defective; a defective T has one of about 1e8 or more.
	worstCondition = 1e6
)

// Spectrum is the spectral decomposition T = Σ_λ λT_λ of a real diagonalisable
// net transition matrix, which makes its powers T^k = Σ_λ λ^k T_λ, with 0⁰ = 1.
type Spectrum struct {
	// Eigenvalues are the distinct eigenvalues in descending order; the
	// first is 1. Computed ones less than 1e-10 apart count as one.
	Eigenvalues []float64
	// Multiplicities[k] is the algebraic multiplicity of Eigenvalues[k],
	// which is the geometric one too as T is diagonalisable.
	Multiplicities []int
	// Projectors[k] is the spectral projector T_λ of Eigenvalues[k], n×n and
	// row-major: Σ |λ_i⟩⟨λ_i| over biorthonormal right and left eigenvectors
	// (seed 001, Sec. 4.4). They sum to the identity, and the product of two
	// different ones is zero.
	Projectors [][]float64

	h *HMM
}

// Spectrum returns the spectral decomposition of T. It is an error when T has
// complex eigenvalues, or is defective or so close to it (eigenvectors with a
// condition number above 1e6) that few digits would be left; Constrained needs no
// spectrum. Sums over projectors are accurate to about the condition number times
// 1e-16, however close eigenvalues are.
func (h *HMM) Spectrum() (*Spectrum, error) {
	n := h.NumStates()
	t := mat.NewDense(n, n, slices.Clone(h.net))
	values, err := h.realEigenvalues(t)
	if err != nil {
		return nil, err
	}
	s := &Spectrum{h: h}
	right := mat.NewDense(n, n, nil) // columns: right eigenvectors, one eigenvalue after another
	at := 0
	for k, group := range groups(values) {
		lambda, m := floats.Sum(group)/float64(len(group)), len(group)
		if k == 0 {
			if m > 1 {
				return nil, fmt.Errorf("%s: T has %d eigenvalues within %g of 1 and is all but non-ergodic; use the form of Eq. 26",
					h.name, m, sameEigenvalue)
			}
			lambda = 1 // known exactly: rows of T sum to one
		}
		basis, ok := eigenspace(t, lambda, m)
		if !ok {
			return nil, h.defective()
		}
		right.Slice(0, n, at, at+m).(*mat.Dense).Copy(basis)
		s.Eigenvalues = append(s.Eigenvalues, lambda)
		s.Multiplicities = append(s.Multiplicities, m)
		at += m
	}
	if condition := mat.Cond(right, 2); !(condition <= worstCondition) {
		return nil, h.defective()
	}
	var left mat.Dense // rows: left eigenvectors, biorthonormal to the right ones
	if err := left.Inverse(right); err != nil {
		return nil, h.defective()
	}
	at = 0
	for _, m := range s.Multiplicities {
		projector := mat.NewDense(n, n, nil)
		projector.Mul(right.Slice(0, n, at, at+m), left.Slice(at, at+m, 0, n))
		s.Projectors = append(s.Projectors, projector.RawMatrix().Data)
		at += m
	}
	return s, nil
}

func (h *HMM) defective() error {
	return fmt.Errorf("%s: T is defective or nearly so; the spectral form is for real diagonalisable T, use the form of Eq. 26", h.name)
}

// realEigenvalues returns the n eigenvalues of t in descending order, or an error
// when they are not real.
func (h *HMM) realEigenvalues(t *mat.Dense) ([]float64, error) {
	var eigen mat.Eigen
	if !eigen.Factorize(t, mat.EigenNone) {
		return nil, fmt.Errorf("%s: the eigenvalues of T did not converge", h.name)
	}
	var values []float64
	for _, v := range eigen.Values(nil) {
		if im := math.Abs(imag(v)); im > imaginaryPart {
			return nil, fmt.Errorf("%s: T has the complex eigenvalues %.4g±%.4gi; the spectral form is for real diagonalisable T, use the form of Eq. 26",
				h.name, real(v), im)
		}
		values = append(values, real(v))
	}
	slices.SortFunc(values, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	return values, nil
}

// groups cuts descending values where neighbours are further than
// sameEigenvalue apart.
func groups(values []float64) [][]float64 {
	var cut [][]float64
	from := 0
	for to := 1; to <= len(values); to++ {
		if to == len(values) || values[to-1]-values[to] > sameEigenvalue {
			cut = append(cut, values[from:to])
			from = to
		}
	}
	return cut
}

// eigenspace returns m orthonormal right eigenvectors of t as columns: the right
// singular vectors of t − λ that belong to its m smallest singular values. ok is
// false when these are not zero, so that λ has fewer eigenvectors than m.
func eigenspace(t *mat.Dense, lambda float64, m int) (basis mat.Matrix, ok bool) {
	n, _ := t.Dims()
	shifted := mat.DenseCopyOf(t)
	for i := range n {
		shifted.Set(i, i, shifted.At(i, i)-lambda)
	}
	var svd mat.SVD
	if !svd.Factorize(shifted, mat.SVDFullV) || svd.Values(nil)[n-m] > residual {
		return nil, false
	}
	var v mat.Dense
	svd.VTo(&v)
	return v.Slice(0, n, n-m, n), true
}

// Constrained returns HMM.Constrained(word) in the spectral form of Eq. 7 of seed
// 001, with the source term of Eq. 26:
//
//	r₁ = π + Σ_{s=1…d} Σ_{λ≠1} λ^{d−s} · πT^(z_s)/(πT^(z_s)·1) · T_λ
func (s *Spectrum) Constrained(word []int) ([]float64, error) {
	return s.constrain(word, s.h.source)
}

// ConstrainedEq5 returns HMM.ConstrainedEq5(word) in the spectral form: Eq. 7 of
// seed 001 read literally, with the source term πT^{|z}.
func (s *Spectrum) ConstrainedEq5(word []int) ([]float64, error) {
	return s.constrain(word, s.h.eq5Source)
}

func (s *Spectrum) constrain(word []int, source func(z, position int) ([]float64, error)) ([]float64, error) {
	r := slices.Clone(s.h.pi)
	mode := make([]float64, len(r))
	for at, z := range word {
		src, err := source(z, at+1)
		if err != nil {
			return nil, err
		}
		lag := float64(len(word) - 1 - at) // d − s
		for k, lambda := range s.Eigenvalues {
			if k == 0 {
				continue // λ = 1 carries π, which Eq. 5 subtracts
			}
			linalg.VecMul(mode, src, s.Projectors[k])
			floats.AddScaled(r, math.Pow(lambda, lag), mode)
		}
	}
	return r, nil
}
