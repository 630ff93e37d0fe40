package process

import (
	"context"
	"fmt"
	"slices"

	"foretell/internal/linalg"
)

// Constrained returns the constrained belief, of length n, after the tokens z_1 … z_d of
// a sequence (Piotrowski et al. 2025, Eq. 26):
//
//	r₁ = π + Σ_{s=1…d} ( πT^(z_s)/(πT^(z_s)·1) · T^{d−s} − π )
//
// the stationary distribution plus an independent correction for each token, Pr(S_d |
// Z_s = z_s) − Pr(S_d), as in Eq. 6. One layer of attention, in which each token
// contributes independently, can build it. Entries sum to one but may be negative: it
// is a point in the plane of the simplex, not a distribution.
//
// It is defined for every sequence whose tokens occur at all, even if a labelled matrix
// has zero rows. It returns an error if a token is outside the alphabet or never occurs.
//
// The paper uses the same name for another object: see ConstrainedEq5.
func (h *HMM) Constrained(sequence []int32) ([]float64, error) {
	return h.constrain(sequence, h.source)
}

// ConstrainedAlong returns the constrained belief after each prefix of a sequence: row t,
// of length n, is Constrained(sequence[:t]), for t = 0 … len(sequence). It returns an
// error if Constrained returns one for the sequence, or if ctx ends.
func (h *HMM) ConstrainedAlong(ctx context.Context, sequence []int32) ([][]float64, error) {
	rows := [][]float64{slices.Clone(h.pi)}
	for at, z := range sequence {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		source, err := h.source(int(z), at+1)
		if err != nil {
			return nil, err
		}
		next := make([]float64, len(h.pi))
		h.constrainStep(next, rows[at], source)
		rows = append(rows, next)
	}
	return rows, nil
}

// ConstrainedEq5 returns the constrained belief of Piotrowski et al. 2025, Eq. 5 (and
// Eq. 27), read literally: each row of T^{|z} is the same row of T^(z) divided by its
// own sum, as in the paper's App. A:
//
//	r₁ = π + Σ_{s=1…d} ( πT^{|z_s} T^{d−s} − π )
//
// The paper presents it as equal to Eq. 26, but it is not. Row i of T^{|z} is Pr(S_s |
// z_s, S_{s−1} = i), and Bayes' rule weighs these rows by the posterior Pr(S_{s−1} = i |
// z_s); Eq. 5 weighs them by the prior π. The two agree if all rows of T^(z) have the
// same sum (the token then carries no information about the previous state), or if all
// non-zero rows have the same direction. For Mess3(0.15, 0.6) and the single token 0, Eq.
// 26 is (0.6, 0.2, 0.2), which is Eq. 6, and Eq. 5 is (0.522, 0.239, 0.239). For Mess3
// the two differ by one factor, the same for every sequence (Eq. 5 is Eq. 26 contracted
// towards π), so figures and regressions do not show the difference; for other processes
// the directions differ too.
//
// ConstrainedEq5 returns an error if a token is outside the alphabet, or if a row of its
// labelled matrix is zero.
func (h *HMM) ConstrainedEq5(sequence []int32) ([]float64, error) {
	return h.constrain(sequence, h.eq5Source)
}

// constrain evaluates π + Σ_s (source_s − π)T^{d−s} by Horner's rule: since πT = π,
// each token maps r − π to (r − π)T + source − π.
func (h *HMM) constrain(sequence []int32, source func(z, position int) ([]float64, error)) ([]float64, error) {
	r := slices.Clone(h.pi)
	next := make([]float64, len(r))
	for s, z := range sequence {
		src, err := source(int(z), s+1)
		if err != nil {
			return nil, err
		}
		h.constrainStep(next, r, src)
		r, next = next, r
	}
	return r, nil
}

// constrainStep sets dst to the constrained belief after a token with the given source
// term, where r is the constrained belief before it.
func (h *HMM) constrainStep(dst, r, source []float64) {
	linalg.VecMul(dst, r, h.net)
	for j := range dst {
		dst[j] += source[j] - h.pi[j]
	}
}

// source returns Pr(S_s | Z_s = z), the source term of Eq. 26.
func (h *HMM) source(z, position int) ([]float64, error) {
	if err := checkToken(h, z, position); err != nil {
		return nil, err
	}
	if h.sources[z] == nil {
		return nil, fmt.Errorf("%s: token %s at position %d never occurs", h.name, h.tokens[z], position)
	}
	return h.sources[z], nil
}

// eq5Source returns πT^{|z}, the source term of Eq. 5 read literally.
func (h *HMM) eq5Source(z, position int) ([]float64, error) {
	if err := checkToken(h, z, position); err != nil {
		return nil, err
	}
	if h.eq5Sources[z] == nil {
		_, err := h.ConditionalTransition(z)
		return nil, err
	}
	return h.eq5Sources[z], nil
}

func (h *HMM) bayesSources() [][]float64 {
	sources := make([][]float64, h.Alphabet())
	for z := range sources {
		src := make([]float64, h.NumStates())
		if h.update(src, h.pi, z) > 0 {
			sources[z] = src
		}
	}
	return sources
}

func (h *HMM) conditionalSources() [][]float64 {
	sources := make([][]float64, h.Alphabet())
	for z := range sources {
		if c, err := h.ConditionalTransition(z); err == nil {
			sources[z] = linalg.VecMul(make([]float64, h.NumStates()), h.pi, c)
		}
	}
	return sources
}
