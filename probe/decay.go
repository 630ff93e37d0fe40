package probe

import (
	"fmt"
	"math"
)

// Decay is the rate at which attention falls with distance: the slope of log A[d][s]
// against d−s, where A[d][s] is the attention from destination d to source s.
type Decay struct {
	// Slope is fitted with an intercept for each source, as in Piotrowski et al. 2025, Eq.
	// 13: A[d+m][s] = ζ^m·A[d][s] for d > s, so the slope is log ζ. It is NaN if no source
	// has two pairs.
	Slope, SlopeError float64
	// Pooled is the slope fitted with one intercept for all pairs.
	Pooled, PooledError float64

	Pairs   int // number of pairs (d, s) with d > s and A > 0, which are fitted
	Skipped int // number of pairs with A ≤ 0, which have no logarithm
}

// FitDecay fits the decay of a T×T attention pattern, row-major with destinations d by
// row and sources s by column, over all pairs d > s, unweighted. The errors are the
// standard errors of least squares, NaN if no degrees of freedom are left. FitDecay
// panics unless the pattern has T² entries, T ≥ 1.
func FitDecay(pattern []float64, t int) Decay {
	if t < 1 || len(pattern) != t*t {
		panic(fmt.Sprintf("probe: an attention pattern over %d positions has %d entries, want their square", t, len(pattern)))
	}
	var decay Decay
	bySource, all := make([][]point, t), []point{}
	for s := range t {
		for d := s + 1; d < t; d++ {
			a := pattern[d*t+s]
			if !(a > 0) {
				decay.Skipped++
				continue
			}
			p := point{float64(d - s), math.Log(a)}
			bySource[s] = append(bySource[s], p)
			all = append(all, p)
		}
	}
	decay.Pairs = len(all)
	decay.Slope, decay.SlopeError = commonSlope(bySource)
	decay.Pooled, decay.PooledError = commonSlope([][]point{all})
	return decay
}

type point struct{ x, y float64 }

// commonSlope returns the least-squares slope of parallel lines, one through each group
// of points, and its standard error. Centring each group on its own mean eliminates the
// intercepts.
func commonSlope(groups [][]point) (slope, standardError float64) {
	var centred []point
	freedom := -1 // points minus intercepts minus the slope
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		var mean point
		for _, p := range group {
			mean.x += p.x / float64(len(group))
			mean.y += p.y / float64(len(group))
		}
		for _, p := range group {
			centred = append(centred, point{p.x - mean.x, p.y - mean.y})
		}
		freedom += len(group) - 1
	}
	xx, xy, residual := 0.0, 0.0, 0.0
	for _, p := range centred {
		xx += p.x * p.x
		xy += p.x * p.y
	}
	if xx == 0 {
		return math.NaN(), math.NaN()
	}
	slope = xy / xx
	for _, p := range centred {
		residual += (p.y - slope*p.x) * (p.y - slope*p.x)
	}
	if freedom < 1 {
		return slope, math.NaN()
	}
	return slope, math.Sqrt(residual / float64(freedom) / xx)
}
