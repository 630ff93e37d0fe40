package process

import (
	"context"
	"math"
)

const (
	// varianceBudget is the largest number of beliefs that are computed to bound the
	// long-run variance, and varianceWork the largest number of products. varianceGap is
	// the largest relative distance between the bounds that counts as close enough.
	varianceBudget = 100_000
	varianceWork   = 500_000_000
	varianceGap    = 1e-10
)

// BeliefVariances returns the variance E|η − π|² of the belief η over sequences, all
// states taken together, after each of 0 … tokens tokens. It sums over the distinct
// beliefs, as [HMM.Floor] does. BeliefVariances returns an error if tokens is negative,
// if a position needs more than two million distinct beliefs, or if ctx ends.
func (h *HMM) BeliefVariances(ctx context.Context, tokens int) ([]float64, error) {
	return h.byPosition(ctx, "variance of the belief", tokens+1, floorBudget, h.beliefVariance)
}

// beliefVariance returns the variance E|η − π|² of the beliefs η in m.
func (h *HMM) beliefVariance(ctx context.Context, m *mixedStates) (float64, error) {
	return m.mean(ctx, func(b int) float64 {
		sum := 0.0
		for j, x := range m.belief(b) {
			d := x - h.pi[j]
			sum += float64(d * d)
		}
		return sum
	})
}

// LongRunBeliefVariance returns bounds on the limit of the variance of the belief, see
// [HMM.BeliefVariances]. The variance never shrinks when the observer knows more, such as
// tokens further back or the start state. (A generalised HMM has no start state; its high
// is estimated from the last change of the variance.) The bounds meet within a relative
// 1e-10, unless that takes more than 100,000 beliefs or 5·10⁸ products.
// LongRunBeliefVariance returns an error if ctx ends.
func (h *HMM) LongRunBeliefVariance(ctx context.Context) (low, high float64, err error) {
	above, below := h.startingPoints()
	low, high = 0, math.Inf(1)
	budget, work := varianceBudget, int64(varianceWork)
	for {
		ofAbove, ofBelow, err := eachMean(ctx, above, below, h.beliefVariance)
		if err != nil {
			return 0, 0, err
		}
		before := low
		low = max(low, ofAbove)
		if h.generalised {
			high = low + max(0, low-before)
		} else {
			high = max(low, min(high, ofBelow))
		}
		budget -= above.size() + below.size()
		work -= h.work(above) + h.work(below)
		if above.size() > 1 && high-low <= varianceGap*high || budget < 0 || work < 0 {
			return low, high, nil
		}
		if above, err = h.advance(ctx, above, budget); err != nil {
			return low, high, ctx.Err()
		}
		if below, err = h.advance(ctx, below, budget); err != nil {
			return low, high, ctx.Err()
		}
	}
}
