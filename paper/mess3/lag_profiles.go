package mess3

import (
	"errors"
	"fmt"
	"math"

	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/mat"
)

// profileFit is how far the heads' attention can make the lag profiles that the
// constrained belief asks for.
type profileFit struct {
	wanted    [][]float64 // [profile][n−1], n = 1 … T−2
	made      [][]float64 // the best combination of the heads, mean over sources at each lag
	left, all float64     // sums of squares over all pairs: not made, and wanted
}

// relative is the root of the squares left over those wanted.
func (f profileFit) relative() float64 { return math.Sqrt(f.left / f.all) }

// fitProfiles combines the heads of the first layer to each profile λⁿ of a mode
// that some future sees, by least squares over all pairs d > s but those of the
// first source, where attention collects what is left of each row. The patterns are the
// subject's or those of its random initialisation.
func fitProfiles(m *subject, patterns []probe.Pattern) (f profileFit, err error) {
	spectrum, err := m.HMM.Spectrum()
	if err != nil {
		return f, err
	}
	heads, err := newHeadSpan(patterns[:m.Heads], m.Prefixes.Length)
	if err != nil {
		return f, fmt.Errorf("%s: %w", m.Label(), err)
	}
	for _, mode := range spectrum.Modes {
		if mode.Future == 0 || mode.Eigenvalue == 0 {
			continue
		}
		for _, part := range profileParts(mode) {
			f.add(heads, part)
		}
	}
	return f, nil
}

// profileParts returns λⁿ as functions of n: of a pair the real and the imaginary
// part.
func profileParts(m process.Mode) []func(n int) float64 {
	parts := []func(n int) float64{func(n int) float64 { return real(m.Profile(n, 0)) }}
	if m.Pair() {
		parts = append(parts, func(n int) float64 { return imag(m.Profile(n, 0)) })
	}
	return parts
}

// headSpan is what heads can make together.
type headSpan struct {
	attention *mat.Dense // (pairs d > s, heads)
	svd       mat.SVD
	lags      []int // (pairs)
	longest   int   // of the lags
}

func newHeadSpan(patterns []probe.Pattern, T int) (*headSpan, error) {
	h := &headSpan{longest: T - 2}
	var attention []float64
	eachPair(T, func(d, src int) {
		if src == 0 {
			return
		}
		for _, p := range patterns {
			attention = append(attention, p.Mean[d*T+src])
		}
		h.lags = append(h.lags, d-src)
	})
	h.attention = mat.NewDense(len(h.lags), len(patterns), attention)
	if !h.svd.Factorize(h.attention, mat.SVDThin) {
		return nil, errors.New("the singular value decomposition of its attention did not converge")
	}
	return h, nil
}

// nearest is the combination of heads that comes nearest to numbers (pairs).
func (h *headSpan) nearest(wanted *mat.VecDense) *mat.VecDense {
	var weights, made mat.VecDense
	h.svd.SolveVecTo(&weights, wanted, h.svd.Rank(1e-6))
	made.MulVec(h.attention, &weights)
	return &made
}

// add fits one profile.
func (f *profileFit) add(heads *headSpan, profile func(n int) float64) {
	wanted := mat.NewVecDense(len(heads.lags), nil)
	for i, n := range heads.lags {
		wanted.SetVec(i, profile(n))
	}
	made := heads.nearest(wanted)
	sums, counts := make([]float64, heads.longest), make([]float64, heads.longest)
	for i, n := range heads.lags {
		f.left += math.Pow(wanted.AtVec(i)-made.AtVec(i), 2)
		f.all += math.Pow(wanted.AtVec(i), 2)
		sums[n-1] += made.AtVec(i)
		counts[n-1]++
	}
	targets := make([]float64, heads.longest)
	for n := range sums {
		sums[n] /= counts[n]
		targets[n] = profile(n + 1)
	}
	f.wanted, f.made = append(f.wanted, targets), append(f.made, sums)
}
