package theory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// profileStarts is the number of random starts, for each number of heads, when every
	// head has one profile. headStarts, divided by the number of heads, is the number of
	// random starts when every pair of positions has its own weight. headSeed is the seed
	// of both kinds of starts.
	profileStarts = 12
	headStarts    = 12
	headSeed      = 1
	// profileRounds and headRounds bound the number of rounds after a start. The search from
	// this start ends earlier if headPatience rounds together have raised R² by less than
	// headGain. headSweeps is the number of sweeps over the weights of attention in a round.
	profileRounds = 300
	headRounds    = 300
	headPatience  = 10
	headGain      = 1e-8
	headSweeps    = 8
	// mostHeadNumbers bounds the number of unknown values, positions·heads·tokens, for which
	// a dense system is solved.
	mostHeadNumbers = 1500
	// mostHeadWork bounds the number of products in a round, which solves for the values and
	// computes the covariance of each pair of sources.
	mostHeadWork = 30_000_000
)

// HeadsR2 measures how well a number of heads can approximate the constrained beliefs if
// their attention does not depend on the tokens. For the constrained belief c and its
// approximation ĉ, shares are 1 − E|c − ĉ|²/E|c − π|² over the sequences of all lengths
// up to the number of positions; all lengths have equal weight, and sequences of one
// length are weighted by their probability.
type HeadsR2 struct {
	Heads int `json:"heads"`
	// R2 is the largest share that was found, a lower bound on the largest possible share
	// R*_H.
	R2 float64 `json:"r2"`
	// Bound is an upper bound on R*_H; 1 if no better bound is known.
	Bound float64 `json:"bound"`
	// ProfileR2 is the largest share that was found when attention depends on the lag
	// alone and values do not depend on the position; at most R2.
	ProfileR2 float64 `json:"profile_r2"`
	// Profiles are the lag profiles that reach ProfileR2: [head], by lag from 0. Each is
	// scaled so that its largest weight is 1, and is 0 at lag 0, which is left to the
	// embeddings.
	Profiles [][]float64 `json:"profiles"`
}

// HeadsR2 returns how much of the constrained beliefs (Piotrowski et al. 2025, Eq. 26)
// the heads of one layer can build if their attention does not depend on the tokens. It
// does so for each number of heads from 0 to most, over sequences of up to the given
// number of positions. The measure is R*_H, the largest R² of
//
//	ĉ_d = w_d + u_d(z_d) + Σ_h Σ_{s<d} A_h(d, s)·v_h(s, z_s),   A_h(d, s) ≥ 0
//
// where w, u and v are free. A real layer can do less, because its embeddings and values
// depend on position and token less freely. (The rows of its attention also sum to one,
// but this costs nothing: see [Spectrum.Heads].) R*_H therefore bounds the R² of an
// affine map, the same for all positions, from the residual stream after the first
// attention to the constrained beliefs, in any model whose patterns are the same for all
// sequences. It does not bound a map for one position alone, for which one head is always
// enough. It does not bound KL either, because an MLP follows.
//
// With zero heads only the token itself is available. R2 is 1 at [Heads].Belief of the
// spectrum, and may be 1 with fewer heads: the sequences have finite length, and an
// embedding corrects lag 0.
//
// The search alternates between fitting the values by least squares and fitting each row
// of attention by non-negative least squares. Both use the covariance of the tokens.
// Constants at the top of heads_r2.go set the number of starts and the length of the
// search from each. The search may end at a local maximum, and the supremum need not be
// attained by any layer: two heads that are nearly alike, with large opposed values, may
// come closer the more alike they are. For that reason R2 is too low by about 1e-4 with
// two or more heads. Bound is rigorous. With μ the least eigenvalue of that covariance,
// for tokens made uncorrelated within a position,
//
//	E|c − ĉ|² ≥ μ·Σ_s min |M_s − Σ_h a_h v_hᵀ|²
//
// where M_s are the corrections of source s, lags × (token, state). For one head and up
// to 12 lags the minimum is found exactly, over all sets of lags that a head attends
// to; otherwise the constraint on signs is dropped (Eckart and Young 1936). If some
// tokens are predictable with certainty, μ is 0 and Bound 1.
//
// HeadsR2 returns an error if positions is less than 1 or most less than 0, if
// positions·most·tokens exceeds 1500, if a round of the search takes more than 3·10⁷
// products, or if ctx ends.
func (l *Layer) HeadsR2(ctx context.Context, positions, most int) ([]HeadsR2, error) {
	if err := l.checkPositions("layer of attention", positions); err != nil {
		return nil, err
	}
	if most < 0 {
		return nil, fmt.Errorf("%s: a layer of %d heads, want at least 0", l.name, most)
	}
	if positions*most*l.a > mostHeadNumbers {
		return nil, fmt.Errorf("%s: %d heads over %d positions and %d tokens are too many to fit, "+
			"want a product of at most %d", l.name, most, positions, l.a, mostHeadNumbers)
	}
	problem := newHeadProblem(l, positions)
	if work := problem.roundWork(most); work > mostHeadWork {
		return nil, fmt.Errorf("%s: %d heads over %d positions are too many to fit: "+
			"a round takes about %.1g products, want at most %.1g",
			l.name, most, positions, work, float64(mostHeadWork))
	}
	tied := problem.tied()
	free, profiles := problem.fit(nil), tied.fit(nil)
	var list []HeadsR2
	for heads := range most + 1 {
		if heads > 0 {
			profiles = tied.search(ctx, heads, profiles)
			free = problem.search(ctx, heads, free, tied.patterns(profiles))
		}
		bound := problem.bound(ctx, heads)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found := HeadsR2{
			Heads: heads, R2: problem.r2(free.missed), Bound: max(problem.r2(free.missed), bound),
			ProfileR2: problem.r2(profiles.missed), Profiles: profiles.normalised(),
		}
		list = append(list, found)
	}
	return list, nil
}

// roundWork returns the approximate number of products in a round of the search: a
// Cholesky decomposition of the equations for the values, and for each destination the
// covariance of every pair of its sources' contributions.
func (p *headProblem) roundWork(heads int) float64 {
	size, pairs := float64((p.positions-1)*heads*p.q), 0.0
	for d := 1; d < p.positions; d++ {
		pairs += float64(d*heads) * float64(d*heads) / 2
	}
	return size*size*size/3 + pairs*float64(p.q*p.q*p.n)
}

// headProblem is the problem that heads are fitted to. Each token is represented by q
// coordinates x, which are uncorrelated and have variance 1 within a position.
// Coordinates of past positions are conditioned on the token of the destination, because
// an embedding can cancel whatever they share with it.
type headProblem struct {
	layer           *Layer
	positions, q, n int
	covariance      *mat.SymDense // of past tokens, lags 1 … positions−1; rows and columns by (lag−1, q)
	corrections     *mat.Dense    // M, what a token adds at each lag; rows by (lag−1, q), n columns
	pulled          []*mat.Dense  // [destination]: covariance·M over its lags; rows by (lag−1, q), n columns
	missing         float64       // Σ_d E|c_d − ĉ_d|² without heads
	total           float64       // Σ_d E|c_d − π|²
}

func newHeadProblem(l *Layer, positions int) *headProblem {
	f := l.LinearFilter()
	n, a := l.n, l.a
	p := &headProblem{layer: l, positions: positions, n: n}
	c := f.newConstrainedMoments()
	for range positions {
		c.step()
		p.total += mat.Trace(c.covariance)
	}
	covariance, _ := f.moments()
	tokens := mat.NewDense(a, a, covariance)
	white := whitening(tokens, covariance)
	if white == nil || positions == 1 {
		return p
	}
	_, p.q = white.Dims()
	p.covariance = p.pastTokens(white)
	p.corrections = mat.NewDense((positions-1)*p.q, n, nil)
	var term mat.Dense
	term.Product(white.T(), tokens, c.b)
	for lag := 1; lag < positions; lag++ {
		term.Mul(&term, c.net)
		p.corrections.Slice((lag-1)*p.q, lag*p.q, 0, n).(*mat.Dense).Copy(&term)
	}
	for d := range positions {
		p.pulled = append(p.pulled, nil)
		if d == 0 {
			continue
		}
		size := d * p.q
		m := p.corrections.Slice(0, size, 0, n)
		pulled := mat.NewDense(size, n, nil)
		pulled.Mul(p.covariance.SliceSym(0, size), m)
		p.pulled[d] = pulled
		p.missing += floats.Dot(pulled.RawMatrix().Data, p.corrections.RawMatrix().Data[:size*n])
	}
	return p
}

// pastTokens returns the covariance of the coordinates at lags 1 … positions−1, given
// the coordinates at lag 0.
func (p *headProblem) pastTokens(white *mat.Dense) *mat.SymDense {
	n, a := p.layer.n, p.layer.a
	// apart[k]: Cov(x_t, x_{t+k}), from πT^y T^{k−1} T^z r.
	var after, seen, both mat.Dense
	_, joint := p.layer.LinearFilter().moments()
	after.CloneFrom(joint)
	apart := make([]*mat.Dense, p.positions)
	for k := 1; k < p.positions; k++ {
		seen.Mul(&after, mat.NewDense(n, a, p.layer.emission))
		apart[k] = mat.NewDense(p.q, p.q, nil)
		both.Product(white.T(), &seen, white)
		apart[k].Copy(&both)
		after.Mul(&after, mat.NewDense(n, n, p.layer.net))
	}
	lags := p.positions - 1
	covariance := mat.NewSymDense(lags*p.q, nil)
	for late := 1; late <= lags; late++ {
		for early := late; early <= lags; early++ {
			var shared mat.Dense
			shared.Mul(apart[early], apart[late].T())
			for i := range p.q {
				for j := range p.q {
					v := -shared.At(i, j)
					if early > late {
						v += apart[early-late].At(i, j)
					} else if i == j {
						v++
					}
					covariance.SetSym((late-1)*p.q+j, (early-1)*p.q+i, v)
				}
			}
		}
	}
	clearForeseen(covariance)
	return covariance
}

// clearForeseen sets to 0 the variances that are only rounding errors, and their
// covariances.
func clearForeseen(m *mat.SymDense) {
	for i := range m.SymmetricDim() {
		if m.At(i, i) > predictable {
			continue
		}
		for j := range m.SymmetricDim() {
			m.SetSym(i, j, 0)
		}
	}
}

// r2 returns the share of the variance that is not missed.
func (p *headProblem) r2(missed float64) float64 {
	if p.total <= unvaried*floats.Dot(p.layer.pi, p.layer.pi) {
		return 1
	}
	return min(1, 1-max(0, missed)/p.total)
}

// search fits the given number of heads. It starts from the best fit with one head fewer,
// from the best profiles, from the heads that theory predicts if there are no more of
// them than given, and from random patterns. When ctx ends, it returns the best fit so
// far.
func (p *headProblem) search(ctx context.Context, heads int, fewer headFit, profiles [][]float64) headFit {
	more := slices.Clone(fewer.patterns)
	for len(more) < heads {
		more = append(more, profiles[len(more)])
	}
	best := p.climb(ctx, more)
	starts := [][][]float64{profiles}
	r := rand.New(rand.NewPCG(headSeed, uint64(heads)))
	for range headStarts / heads {
		var start [][]float64
		for range heads {
			start = append(start, p.randomPattern(r))
		}
		starts = append(starts, start)
	}
	if s, err := p.layer.Spectrum(ctx); err == nil {
		if predicted := s.Attention(p.positions).Heads; len(predicted) > 0 && len(predicted) <= heads {
			var start [][]float64
			for i := range heads {
				start = append(start, predicted[i%len(predicted)].Pattern)
			}
			starts = append(starts, start)
		}
	}
	for _, start := range starts {
		if fit := p.climb(ctx, start); fit.missed < best.missed {
			best = fit
		}
	}
	return best
}

// randomPattern returns attention that decays with the lag at a random rate, with each
// weight scaled by a random factor.
func (p *headProblem) randomPattern(r *rand.Rand) []float64 {
	pattern, rate := make([]float64, p.positions*p.positions), 0.2+0.8*r.Float64()
	for d := range p.positions {
		for s := range d {
			pattern[d*p.positions+s] = math.Pow(rate, float64(d-s)) * r.Float64()
		}
	}
	return pattern
}
