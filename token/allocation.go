package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

// AllocateBits distributes bits among quantisers: distortions[i][b] is the distortion of
// the ith with b bits, b = 0, 1, …. It returns the number of bits of each, at most total
// in all, that minimises the sum of the distortions. Among equal sums it takes the one
// with the fewest bits, then the one with the fewest bits for the last quantiser, then
// for the one before it, and so on.
//
// It is exact, by dynamic programming in total·Σ len(distortions[i]) steps. The greedy
// method of Fox (1966), which gives each bit to the quantiser that gains most, has the
// same result if each distortion is convex in its bits, but measured distortions need not
// be convex.
//
// It returns an error if total is negative, or if a quantiser has no distortions or one
// that is NaN or infinite.
func AllocateBits(distortions [][]float64, total int) ([]int, error) {
	if total < 0 {
		return nil, fmt.Errorf("token: cannot allocate %d bits; give at least 0", total)
	}
	// least[b] is the least sum for the quantisers so far with exactly b bits, and
	// taken[i][b] the number of these bits for the ith.
	least := slices.Repeat([]float64{math.Inf(1)}, total+1)
	least[0] = 0
	taken := make([][]int32, len(distortions))
	for i, distortion := range distortions {
		if len(distortion) == 0 {
			return nil, fmt.Errorf("token: quantiser %d has no distortions; give one for each number of bits from 0", i)
		}
		if b := slices.IndexFunc(distortion, func(d float64) bool { return d-d != 0 }); b >= 0 {
			return nil, fmt.Errorf("token: quantiser %d has distortion %v with %d bits; give a finite one",
				i, distortion[b], b)
		}
		least, taken[i] = addQuantiser(least, distortion)
	}
	left := 0
	for b, sum := range least {
		if sum < least[left] {
			left = b
		}
	}
	bits := make([]int, len(distortions))
	for i := len(bits) - 1; i >= 0; i-- {
		bits[i] = int(taken[i][left])
		left -= bits[i]
	}
	return bits, nil
}

// addQuantiser is one step of AllocateBits.
func addQuantiser(least, distortion []float64) (sums []float64, taken []int32) {
	sums, taken = make([]float64, len(least)), make([]int32, len(least))
	for b := range sums {
		sums[b] = math.Inf(1)
		for own := 0; own < len(distortion) && own <= b; own++ {
			if sum := least[b-own] + distortion[own]; sum < sums[b] {
				sums[b], taken[b] = sum, int32(own)
			}
		}
	}
	return sums, taken
}

// ReverseWaterFilling returns the least distortions of independent Gaussian sources with
// the given variances, when one sample of each is coded with a total number of bits:
// min(θ, σ²), with the level θ at which Σ max(0, ½ log₂(σ²/θ)) equals bits (Cover and
// Thomas 2006, Theorem 10.3.3). For one source it is Shannon's bound D = σ²·2^(−2R). If
// the variances are the spectrum of a stationary Gaussian process at equally spaced
// frequencies, it is the bound for that process.
//
// It panics if there are no variances, or if a variance or bits is negative, NaN or
// infinite.
func ReverseWaterFilling(variances []float64, bits float64) []float64 {
	bad := func(x float64) bool { return !(x >= 0) || math.IsInf(x, 1) }
	if len(variances) == 0 || slices.ContainsFunc(variances, bad) || bad(bits) {
		panic(fmt.Sprintf("token: ReverseWaterFilling(%v, %v): want variances and bits of at least 0", variances, bits))
	}
	sorted := slices.Sorted(slices.Values(variances))
	slices.Reverse(sorted)
	// With the k largest variances above the level, log θ is the mean of their logarithms
	// minus 2·bits/k·log 2. k is the largest number for which all k are above the level.
	level, logs := sorted[0], 0.0
	for i, v := range sorted {
		if v == 0 {
			break
		}
		logs += portable.Log(v)
		next := portable.Exp((logs - float64(2*math.Ln2*bits)) / float64(i+1))
		if next > v {
			break
		}
		level = next
	}
	distortions := make([]float64, len(variances))
	for i, v := range variances {
		distortions[i] = min(level, v)
	}
	return distortions
}
