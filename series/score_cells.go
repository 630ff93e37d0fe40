package series

import (
	"fmt"
	"math"
	"slices"

	"foretell/token"
)

// floorShare is the share of a uniform distribution that is mixed into the probabilities
// of cells before the logarithm is taken. It bounds the nats of one value by ln(100 L)
// for L cells, and costs a forecast at most 0.0101 nats.
const floorShare = 0.01

// Cells are the cells of a scalar quantiser, on which continuous and discrete forecasts
// are compared in nats. They have about equal probability on the values that they were
// fitted on. The lowest and the highest cell are open to infinity.
type Cells struct {
	*token.Scalar
	low, high float64   // smallest and largest value that the cells were fitted on
	means     []float64 // mean by cell of these values
}

// FitCells returns cells of about equal probability: each threshold is midway between two
// different neighbouring values, so no value that occurs is on a threshold. There are
// fewer cells than levels if values repeat. It returns an error if levels < 2, or if
// fewer than two different values are present.
func FitCells(values []float64, levels int) (*Cells, error) {
	sorted := withoutMissing(values)
	if levels < 2 || levels > 1<<12 {
		return nil, fmt.Errorf("cells: %d levels are outside [2, %d]", levels, 1<<12)
	}
	if len(sorted) == 0 {
		return nil, fmt.Errorf("cells: all values are missing")
	}
	slices.Sort(sorted)
	n := len(sorted)
	c := &Cells{low: sorted[0], high: sorted[n-1]}
	if c.low == c.high {
		return nil, fmt.Errorf("cells: every value is %g: want values that change", c.low)
	}
	var thresholds []float64
	begin := 0
	for end := 1; end <= n; end++ {
		if end < n && (end*levels < (begin*levels/n+1)*n || sorted[end] == sorted[end-1]) {
			continue
		}
		c.means = append(c.means, clampedMean(sorted[begin:end]))
		if end < n {
			thresholds = append(thresholds, between(sorted[end-1], sorted[end]))
		}
		begin = end
	}
	var err error
	c.Scalar, err = token.NewScalar(thresholds, c.means)
	return c, err
}

// clampedMean returns the mean of sorted values, within their range despite rounding.
func clampedMean(sorted []float64) float64 {
	mean, _ := momentsOf(sorted)
	return min(max(mean, sorted[0]), sorted[len(sorted)-1])
}

// between returns the midpoint of a < b, or b if float64 has no number between them.
func between(a, b float64) float64 {
	if middle := a + (b-a)/2; middle > a {
		return middle
	}
	return b
}

// cell returns the number of the cell of x and its borders, which may be infinite.
func (c *Cells) cell(x float64) (at int, low, high float64) {
	thresholds := c.Thresholds()
	at, found := slices.BinarySearch(thresholds, x)
	if found {
		at++
	}
	low, high = math.Inf(-1), math.Inf(1)
	if at > 0 {
		low = thresholds[at-1]
	}
	if at < len(thresholds) {
		high = thresholds[at]
	}
	return at, low, high
}

// Nats returns −ln of the probability that a forecast gave to the cell of x, after a
// uniform share of 1 % was mixed in.
func (c *Cells) Nats(d Distribution, x float64) float64 {
	_, low, high := c.cell(x)
	p := 1.0
	if !math.IsInf(high, 1) {
		p = d.CDF(high)
	}
	if !math.IsInf(low, -1) {
		p -= d.CDF(low)
	}
	levels := float64(c.Levels()[0])
	return -math.Log((1-floorShare)*min(max(p, 0), 1) + floorShare/levels)
}

// Distribution returns the forecast that gives each cell its probability. Within a cell
// the probability is spread evenly between the cell's borders; the outer borders are the
// smallest and the largest value that the cells were fitted on. Its mean is the sum over
// cells of probability times the mean of the fitted values of the cell. It panics unless
// there is one probability for each cell.
func (c *Cells) Distribution(probabilities []float64) Distribution {
	if len(probabilities) != c.Levels()[0] {
		panic(fmt.Sprintf("series: %d probabilities for %d cells", len(probabilities), c.Levels()[0]))
	}
	h := histogram{borders: []float64{c.low}, below: make([]float64, 1, len(probabilities)+1)}
	h.borders = append(append(h.borders, c.Thresholds()...), c.high)
	sum := 0.0
	for k, p := range probabilities {
		sum += p
		h.below = append(h.below, sum)
		h.mean += p * c.means[k]
	}
	h.mean /= sum
	for k := range h.below {
		h.below[k] /= sum
	}
	return h
}

// histogram has a CDF that is linear between borders.
type histogram struct {
	borders, below []float64 // below[k] is the CDF at borders[k]
	mean           float64
}

func (h histogram) Mean() float64 { return h.mean }

func (h histogram) CDF(x float64) float64 {
	last := len(h.borders) - 1
	switch {
	case x < h.borders[0]:
		return 0
	case x >= h.borders[last]:
		return 1
	}
	k, found := slices.BinarySearch(h.borders, x)
	if found {
		return h.below[k]
	}
	share := (x - h.borders[k-1]) / (h.borders[k] - h.borders[k-1])
	return h.below[k-1] + share*(h.below[k]-h.below[k-1])
}

func (h histogram) Quantile(p float64) float64 {
	k, _ := slices.BinarySearch(h.below, p)
	k = min(max(k, 1), len(h.below)-1)
	mass := h.below[k] - h.below[k-1]
	if mass == 0 {
		return h.borders[k]
	}
	return h.borders[k-1] + (p-h.below[k-1])/mass*(h.borders[k]-h.borders[k-1])
}

func (h histogram) CRPS(x float64) float64 {
	last := len(h.borders) - 1
	sum := max(h.borders[0]-x, x-h.borders[last], 0)
	for k := range last {
		a, b := h.borders[k], h.borders[k+1]
		middle := min(max(x, a), b)
		at := h.CDF(middle)
		if middle == b {
			at = h.below[k+1]
		}
		sum += (middle - a) * meanSquare(h.below[k], at)
		sum += (b - middle) * meanSquare(1-at, 1-h.below[k+1])
	}
	return sum
}

// meanSquare returns the mean of the square of a line from a to b.
func meanSquare(a, b float64) float64 { return (a*a + a*b + b*b) / 3 }
