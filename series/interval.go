package series

import (
	"math"
	"slices"

	"foretell/internal/random"
)

// Interval is a 95 % interval, from low to high.
type Interval [2]float64

// percentiles returns the interval between the 2.5 % and the 97.5 % quantile of sorted or
// unsorted replicates, which it sorts.
func percentiles(replicates []float64) Interval {
	slices.Sort(replicates)
	last := float64(len(replicates) - 1)
	return Interval{
		replicates[int(math.Floor(0.025*last))],
		replicates[int(math.Ceil(0.975*last))],
	}
}

// resamples are draws of the stationary bootstrap (Politis & Romano 1994): blocks that
// start anywhere, have lengths of a geometric distribution with the given mean, and
// continue at the beginning after the last value. Element r is the number of times that
// each of n values is in draw r.
func resamples(n, draws int, block float64, stream *random.Stream) [][]uint16 {
	all := make([][]uint16, draws)
	for r := range all {
		all[r] = make([]uint16, n)
		at := 0
		for i := range n {
			if at++; i == 0 || stream.Float64()*block < 1 {
				at = stream.IntN(n)
			}
			if at == n {
				at = 0
			}
			all[r][at]++
		}
	}
	return all
}

// resampled returns the mean of values in each draw.
func resampled(values []float64, draws [][]uint16) []float64 {
	means := make([]float64, len(draws))
	for r, counts := range draws {
		sum := 0.0
		for i, count := range counts {
			sum += float64(count) * values[i]
		}
		means[r] = sum / float64(len(values))
	}
	return means
}

// blockLength returns the mean length of blocks for the stationary bootstrap of the mean
// of x, by Politis & White 2004 with the correction of Patton, Politis & White 2009: from
// autocovariances up to twice the lag after which autocorrelations are not significant,
// under a flat-top window. It is between 1 and min(3√n, n/3).
func blockLength(x []float64) float64 {
	n := len(x)
	most := min(3*math.Sqrt(float64(n)), float64(n)/3)
	largest := min(n/2, int(math.Sqrt(float64(n)))+10)
	r := autocorrelations(x, largest)
	if math.IsNaN(r[0]) || most < 1 {
		return 1
	}
	m := lastSignificant(r, n)
	cut := min(max(2*m, 1), largest)
	g, spectrum := 0.0, r[0]
	for lag := 1; lag <= cut; lag++ {
		weight := min(1, 2*(1-float64(lag)/float64(cut)))
		g += 2 * weight * float64(lag) * r[lag]
		spectrum += 2 * weight * r[lag]
	}
	length := math.Cbrt(g * g / (spectrum * spectrum) * float64(n))
	if !(length >= 1) {
		return 1
	}
	return min(length, most)
}

// lastSignificant returns the first lag that is followed by five or more autocorrelations
// of less than 2 √(log₁₀ n / n), or the largest lag with one of more.
func lastSignificant(r []float64, n int) int {
	bound := 2 * math.Sqrt(math.Log10(float64(n))/float64(n))
	needed := max(5, int(math.Ceil(math.Sqrt(math.Log10(float64(n))))))
	last := 0
	for lag := 1; lag < len(r) && lag-last <= needed; lag++ {
		if math.Abs(r[lag]) >= bound {
			last = lag
		}
	}
	return last
}

// coverageLevels are the levels of intervals whose coverage is measured, and their names.
var coverageLevels = []struct {
	name  string
	level float64
}{{"50", 0.5}, {"80", 0.8}, {"95", 0.95}}

// conformalRadius returns half the width of the interval around the mean that covers the
// next value with at least the given probability if its error is exchangeable with the
// given absolute errors (split conformal prediction: Vovk, Gammerman & Shafer 2005; Lei
// et al. 2018, Eq. 4). It is infinite if there are too few errors for the level. sorted
// is in increasing order.
func conformalRadius(sorted []float64, level float64) float64 {
	k := int(math.Ceil(level * float64(len(sorted)+1)))
	if k > len(sorted) {
		return math.Inf(1)
	}
	return sorted[k-1]
}

// covered returns 1 for each error of the test part that is inside the interval, and 0
// for the others. calibration are the errors of the calibration part.
func covered(calibration, errors []float64, level float64) []float64 {
	sorted := withoutMissing(calibration)
	for i, e := range sorted {
		sorted[i] = math.Abs(e)
	}
	slices.Sort(sorted)
	radius := conformalRadius(sorted, level)
	hits := make([]float64, len(errors))
	for i, e := range errors {
		hits[i] = indicator(math.Abs(e) <= radius)
	}
	return hits
}
