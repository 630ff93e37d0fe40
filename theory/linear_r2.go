package theory

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// unvaried is the largest variance of a belief, relative to the size of π, that is
// treated as rounding.
const unvaried = 1e-26

// LinearR2 measures how well sums over tokens explain the belief. Each share is a
// fraction of the belief's variance over sequences, all states taken together: 1 − E|η −
// η̂|²/E|η − π|². The shares are 1 if the belief does not vary.
type LinearR2 struct {
	// Position is the length of the sequences or, for the long run, a position after which
	// nothing changes.
	Position int     `json:"position"`
	Variance float64 `json:"variance"` // E|η − π|², the denominator of the shares
	// Linear is the share of the linear least-squares filter, the greatest share that a
	// sum of functions of (position, token) can have.
	Linear float64 `json:"linear"`
	// Constrained is the largest share that an affine map of the constrained belief can have
	// (Piotrowski et al. 2025, Eq. 26). The map is fitted for this position alone.
	Constrained float64 `json:"constrained"`
	// Error is a half-width: each share is within value ± Error. At a single position it
	// is 0, because the shares are exact up to rounding.
	Error float64 `json:"error"`
}

// R2 returns the shares at each of the positions 1 … positions. The variance that the
// sums explain follows from second moments. The variance of the belief does not; it is a
// sum over the distinct beliefs, as in [process.HMM.Floor]. R2 returns an error if
// positions is less than 1, if a position needs more than two million distinct beliefs,
// or if ctx ends.
func (f *LinearFilter) R2(ctx context.Context, positions int) ([]LinearR2, error) {
	if err := f.layer.checkPositions("linear filter", positions); err != nil {
		return nil, err
	}
	variances, err := f.layer.h.BeliefVariances(ctx, positions)
	if err != nil {
		return nil, err
	}
	list, c := make([]LinearR2, positions), f.newConstrainedMoments()
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.step()
		list[i] = f.shares(i+1, variances[i+1], mat.Trace(f.step(i+1).covariance), c.explained())
	}
	return list, nil
}

// SteadyR2 returns the shares in the long run. The variance of the belief lies between
// two bounds: its variance after L tokens, and its variance after L tokens for an
// observer that also knows the start state. L grows until the bounds meet or 100,000
// beliefs have been computed. (A generalised HMM has no start state; its Error is
// estimated from the last change of the variance.) SteadyR2 returns an error if the
// filter has no steady state (see [LinearFilter.Steady]), if the share of Eq. 26 does not
// settle, or if ctx ends.
func (f *LinearFilter) SteadyR2(ctx context.Context) (LinearR2, error) {
	steady, err := f.Steady(ctx)
	if err != nil {
		return LinearR2{}, err
	}
	linear := 0.0
	for i, n := 0, f.layer.n; i < n; i++ {
		linear += steady.Covariance[i*n+i]
	}
	constrained, position, ok := f.constrainedInTheLongRun(ctx)
	if err := ctx.Err(); err != nil {
		return LinearR2{}, err
	}
	if !ok {
		return LinearR2{}, fmt.Errorf(
			"%s: the share of the belief that Eq. 26 explains has not settled after %d positions",
			f.layer.name, position)
	}
	low, high, err := f.layer.h.LongRunBeliefVariance(ctx)
	if err != nil {
		return LinearR2{}, err
	}
	least := f.shares(max(position, steady.Position), high, linear, constrained)
	most := f.shares(least.Position, low, linear, constrained)
	return LinearR2{
		Position: least.Position, Variance: (low + high) / 2,
		Linear: (least.Linear + most.Linear) / 2, Constrained: (least.Constrained + most.Constrained) / 2,
		Error: (most.Linear - least.Linear) / 2,
	}, nil
}

// shares divides the explained variances by the variance of the belief.
func (f *LinearFilter) shares(position int, variance, linear, constrained float64) LinearR2 {
	if variance <= unvaried*floats.Dot(f.layer.pi, f.layer.pi) {
		return LinearR2{Position: position, Linear: 1, Constrained: 1}
	}
	return LinearR2{
		Position: position, Variance: variance,
		Linear: min(1, linear/variance), Constrained: min(1, constrained/variance),
	}
}

// constrainedMoments are the second moments of the constrained belief c_d of Eq. 26.
// They follow from the second moments of tokens and states:
//
//	c_d − π = (c_{d−1} − π)T + (Y_d − p)B,   B[z] = Pr(S | z) − π
type constrainedMoments struct {
	f          *LinearFilter
	net, b     *mat.Dense // T, (n, n), and B, (A, n)
	covariance *mat.Dense // (n, n): Cov(c_d)
	joint      *mat.Dense // (n, n): Cov(c_d, S_d)
}

func (f *LinearFilter) newConstrainedMoments() *constrainedMoments {
	n, a := f.layer.n, f.layer.a
	c := &constrainedMoments{
		f: f, net: mat.NewDense(n, n, f.layer.net), b: mat.NewDense(a, n, nil),
		covariance: mat.NewDense(n, n, nil), joint: mat.NewDense(n, n, nil),
	}
	for z, source := range f.layer.sources {
		if source != nil {
			floats.SubTo(c.b.RawRowView(z), source, f.layer.pi)
		}
	}
	return c
}

// step advances by one position.
func (c *constrainedMoments) step() {
	n, a := c.f.layer.n, c.f.layer.a
	tokens, ofState := c.f.moments()
	var carried, cross, added, joint mat.Dense
	carried.Product(c.net.T(), c.covariance, c.net)
	cross.Product(c.net.T(), c.joint, mat.NewDense(n, a, c.f.layer.emission), c.b)
	added.Product(c.b.T(), mat.NewDense(a, a, tokens), c.b)
	c.covariance.Add(&carried, &added)
	c.covariance.Add(c.covariance, &cross)
	c.covariance.Add(c.covariance, cross.T())
	joint.Product(c.net.T(), c.joint, c.net)
	added.Mul(c.b.T(), ofState)
	c.joint.Add(&joint, &added)
}

// explained returns the variance of the belief explained by the best affine image of
// c_d, tr(Cov(c, S)ᵀ Cov(c)⁺ Cov(c, S)).
func (c *constrainedMoments) explained() float64 {
	white := whitening(c.covariance, c.covariance.RawMatrix().Data)
	if white == nil {
		return 0
	}
	var told mat.Dense
	told.Mul(white.T(), c.joint)
	size := mat.Norm(&told, 2)
	return size * size
}

// constrainedInTheLongRun returns the limit of the explained variance, and the position
// at which it has been constant within 1e-13 for as many positions as there are states.
// ok is false if it does not settle or ctx ends.
func (f *LinearFilter) constrainedInTheLongRun(ctx context.Context) (
	explained float64, position int, ok bool,
) {
	n := f.layer.n
	most := f.settlingLimit(4)
	c, same := f.newConstrainedMoments(), 0
	for position = 1; position <= most && ctx.Err() == nil; position++ {
		c.step()
		before := explained
		explained = c.explained()
		if same++; math.Abs(explained-before) > 1e-13*explained {
			same = 0
		}
		if same > n {
			return explained, position, true
		}
	}
	return explained, most, false
}
