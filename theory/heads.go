package theory

import "math/cmplx"

// Heads holds the number of attention heads that one layer needs to build the constrained
// belief, or a part of it, in a context of any length; see [Spectrum.Heads].
type Heads struct {
	// Belief is the number for the constrained belief itself (Piotrowski et al. 2025,
	// Eq. 26): it counts every mode that a token excites.
	Belief int
	// Future is the number for the part of the constrained belief that affects any future
	// token: Eq. 6 of the paper, read as a statement about all later tokens. It omits modes
	// that only distinguish states with the same futures. This is the number that theory
	// asks for.
	Future int
	// Next is the number for the part of the constrained belief that affects the
	// distribution of the next token, when the constrained belief is treated as a belief. An
	// MLP that combines modes may use more than this part. Fewer heads may suffice if the
	// next token depends on two modes only in one fixed combination.
	Next int
	// Separate is the value that Future would have if every mode had its own heads.
	Separate int
}

// Heads counts the heads that the modes need.
//
// A head whose attention does not depend on the tokens adds Σ_s A(d, s)·v(s, z_s) to
// the residual stream, and the constrained belief is Σ_s (b(z_s) − π)T^{d−s}. The
// contribution of each token must be right by itself, so for every source s, token z
// and lag n = d−s
//
//	Σ_h A_h(s+n, s)·v_h(s, z) = (b(z) − π)Tⁿ = Σ_λ Σ_k C(n, k)λ^{n−k}·(b(z) − π)N_λ^k P_λ,   n ≥ 1
//
// up to a part that depends on positions alone, which embeddings can cancel. (For n = 0
// the embedding of the token itself can add what is missing.) As functions of n, the
// right sides run through a space V of profiles. For a real λ ≠ 0 of index K it
// contains C(n, k)λ^{n−k} for k < K; for a complex pair their real and imaginary parts,
// twice as many; for λ = 0 the single lags n = k, 1 ≤ k < K. V is the span of all these
// functions (it is closed under n → n+1). The left sides are in the span of one profile
// per head, and these profiles have no negative entries. Hence
//
//   - at least dim V heads are needed;
//   - dim V heads are enough if, and only if, V has a basis of non-negative profiles. It
//     has one if all the functions listed above are non-negative (λ > 0 or λ = 0). A
//     profile that changes sign must be added to a profile that dominates it at every
//     lag, whatever the sign. By Pringsheim's theorem V contains such a profile exactly
//     when the largest |λ| belongs to a positive λ, with the largest index among the
//     eigenvalues of that size;
//   - otherwise one more head is enough, with any profile that dominates them all: |λ|ⁿ
//     for a single λ < 0, or for a single complex pair, of index 1.
//
// So each positive λ needs one head, as Piotrowski et al. 2025 state for Mess3 with x
// below 1/3. A negative λ alone needs two, as in their Sec. 4.4.1: even and odd lags are
// |λ|ⁿ ± λⁿ. A complex pair alone needs three: |λ|ⁿ(1 + cos(nφ + 2πj/3)). But a negative
// λ together with a larger positive one needs only one additional head: modes can share a
// positive profile. In a finite context fewer heads may suffice, if a profile does not
// change sign within it.
//
// No additional head is needed to make the rows of attention sum to one. Let A_h(s+n, s)
// = g·a_h(n); the scale g is free, because v_h ∝ 1/g cancels it (in the paper, |v(m)| ∝
// 1/A(m+1, m), Eq. 14). The remainder of each row goes to its diagonal, A(d, d) = 1 −
// Σ_{s<d} A(d, s), and the token's own embedding corrects for it (Eq. 15). For a single
// profile λⁿ the first position can absorb the remainder instead: see
// [Spectrum.Attention].
func (s *Spectrum) Heads() Heads {
	heads := Heads{
		Belief: fewest(s.Modes, excited),
		Future: fewest(s.Modes, func(m Mode) int { return m.Future }),
		Next:   fewest(s.Modes, func(m Mode) int { return m.Next }),
	}
	for _, m := range s.Modes {
		heads.Separate += m.Heads()
	}
	return heads
}

// Heads returns the number of heads that the mode needs by itself, for its effect on all
// later tokens.
func (m Mode) Heads() int {
	return fewest([]Mode{m}, func(m Mode) int { return m.Future })
}

func excited(m Mode) int { return m.Excited }

// profile is a basis function of the lag n: the real or the imaginary part of C(n,
// k)λ^{n−k} for the mode's λ.
type profile struct {
	mode      Mode
	k         int
	imaginary bool
}

// at returns the profile's value at lag n.
func (p profile) at(n int) float64 {
	value := p.mode.Profile(n, p.k)
	if p.imaginary {
		return imag(value)
	}
	return real(value)
}

// largest returns the greatest modulus of the profile over the given number of lags,
// where for a complex pair the real and the imaginary part are taken together. It returns
// 1 for a profile that begins after these lags.
func (p profile) largest(lags int) float64 {
	size := 0.0
	for n := range lags {
		size = max(size, cmplx.Abs(p.mode.Profile(n, p.k)))
	}
	if size == 0 {
		return 1
	}
	return size
}

// changesSign reports whether the profile has entries of both signs.
func (p profile) changesSign() bool {
	return p.mode.Pair() || real(p.mode.Eigenvalue) < 0
}

// profiles lists the basis of V, the space of profiles in [Spectrum.Heads]: for each
// mode, the profiles of the powers k < reached(mode).
func profiles(modes []Mode, reached func(Mode) int) []profile {
	var list []profile
	for _, m := range modes {
		for k := range reached(m) {
			if m.Eigenvalue == 0 && k == 0 {
				continue // at lag 0 alone the embedding can do the same
			}
			list = append(list, profile{mode: m, k: k})
			if m.Pair() {
				list = append(list, profile{mode: m, k: k, imaginary: true})
			}
		}
	}
	return list
}

// fewest returns the least number of heads that represent the powers k < reached(mode) of
// each mode.
func fewest(modes []Mode, reached func(Mode) int) int {
	basis := profiles(modes, reached)
	for _, p := range basis {
		if p.changesSign() {
			if _, ok := dominant(modes, reached); !ok {
				return len(basis) + 1
			}
			break
		}
	}
	return len(basis)
}

// dominant returns the positive mode that dominates all others at long lags, if there
// is one.
func dominant(modes []Mode, reached func(Mode) int) (best Mode, ok bool) {
	radius := 0.0
	for _, m := range modes {
		if reached(m) > 0 {
			radius = max(radius, m.Modulus())
		}
	}
	index := 0
	for _, m := range modes {
		if reached(m) == 0 || m.Modulus() < radius-sameEigenvalue || radius == 0 {
			continue
		}
		index = max(index, reached(m))
		if !m.Pair() && real(m.Eigenvalue) > 0 {
			best, ok = m, true
		}
	}
	return best, ok && reached(best) >= index
}
