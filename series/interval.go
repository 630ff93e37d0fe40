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
	r := lagCorrelations(x, largest)
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

// adaptation is the step of the level after each value; Gibbs & Candès use 0.005.
const adaptation = 0.02

// conformal makes intervals around forecasts from the absolute errors of earlier ones.
// The interval reaches to the ⌈level·(w+1)⌉-th smallest of the w latest errors, as in
// split conformal prediction (Lei et al. 2018, Algorithm 2), where w is the number of
// errors of the validation part. One part of a series is seldom exchangeable with the
// next. So errors of the test part follow as they become known, and the level moves by
// 0.02 times the difference between the level and whether the last interval covered its
// value (adaptive conformal inference: Gibbs & Candès 2021, Eq. 2).
type conformal struct {
	level, now float64
	latest     []float64 // the w latest errors, in the order of time
	sorted     []float64
}

func newConformal(calibration []float64, level float64) *conformal {
	c := &conformal{level: level, now: level, latest: withoutMissing(calibration)}
	for i, e := range c.latest {
		c.latest[i] = math.Abs(e)
	}
	c.sorted = slices.Clone(c.latest)
	slices.Sort(c.sorted)
	return c
}

// radius returns half the width of the interval, which is infinite if there are too few
// errors for the level.
func (c *conformal) radius() float64 {
	k := max(1, int(math.Ceil(c.now*float64(len(c.sorted)+1))))
	if k > len(c.sorted) {
		return math.Inf(1)
	}
	return c.sorted[k-1]
}

// learn takes an absolute error, and whether its interval covered it.
func (c *conformal) learn(e, hit float64) {
	c.now = min(max(c.now+adaptation*(c.level-hit), 0.01), 0.99)
	k, _ := slices.BinarySearch(c.sorted, c.latest[0])
	c.sorted = slices.Delete(c.sorted, k, k+1)
	k, _ = slices.BinarySearch(c.sorted, e)
	c.sorted = slices.Insert(c.sorted, k, e)
	c.latest = append(c.latest[1:], e)
}

// run makes an interval for each forecast of the test part. It returns 1 for each error
// that is inside, and 0 for the others. reach is the number of origins until an error is
// known.
func (c *conformal) run(errors []float64, reach int) []float64 {
	hits := make([]float64, len(errors))
	for i, e := range errors {
		if known := i - reach; known >= 0 {
			c.learn(math.Abs(errors[known]), hits[known])
		}
		hits[i] = indicator(math.Abs(e) <= c.radius())
	}
	return hits
}
