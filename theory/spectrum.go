package theory

import (
	"context"
	"fmt"
	"math/cmplx"
	"slices"

	"foretell/internal/linalg"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// Spectrum is the spectral decomposition of the net transition matrix T of any HMM,
// including complex, repeated, zero and defective eigenvalues:
//
//	Tⁿ = Σ_λ Σ_{k < index λ} C(n, k) λ^{n−k} N_λ^k P_λ,   0⁰ = 1
//
// with the spectral projector P_λ and the nilpotent N_λ = (T − λ)P_λ of each eigenvalue
// (Riechers and Crutchfield 2018a, whom Piotrowski et al. 2025 follow in Sec. 4.4). For
// diagonalisable T all indices are 1, and this is their Tⁿ = Σ λⁿ T_λ.
//
// It separates the task of one layer of attention into modes: how the effect of a token
// changes with the number n of steps since then (the profiles C(n, k)λ^{n−k}), and in
// which directions. [Spectrum.Heads] counts the heads needed for that, and
// [Spectrum.Attention] builds them.
type Spectrum struct {
	// Modes are in descending order of |λ|, and by phase for equal |λ|: the first is λ =
	// 1. (In a generalised HMM a larger λ that no sequence depends on may precede it.)
	Modes []Mode

	layer *Layer
}

// Mode is an eigenvalue of T, or a conjugate pair of them, with the matrices that
// belong to it.
type Mode struct {
	// Eigenvalue is λ, with Im λ ≥ 0. A mode with Im λ > 0 stands for λ and its conjugate:
	// together they act in a real invariant subspace, where each step scales by |λ| and
	// rotates by the phase of λ.
	Eigenvalue complex128
	// Multiplicity is the algebraic multiplicity of λ (of each eigenvalue of a pair).
	// Computed eigenvalues count as one if they are at most 1e-10 apart, or so close that
	// separate projectors would lose more than five digits: T is then defective, or nearly
	// so.
	Multiplicity int
	// Index is the size of the largest Jordan block: N_λ^Index = 0, up to 1e-10. It is 1
	// if T is diagonalisable, and at most Multiplicity unless eigenvalues that count as
	// one differ in fact.
	Index int
	// Powers[k], k < Index, is N_λ^k P_λ, n×n and row-major. Powers[0] is the projector,
	// the T_λ of Piotrowski et al. 2025, Eq. 7. For a real λ all imaginary parts are zero;
	// the conjugate of a pair has the conjugate matrices.
	Powers [][]complex128

	// The next three fields describe how far a mode matters to one layer of attention,
	// each as the number of powers k = 0, 1, … that matter: from 0 to Index. With c_z =
	// Pr(S | z) − π, the correction by token z,
	//
	//   - Excited: c_z N^k P is not zero for some token z;
	//   - Future: c_z N^k P changes the probability of some later sequence;
	//   - Next: read as a belief, it changes the distribution of the next token.
	//
	// λ = 1 of an ergodic process has 0 for all three: P₁ = 1π, and c_z·1 = 0.
	Excited, Future, Next int
}

// Pair reports whether the mode stands for a conjugate pair.
func (m Mode) Pair() bool { return imag(m.Eigenvalue) > 0 }

// Modulus returns |λ|, the factor by which a step scales.
func (m Mode) Modulus() float64 { return cmplx.Abs(m.Eigenvalue) }

// Phase returns the angle of λ in [0, π], by which a step rotates.
func (m Mode) Phase() float64 { return cmplx.Phase(m.Eigenvalue) }

// Profile returns C(n, k)·λ^{n−k}, the weight of N_λ^k P_λ in Tⁿ, that is, the mode's
// k-th profile at lag n. It is 0 for k > n.
func (m Mode) Profile(n, k int) complex128 {
	if k > n {
		return 0
	}
	w := complex(1, 0)
	for i := range k {
		w *= complex(float64(n-i)/float64(i+1), 0)
	}
	for range n - k {
		w *= m.Eigenvalue
	}
	return w
}

// sides returns 2 for a pair, whose conjugate contributes the same real part again,
// else 1.
func (m Mode) sides() float64 {
	if m.Pair() {
		return 2
	}
	return 1
}

// Spectrum returns the spectral decomposition of T. It returns an error if ctx ends, if
// there are more than 128 states, if the eigenvalues do not converge, or if they are so
// close together that no group of them can be separated from the others. (Constrained
// does not need the spectrum.) Sums over modes are accurate to about 1e-10, usually far
// better, even for defective T; but if the two closest eigenvalues are less than 1e-6
// apart and do not count as one, the accuracy is 1e-16 divided by their distance.
func (l *Layer) Spectrum(ctx context.Context) (*Spectrum, error) {
	if n := l.n; n > process.MostSpectral {
		return nil, fmt.Errorf("%s: %d states are too many for a spectrum, want at most %d; "+
			"Constrained does not need it", l.name, n, process.MostSpectral)
	}
	schur, ok := linalg.NewSchur(l.net, l.n)
	if !ok {
		return nil, fmt.Errorf("%s: the eigenvalues of T did not converge", l.name)
	}
	s := &Spectrum{layer: l}
	groups, err := clusters(ctx, schur)
	if err != nil {
		return nil, err
	}
	for _, c := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mode, ok := l.mode(c)
		if !ok {
			return nil, fmt.Errorf("%s: %d eigenvalues of T around %.3g can be neither separated nor treated as one; "+
				"Constrained does not need the spectrum",
				l.name, mode.Multiplicity, mode.Eigenvalue)
		}
		s.Modes = append(s.Modes, mode)
	}
	slices.SortFunc(s.Modes, compareModes)
	l.reach(s.Modes)
	return s, nil
}

// Constrained returns [process.HMM.Constrained] of a sequence in the spectral form of
// Piotrowski et al. 2025, Eq. 7, for any T and with the source term
// b(z) = πT^(z)/(πT^(z)·1) of Eq. 26:
//
//	r₁ = π + Σ_{s=1…d} Σ_λ Σ_k C(n, k) λ^{n−k} · (b(z_s) − π) · N_λ^k P_λ,   n = d−s
//
// Eq. 7 omits λ = 1 and the −π; for ergodic T the two forms are equal.
func (s *Spectrum) Constrained(sequence []int32) ([]float64, error) {
	return s.constrain(sequence, func(at int) ([]float64, error) { return s.layer.source(sequence, at) })
}

// ConstrainedEq5 returns [process.HMM.ConstrainedEq5] of a sequence in the spectral form:
// Eq. 7 read literally, with the source term πT^{|z}.
func (s *Spectrum) ConstrainedEq5(sequence []int32) ([]float64, error) {
	return s.constrain(sequence, func(at int) ([]float64, error) { return s.layer.eq5Source(sequence, at) })
}

func (s *Spectrum) constrain(sequence []int32, source func(at int) ([]float64, error)) ([]float64, error) {
	r := slices.Clone(s.layer.pi)
	correction, part := make([]float64, len(r)), make([]complex128, len(r))
	for at := range sequence {
		src, err := source(at)
		if err != nil {
			return nil, err
		}
		floats.SubTo(correction, src, s.layer.pi)
		lag := len(sequence) - 1 - at // d − s
		for _, m := range s.Modes {
			for k, power := range m.Powers {
				weight := complex(m.sides(), 0) * m.Profile(lag, k)
				for j, x := range linalg.VecMulComplex(part, correction, power) {
					r[j] += real(weight * x)
				}
			}
		}
	}
	return r, nil
}
