package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

// AllocateBits distributes at most `total` bits among quantisers so that the sum of their
// distortions is as small as possible. It returns the number of bits for each quantiser.
// distortions[i][b] is the distortion of quantiser i with b bits, b = 0, 1, …. Of several
// distributions with the least sum it returns the one with the fewest bits in total, then
// the one with the fewest bits for the last quantiser, then for the last but one, and so
// on.
//
// It is exact, by dynamic programming in total·Σ len(distortions[i]) steps. The greedy
// method of Fox (1966) gives each bit to the quantiser that gains most from it. It has
// the same result if each distortion is convex in its bits, but measured distortions need
// not be convex.
//
// It returns an error if total is negative, if a quantiser has no distortions, or if a
// distortion is NaN or infinite.
func AllocateBits(distortions [][]float64, total int) ([]int, error) {
	if total < 0 {
		return nil, fmt.Errorf("token: cannot allocate %d bits; give at least 0", total)
	}
	// least[b] is the least sum of distortions of the quantisers considered so far, if they
	// get exactly b bits together. taken[i][b] is the number of these bits for quantiser i.
	least := slices.Repeat([]float64{math.Inf(1)}, total+1)
	least[0] = 0
	taken := make([][]int32, len(distortions))
	for i, distortion := range distortions {
		if len(distortion) == 0 {
			return nil, fmt.Errorf("token: quantiser %d has no distortions; give one for each number of bits from 0", i)
		}
		if b := slices.IndexFunc(distortion, func(d float64) bool { return d-d != 0 }); b >= 0 {
			return nil, fmt.Errorf("token: quantiser %d has distortion %v with %d bits; give a finite number",
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

// addQuantiser is one step of AllocateBits: it adds a quantiser with the given
// distortions to the quantisers considered so far. For each number of bits it returns the
// new least sum, and the number of bits that the added quantiser takes.
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

// ReverseWaterFilling returns the least possible distortions of independent Gaussian
// sources with the given variances. The argument bits is the total number of bits for one
// sample of each source. The distortions are min(θ, σ²), where the level θ is such that Σ
// max(0, ½ log₂(σ²/θ)) is that number (Cover and Thomas 2006, Theorem 10.3.3). For one
// source and R bits this is Shannon's bound D = σ²·2^(−2R). If the variances are the
// spectrum of a stationary Gaussian process at equally spaced frequencies, the result is
// the bound for that process.
//
// It panics if there are no variances, or if a variance or the number of bits is
// negative, NaN or infinite.
func ReverseWaterFilling(variances []float64, bits float64) []float64 {
	bad := func(x float64) bool { return !(x >= 0) || math.IsInf(x, 1) }
	if len(variances) == 0 || slices.ContainsFunc(variances, bad) || bad(bits) {
		panic(fmt.Sprintf("token: ReverseWaterFilling(%v, %v): want at least one variance, and finite numbers of at least 0",
			variances, bits))
	}
	sorted := slices.Sorted(slices.Values(variances))
	slices.Reverse(sorted)
	// If the k largest variances are above the level θ, log θ is the mean of their
	// logarithms minus 2·bits/k·log 2. The right k is the largest one for which all k
	// variances are above that level.
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
