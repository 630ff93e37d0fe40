package theory

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// lagProblem is the problem of headProblem with one profile per head, A_h(d, s) =
// a_h(d−s), and values that do not depend on the position. It has far fewer unknowns, so
// a search can afford many starts.
type lagProblem struct {
	*headProblem
	lags       int           // positions − 1
	covariance *mat.SymDense // of past tokens, summed over destinations; rows and columns by (lag−1, q)
	pulled     *mat.Dense    // covariance times corrections; rows by (lag−1, q), n columns
}

// lagFit is a set of profiles, with the part of the constrained beliefs that they miss.
type lagFit struct {
	profiles [][]float64 // [head][lag−1]: weight
	values   *mat.Dense  // what a token contributes; rows by (head, q), n columns
	missed   float64
}

// tied returns the problem with one profile per head.
func (p *headProblem) tied() *lagProblem {
	t := &lagProblem{headProblem: p, lags: p.positions - 1}
	if p.q == 0 {
		return t
	}
	size := t.lags * p.q
	t.covariance, t.pulled = mat.NewSymDense(size, nil), mat.NewDense(size, p.n, nil)
	for i := range size {
		for j := i; j < size; j++ { // j has the longer lag, which has positions − lag destinations
			t.covariance.SetSym(i, j, float64(p.positions-1-j/p.q)*p.covariance.At(i, j))
		}
	}
	t.pulled.Mul(t.covariance, p.corrections)
	return t
}

// search fits the given number of profiles from random starts, and from the best fit with
// one head fewer.
func (t *lagProblem) search(ctx context.Context, heads int, fewer lagFit) lagFit {
	r := rand.New(rand.NewPCG(headSeed, uint64(heads)))
	best := lagFit{missed: math.Inf(1)}
	for i := range profileStarts {
		var start [][]float64
		if i == 0 {
			start = slices.Clone(fewer.profiles)
		}
		for len(start) < heads {
			start = append(start, t.random(r))
		}
		if fit := t.climb(ctx, start); fit.missed < best.missed {
			best = fit
		}
	}
	return best
}

// random returns a profile that decays at a random rate, with each weight scaled by a
// random factor.
func (t *lagProblem) random(r *rand.Rand) []float64 {
	profile, rate := make([]float64, t.lags), 0.2+0.8*r.Float64()
	for n := range profile {
		profile[n] = math.Pow(rate, float64(n)) * r.Float64()
	}
	return profile
}

// climb alternates between fitting values and profiles until the fit no longer improves,
// or ctx ends.
func (t *lagProblem) climb(ctx context.Context, start [][]float64) lagFit {
	fit := t.fit(start)
	if t.q == 0 {
		return fit
	}
	untilFlat(ctx, profileRounds, headGain*t.total, fit.missed, func() float64 {
		fit = t.fit(t.attend(fit))
		return fit.missed
	})
	return fit
}

// fit returns the profiles with their best values, by least squares.
func (t *lagProblem) fit(profiles [][]float64) lagFit {
	fit := lagFit{profiles: profiles, missed: t.missing}
	heads := len(profiles)
	if heads == 0 || t.q == 0 || t.lags == 0 {
		return fit
	}
	spread := mat.NewDense(t.lags*t.q, heads*t.q, nil)
	for h, profile := range profiles {
		for n, a := range profile {
			for i := range t.q {
				spread.Set(n*t.q+i, h*t.q+i, a)
			}
		}
	}
	var seen, square, wanted mat.Dense
	seen.Mul(t.covariance, spread)
	square.Mul(spread.T(), &seen)
	wanted.Mul(spread.T(), t.pulled)
	normal := mat.NewSymDense(heads*t.q, nil)
	for i := range heads * t.q {
		for j := i; j < heads*t.q; j++ {
			normal.SetSym(i, j, square.At(i, j))
		}
	}
	fit.values = mat.NewDense(heads*t.q, t.n, nil)
	fit.missed -= solveSemidefinite(fit.values, normal, &wanted)
	return fit
}

// attend returns the best non-negative profiles for the current values.
func (t *lagProblem) attend(fit lagFit) [][]float64 {
	heads := len(fit.profiles)
	size := heads * t.lags
	quadratic, linear, weights := make([]float64, size*size), make([]float64, size), make([]float64, size)
	for h, profile := range fit.profiles {
		copy(weights[h*t.lags:], profile)
		vh := fit.values.Slice(h*t.q, (h+1)*t.q, 0, t.n)
		for g := h; g < heads; g++ {
			var products mat.Dense // scalar products of v_h and v_g, by coordinate
			products.Mul(vh, fit.values.Slice(g*t.q, (g+1)*t.q, 0, t.n).T())
			for n := range t.lags {
				for m := range t.lags {
					sum := 0.0
					for i := range t.q {
						for j := range t.q {
							sum += t.covariance.At(n*t.q+i, m*t.q+j) * products.At(i, j)
						}
					}
					k, l := h*t.lags+n, g*t.lags+m
					quadratic[k*size+l], quadratic[l*size+k] = sum, sum
				}
			}
		}
		for n := range t.lags {
			for i := range t.q {
				linear[h*t.lags+n] += floats.Dot(fit.values.RawRowView(h*t.q+i), t.pulled.RawRowView(n*t.q+i))
			}
		}
	}
	nonNegativeLeastSquares(weights, quadratic, linear)
	return slices.Collect(slices.Chunk(weights, t.lags))
}

// patterns expands profiles to patterns over positions.
func (t *lagProblem) patterns(fit lagFit) [][]float64 {
	var list [][]float64
	for _, profile := range fit.profiles {
		pattern := make([]float64, t.positions*t.positions)
		for d := range t.positions {
			for s := range d {
				pattern[d*t.positions+s] = profile[d-s-1]
			}
		}
		list = append(list, pattern)
	}
	return list
}

// normalised returns the profiles, each scaled so that its largest weight is 1. The
// result begins at lag 0, where every profile is 0, because the embeddings contribute at
// that lag.
func (f lagFit) normalised() [][]float64 {
	var list [][]float64
	for _, profile := range f.profiles {
		p := append([]float64{0}, profile...)
		if largest := slices.Max(p); largest > 0 {
			floats.Scale(1/largest, p)
		}
		list = append(list, p)
	}
	return list
}
