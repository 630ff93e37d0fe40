package theory

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// mostGeometricWords and mostMonomials bound the numbers of rows and columns of the
	// polynomial fit.
	mostGeometricWords = 1 << 16
	mostMonomials      = 1 << 7
	// decayStep is the spacing of the grid on which the best decay is searched, and
	// decayTolerance the precision to which the best decay is then refined. mostOwn is
	// the largest weight that the last token may have, and ownTolerance the precision of
	// its best weight.
	decayStep      = 0.02
	decayTolerance = 1e-4
	mostOwn        = 3
	ownTolerance   = 0.01
)

// GeometricSums measures how well the belief can be decoded from geometric sums of a
// sequence's tokens. One head whose attention decays by the factor λ per step can compute
// such a sum,
//
//	u(λ, c) = c·e(z_d) + Σ_{n≥1} λⁿ e(z_{d−n})
//
// where e(z) is one-hot. The last token has its own weight c, since embeddings add to it.
// For almost every λ different sequences have different sums, so an arbitrary decoder
// recovers every belief from any of them. Decays can therefore be compared only for
// decoders of limited complexity. Here the decoder is the best polynomial of degree k in
// the entries of u, by least squares weighted with the probability of sequences:
//
//   - for k = 1 the decoder is linear, and the best decay of Mess3 equals ρ, the decay
//     of the linear filter;
//   - a belief is a softmax of sums of evidence and saturates in both directions. The
//     lowest degree of a polynomial that can saturate in this way is 3, the first odd
//     degree above 1. From degree 3 on the best decay changes little: for Mess3(0.15, a)
//     and k from 3 to 6 by 0.02 at most.
//
// (An alternative, to limit the resolution by adding noise to the sum, was rejected: the
// best decay then depends on the size of the noise, and ranges from below ρ to ½. At ½
// the sums of different sequences are furthest apart. docs/log.md, 2026-11-22.)
type GeometricSums struct {
	degree  int
	tokens  [][]int32 // sequences that can occur, all of one length
	prob    []float64
	beliefs *mat.Dense // (sequences, n): belief minus π
	total   float64    // E|η − π|², the variance of the belief η
	width   int        // number of entries of u that are used: all except the last token's, which the others determine
}

// GeometricReading is the result of decoding the belief from geometric sums.
type GeometricReading struct {
	Decay float64 // λ, the factor by which weights decay per step
	Own   float64 // c, the weight of the last token
	R2    float64 // fraction of the belief's variance explained, over all states together
}

// GeometricSums prepares to decode the belief by polynomials of the given degree, at the
// last position of all sequences of the given length. It returns an error if length or
// degree is less than 1, if there are more than 65,536 sequences or more than 128
// monomials, or if ctx ends.
func (l *Layer) GeometricSums(ctx context.Context, length, degree int) (*GeometricSums, error) {
	if length < 1 || degree < 1 {
		return nil, fmt.Errorf("%s: geometric sums of %d tokens, a polynomial of degree %d: want at least 1 for both",
			l.name, length, degree)
	}
	if words := math.Pow(float64(l.a), float64(length)); words > mostGeometricWords {
		return nil, fmt.Errorf("%s: there are more than %d sequences of %d tokens to sum; want a shorter length",
			l.name, mostGeometricWords, length)
	}
	g := &GeometricSums{degree: degree, width: l.a - 1}
	if monomials(g.width, degree) > mostMonomials {
		return nil, fmt.Errorf("%s: a polynomial of degree %d over %d tokens has more than %d monomials; "+
			"want a lower degree", l.name, degree, l.a, mostMonomials)
	}
	p, err := l.h.Prefixes(ctx, length)
	if err != nil {
		return nil, err
	}
	from, to := p.Range(length)
	var beliefs []float64
	for row := from; row < to; row++ {
		g.tokens = append(g.tokens, p.Tokens(row))
		g.prob = append(g.prob, p.Prob[row])
		centred := floats.SubTo(make([]float64, l.n), p.Belief(row), l.pi)
		beliefs = append(beliefs, centred...)
		g.total += p.Prob[row] * floats.Dot(centred, centred)
	}
	g.beliefs = mat.NewDense(len(g.prob), l.n, beliefs)
	if g.total <= unvaried*floats.Dot(l.pi, l.pi) {
		g.total = 0
	}
	return g, nil
}

// Best returns λ*, the decay in [0, 1) for which the belief can be decoded best from the
// geometric sum with c = 1. (Attention has no negative weights, so λ < 0 is not
// considered for one head.) If the belief does not vary, the decay is 0 and R² is 1. Best
// returns an error if ctx ends.
func (g *GeometricSums) Best(ctx context.Context) (GeometricReading, error) { return g.best(ctx, 1) }

// BestOwn returns the best decay when the weight of the last token is free, in [0, 3].
// This is an alternative definition of λ*; its difference from the result of Best shows
// how much the definition matters. BestOwn returns an error if ctx ends.
func (g *GeometricSums) BestOwn(ctx context.Context) (GeometricReading, error) {
	best, err := g.best(ctx, 1)
	if err != nil {
		return best, err
	}
	highest(0, mostOwn, ownTolerance, func(own float64) float64 {
		if ctx.Err() != nil {
			return 0
		}
		r, _ := g.best(ctx, own)
		if r.R2 > best.R2 {
			best = r
		}
		return r.R2
	})
	return best, ctx.Err()
}

// best looks for the best decay on a grid, and then between the neighbours of the best
// grid point.
func (g *GeometricSums) best(ctx context.Context, own float64) (GeometricReading, error) {
	best := GeometricReading{Own: own, R2: g.R2(0, own)}
	if g.total == 0 {
		return best, nil
	}
	try := func(decay float64) float64 {
		if ctx.Err() != nil {
			return 0
		}
		r2 := g.R2(decay, own)
		if r2 > best.R2 {
			best.Decay, best.R2 = decay, r2
		}
		return r2
	}
	for k := 1; float64(k)*decayStep < 1; k++ {
		try(float64(k) * decayStep)
	}
	highest(max(0, best.Decay-decayStep), min(1, best.Decay+decayStep), decayTolerance, try)
	return best, ctx.Err()
}

// highest finds the maximum of a unimodal function by golden-section search (Kiefer
// 1953), calling f with arguments that converge to it.
func highest(low, high, tolerance float64, f func(float64) float64) {
	const golden = 0.6180339887498949
	left, right := high-golden*(high-low), low+golden*(high-low)
	atLeft, atRight := f(left), f(right)
	for high-low > tolerance {
		if atLeft > atRight {
			high, right, atRight = right, left, atLeft
			left = high - golden*(high-low)
			atLeft = f(left)
		} else {
			low, left, atLeft = left, right, atRight
			right = low + golden*(high-low)
			atRight = f(right)
		}
	}
}

// R2 returns the fraction of the belief's variance that the best polynomial in u(λ, c)
// explains, where λ is the decay and c the own weight of the last token. It is 1 if the
// belief does not vary.
func (g *GeometricSums) R2(decay, own float64) float64 {
	if g.total == 0 {
		return 1
	}
	rows := g.sums(decay, own)
	columns := int(monomials(g.width, g.degree))
	design := mat.NewDense(len(rows), columns, nil)
	weighed := mat.NewDense(len(rows), columns, nil)
	var m []float64
	for i, u := range rows {
		m = appendMonomials(m[:0], u, g.degree, 1)
		design.SetRow(i, m)
		floats.Scale(g.prob[i], m)
		weighed.SetRow(i, m)
	}
	var square, joint, told mat.Dense
	square.Mul(weighed.T(), design)
	joint.Mul(weighed.T(), g.beliefs)
	told.Mul(whitening(&square, square.RawMatrix().Data).T(), &joint)
	size := mat.Norm(&told, 2)
	return min(1, size*size/g.total)
}

// sums returns the geometric sums u(λ, c) of every sequence, with each entry standardised
// (zero mean, unit standard deviation). The space of polynomials stays the same, but
// their monomials are less collinear.
func (g *GeometricSums) sums(decay, own float64) [][]float64 {
	rows := make([][]float64, len(g.tokens))
	mean, square := make([]float64, g.width), make([]float64, g.width)
	for i, sequence := range g.tokens {
		u := make([]float64, g.width)
		for s, z := range sequence {
			floats.Scale(decay, u)
			weight := 1.0
			if s == len(sequence)-1 {
				weight = own
			}
			if int(z) < g.width {
				u[z] += weight
			}
		}
		rows[i] = u
		for j, x := range u {
			mean[j] += g.prob[i] * x
			square[j] += g.prob[i] * x * x
		}
	}
	for _, u := range rows {
		for j := range u {
			u[j] -= mean[j]
			if variance := square[j] - mean[j]*mean[j]; variance > predictable*square[j] {
				u[j] /= math.Sqrt(variance)
			} else {
				u[j] = 0
			}
		}
	}
	return rows
}

// appendMonomials appends the products of up to degree entries of u, each times factor,
// beginning with factor itself.
func appendMonomials(list, u []float64, degree int, factor float64) []float64 {
	list = append(list, factor)
	if degree == 0 {
		return list
	}
	for j, x := range u {
		list = appendMonomials(list, u[j:], degree-1, factor*x)
	}
	return list
}

// monomials returns the number of products that appendMonomials appends: C(width +
// degree, degree).
func monomials(width, degree int) float64 {
	count := 1.0
	for k := range degree {
		count *= float64(width+k+1) / float64(k+1)
	}
	return math.Round(count)
}
