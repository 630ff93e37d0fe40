package claimtest

import (
	"math"
	"math/rand/v2"
)

// Stream draws measurements. It adds to the random numbers of [rand.Rand] what
// measurements are made of.
type Stream struct{ *rand.Rand }

// Between draws a number between two positive ones, uniform in its logarithm.
func (s Stream) Between(low, high float64) float64 {
	return low * math.Pow(high/low, s.Float64())
}

// Around draws a number near x, which is multiplied or divided by at most a factor.
func (s Stream) Around(x, factor float64) float64 { return x * s.Between(1/factor, factor) }

// OneIn is true in one of n cases.
func (s Stream) OneIn(n int) bool { return s.IntN(n) == 0 }

// Off draws the error of a formula: rounding if it is right, and of any size if it is
// wrong.
func (s Stream) Off(wrong bool) float64 {
	if wrong {
		return s.Between(1e-5, 1)
	}
	return s.Between(1e-17, 1e-13)
}
