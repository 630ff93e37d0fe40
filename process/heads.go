package process

import "math/cmplx"

// Heads is how many attention heads one layer needs to build the constrained
// belief, for a context of any length, see [Spectrum.Heads].
type Heads struct {
	// Belief is for the constrained belief itself (Piotrowski et al. 2025, Eq. 26): it
	// counts every mode that a token excites.
	Belief int
	// Future is for what of it can be seen in any future, Eq. 6 there read as a
	// statement about all that follows. A mode that only sets apart states with the
	// same futures is left out. This is the number that theory asks for.
	Future int
	// Next is for what of it changes the distribution of the next token, when the
	// constrained belief is read as a belief. An MLP that combines modes may use
	// more than that; and fewer may do where the next token sees two modes only in
	// one fixed combination.
	Next int
	// Separate is Future when every mode has heads of its own.
	Separate int
}

// Heads counts the heads that the modes take.
//
// A head whose attention does not look at tokens adds Σ_s A(d, s)·v(s, z_s) to the
// residual stream, and the constrained belief is Σ_s (b(z_s) − π)T^{d−s}. Each token
// must come out right by itself, so for every source s, token z and lag n = d−s
//
//	Σ_h A_h(s+n, s)·v_h(s, z) = (b(z) − π)Tⁿ = Σ_λ Σ_k C(n, k)λ^{n−k}·(b(z) − π)N_λ^k P_λ,   n ≥ 1
//
// up to a part that depends on positions alone, which embeddings can undo. (For
// n = 0 the embedding of the token itself can add what is missing.) Read as a
// function of n the right side runs through a space V of profiles: for a real λ
// ≠ 0 of index K those C(n, k)λ^{n−k}, k < K; for a pair twice as many, real and
// imaginary parts; for λ = 0 the single lags n = k, 1 ≤ k < K. V is all of their
// span (it is closed under n → n+1). The left side runs through the span of one
// profile a head, and those have no negative entries. Hence
//
//   - at least dim V heads are needed;
//   - these are enough if, and only if, V has a basis of non-negative profiles.
//     Where all of V is non-negative (λ > 0, λ = 0) it has. A profile that changes
//     its sign must be added to one that dominates it at every lag, of either
//     sign, and by Pringsheim's theorem V has such a one exactly when its largest
//     |λ| belongs to a positive λ, with the largest index among those;
//   - otherwise one head more is enough, with any profile that dominates them all: |λ|ⁿ
//     where there is one λ < 0, or one pair, of index 1.
//
// So one head for each positive λ, as Piotrowski et al. 2025 have it for Mess3 with
// x < 1/3; two for a negative one alone, as in their Sec. 4.4.1: even and odd lags are
// |λ|ⁿ ± λⁿ. For a pair alone three: |λ|ⁿ(1 + cos(nφ + 2πj/3)). But a negative λ beside
// a larger positive one takes a single head more: modes can share what is positive. In
// a finite context fewer may do, where a sign does not change within it.
//
// That attention sums to one takes no head. Let A_h(s+n, s) = g·a_h(n); the scale g is
// free, as v_h ∝ 1/g undoes it (in the paper, |v(m)| ∝ 1/A(m+1, m), Eq. 14), and what
// is left of each row goes to its diagonal, A(d, d) = 1 − Σ_{s<d} A(d, s), where the
// token's own embedding corrects for it (Eq. 15). For a single profile λⁿ the first
// position can take it up instead: see [Spectrum.Attention].
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

// Heads returns how many heads the mode takes by itself, as seen in any future.
func (m Mode) Heads() int {
	return fewest([]Mode{m}, func(m Mode) int { return m.Future })
}

func excited(m Mode) int { return m.Excited }

// profile is a basis function of the lag n: the real or the imaginary part of
// the mode's C(n, k)λ^{n−k}.
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

// largest returns the greatest modulus of the profile, of a pair both parts together,
// over so many lags; 1 for a profile that begins after them.
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

// changesSign says whether the profile has entries of both signs.
func (p profile) changesSign() bool {
	return p.mode.Pair() || real(p.mode.Eigenvalue) < 0
}

// profiles lists the basis of V: of each mode the powers up to what it reaches.
func profiles(modes []Mode, reached func(Mode) int) []profile {
	var list []profile
	for _, m := range modes {
		for k := range reached(m) {
			if m.Eigenvalue == 0 && k == 0 {
				continue // lag 0 alone: left to the embedding
			}
			list = append(list, profile{mode: m, k: k})
			if m.Pair() {
				list = append(list, profile{mode: m, k: k, imaginary: true})
			}
		}
	}
	return list
}

// fewest returns the least number of heads for the modes, as far as each reaches.
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

// dominant returns the positive mode that outlasts all others, if there is one.
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
