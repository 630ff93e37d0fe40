package series

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Trend is the median of the slopes between all pairs of block means (Sen 1968).
type Trend struct {
	// Estimate is the change in a step, with its interval by ranks.
	Estimate
	// P is the probability of Kendall's S at least this far from 0 if there is no trend
	// (Mann 1945).
	P float64 `json:"p"`
}

// A Change is the place that divides a series, without its season, into the two parts
// whose sums differ most from their share of the whole (Page 1955).
type Change struct {
	Place          // of the first value after the change
	Before float64 `json:"before"` // mean of the values before it
	After  float64 `json:"after"`
	// P is the probability of a difference at least as large if the level does not change
	// (Kolmogorov's distribution).
	P float64 `json:"p"`
}

// mostBlocks and leastBlocks bound the number of blocks.
const (
	mostBlocks  = 20
	leastBlocks = 6
)

// Blocks are the parts of a series by which its level is judged.
type blocks struct {
	values     []float64
	period     int
	length     int       // values in a block
	centres    []float64 // of each block
	means      []float64
	deviations []float64
}

// blocksOf cuts values into blocks of equal length, whole seasons. A block in which half
// of the values are missing is left out.
func blocksOf(values []float64, period int) *blocks {
	b := &blocks{values: values, period: period}
	b.length = max(2, len(values)/mostBlocks)
	if period > 1 {
		b.length = period * max(1, b.length/period)
	}
	for begin := 0; begin+b.length <= len(values); begin += b.length {
		var present []float64
		for _, x := range values[begin : begin+b.length] {
			if !math.IsNaN(x) {
				present = append(present, x)
			}
		}
		if 2*len(present) <= b.length {
			continue
		}
		mean, deviation := stat.MeanStdDev(present, nil)
		b.centres = append(b.centres, float64(begin)+float64(b.length-1)/2)
		b.means = append(b.means, mean)
		b.deviations = append(b.deviations, deviation)
	}
	return b
}

// inflation returns the factor by which correlation of consecutive residuals multiplies
// the variance of their mean. lost is the number of means that were subtracted from them.
func inflation(residuals []float64, lost int) float64 {
	var products, squares float64
	for i, x := range residuals {
		squares += x * x
		if i > 0 {
			products += x * residuals[i-1]
		}
	}
	if squares == 0 {
		return 1
	}
	rho := products / squares
	rho += float64(lost) * (1 + 3*rho) / float64(len(residuals)) // its bias (Kendall 1954)
	rho = min(max(rho, 0), 0.9)
	return (1 + rho) / (1 - rho)
}

// halves returns the difference of level and the ratio of spread between the halves.
func (b *blocks) halves() (level, spread *Estimate) {
	level = difference(b.means)
	logs := make([]float64, len(b.deviations))
	for i, d := range b.deviations {
		if d == 0 {
			return level, nil
		}
		logs[i] = math.Log(d)
	}
	if ratio := difference(logs); ratio != nil {
		spread = &Estimate{math.Exp(ratio.Value), math.Exp(ratio.Low), math.Exp(ratio.High)}
	}
	return level, spread
}

// difference returns the mean of the second half of x minus the mean of the first, with
// Student's interval. If their number is odd, the middle one is left out.
func difference(x []float64) *Estimate {
	h := len(x) / 2
	if len(x) < leastBlocks {
		return nil
	}
	first, second := x[:h], x[len(x)-h:]
	d := stat.Mean(second, nil) - stat.Mean(first, nil)
	residuals := append(centred(first), centred(second)...)
	freedom := float64(2*h - 2)
	squares := 0.0
	for _, e := range residuals {
		squares += e * e
	}
	deviation := math.Sqrt(squares / freedom * 2 / float64(h) * inflation(residuals, 2))
	half := deviation * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
	return &Estimate{d, d - half, d + half}
}

// centred returns values minus their mean.
func centred(x []float64) []float64 {
	mean := stat.Mean(x, nil)
	list := make([]float64, len(x))
	for i := range x {
		list[i] = x[i] - mean
	}
	return list
}

// trend returns the trend of the block means.
func (b *blocks) trend() *Trend {
	m := len(b.means)
	if m < leastBlocks {
		return nil
	}
	var slopes []float64
	s := 0.0
	for i := range m {
		for j := range i {
			d := b.means[i] - b.means[j]
			slopes = append(slopes, d/(b.centres[i]-b.centres[j]))
			if d != 0 {
				s += math.Copysign(1, d)
			}
		}
	}
	slices.Sort(slopes)
	slope := stat.Quantile(0.5, stat.LinInterp, slopes, nil)
	residuals := make([]float64, m)
	for i, mean := range b.means {
		residuals[i] = mean - slope*b.centres[i]
	}
	n := float64(m)
	deviation := math.Sqrt(n * (n - 1) * (2*n + 5) / 18 * inflation(centred(residuals), 2))
	most := float64(len(slopes))
	reach := distuv.UnitNormal.Quantile(0.975) * deviation / most / 2 // as a share of the slopes
	t := &Trend{P: min(1, 2*distuv.UnitNormal.Survival(max(0, math.Abs(s)-1)/deviation))}
	t.Value = slope
	t.Low = slopes[max(0, int(math.Floor((0.5-reach)*most)))]
	t.High = slopes[min(len(slopes)-1, int(math.Ceil((0.5+reach)*most)))]
	return t
}

// change returns the largest change of level. The variance is measured on both sides of
// it.
func (b *blocks) change(s *Series) *Change {
	rest := withoutSeason(b.values, b.period)
	var total, present float64
	for _, x := range rest {
		if !math.IsNaN(x) {
			total += x
			present++
		}
	}
	var sum, seen, largest float64
	at := 0
	for i, x := range rest {
		if math.IsNaN(x) {
			continue
		}
		sum += x
		seen++
		if d := math.Abs(sum - total*seen/present); d > largest && seen < present {
			largest, at = d, i+1
		}
	}
	variance := b.longVariance(at)
	if at == 0 || variance == 0 || len(b.means) < leastBlocks {
		return nil
	}
	c := &Change{P: kolmogorov(largest / math.Sqrt(variance*present))}
	c.Place = Place{at, s.When(at)}
	c.Before, c.After = meanOf(rest[:at]), meanOf(rest[at:])
	return c
}

// longVariance returns the variance of a block's sum, divided by its length, if the level
// changes at an index.
func (b *blocks) longVariance(at int) float64 {
	k, _ := slices.BinarySearch(b.centres, float64(at))
	parts := [][]float64{b.means[:k], b.means[k:]}
	var residuals []float64
	lost := 0
	for _, part := range parts {
		if len(part) > 0 {
			residuals = append(residuals, centred(part)...)
			lost++
		}
	}
	squares := 0.0
	for _, e := range residuals {
		squares += e * e
	}
	freedom := max(1, len(residuals)-lost-2) // the place was chosen, too
	return squares / float64(freedom) * float64(b.length) * inflation(residuals, lost)
}

// withoutSeason returns values minus the mean of their place in the season, plus the mean
// of all.
func withoutSeason(values []float64, period int) []float64 {
	if period < 2 {
		return values
	}
	sums, counts := make([]float64, period), make([]float64, period)
	for i, x := range values {
		if !math.IsNaN(x) {
			sums[i%period] += x
			counts[i%period]++
		}
	}
	rest, mean := make([]float64, len(values)), meanOf(values)
	for i, x := range values {
		rest[i] = x - sums[i%period]/max(1, counts[i%period]) + mean
	}
	return rest
}

// meanOf returns the mean of the values that are present.
func meanOf(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range values {
		if !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	return sum / n
}

// kolmogorov returns the probability that the largest distance of a Brownian bridge from
// 0 exceeds x.
func kolmogorov(x float64) float64 {
	if x < 0.3 { // less than 1e-5 below 1
		return 1
	}
	p := 0.0
	for j := 100; j >= 1; j-- {
		p += 2 * math.Pow(-1, float64(j-1)) * math.Exp(-2*float64(j*j)*x*x)
	}
	return min(1, p)
}
