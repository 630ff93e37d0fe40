package probe

import (
	"fmt"
	"math"
)

// FitDecay returns the rate at which attention falls with distance: the least-squares
// slope of log A[d][s] against d−s, where A[d][s] is the attention from destination d to
// source s, over all pairs d > s with A > 0. Each source has an intercept, as in
// Piotrowski et al. 2025, Eq. 13: A[d+m][s] = ζ^m·A[d][s] for d > s, so the slope is
// log ζ. The slope is NaN if no source has two pairs. The T×T pattern is row-major with
// destinations by row and sources by column; FitDecay panics unless it has T² entries,
// T ≥ 1.
func FitDecay(pattern []float64, t int) float64 {
	if t < 1 || len(pattern) != t*t {
		panic(fmt.Sprintf("probe: an attention pattern over %d positions has %d entries, want their square", t, len(pattern)))
	}
	bySource := make([][]point, t)
	for s := range t {
		for d := s + 1; d < t; d++ {
			if a := pattern[d*t+s]; a > 0 {
				bySource[s] = append(bySource[s], point{float64(d - s), math.Log(a)})
			}
		}
	}
	return commonSlope(bySource)
}

type point struct{ x, y float64 }

// commonSlope returns the least-squares slope of parallel lines, one through each group
// of points. Centring each group on its own mean eliminates the intercepts.
func commonSlope(groups [][]point) float64 {
	xx, xy := 0.0, 0.0
	for _, group := range groups {
		var mean point
		for _, p := range group {
			mean.x += p.x / float64(len(group))
			mean.y += p.y / float64(len(group))
		}
		for _, p := range group {
			x := p.x - mean.x
			xx += x * x
			xy += x * (p.y - mean.y)
		}
	}
	if xx == 0 {
		return math.NaN()
	}
	return xy / xx
}
