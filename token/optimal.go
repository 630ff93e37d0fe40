package token

import (
	"fmt"
	"slices"
)

var optimalTokenizer = Tokenizer{
	Name:    "optimal",
	Params:  []Param{levelsParam},
	Summary: "the scalar quantiser with the least squared error on the training samples",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitOptimal(x, p.whole("levels")))
	},
}

// mostPlans is the largest allowed size of FitOptimal's table, which has levels ×
// distinct samples entries.
const mostPlans = 1 << 25

// FitOptimal returns the scalar quantiser with the least mean squared error on samples,
// up to rounding. It uses dynamic programming over the distinct values (Bruce 1965): as
// values are added, the last cell of the best division never starts further left (Wu
// 1991), so n distinct samples take levels·n·log n steps. It returns an error if there
// are more levels than distinct samples, or if levels × n is more than 33,554,432.
func FitOptimal(x []float64, levels int) (*Scalar, error) {
	const name = "optimal"
	if err := checkDistinct(name, x, levels); err != nil {
		return nil, err
	}
	r := newRanked(x)
	if n := len(r.values); int64(levels)*int64(n) > mostPlans {
		return nil, fmt.Errorf("%s: %d levels × %d distinct samples are more than %d: "+
			"want fewer levels, or the tokenizer lloyd_max",
			name, levels, n, mostPlans)
	}
	points := make([]float64, levels)
	end := len(r.values)
	starts := r.lastCells(levels)
	for k, start := range slices.Backward(starts) {
		points[k] = r.mean(int(start[end]), end)
		end = int(start[end])
	}
	return newScalar(name, midways(points), points)
}

// lastCells returns starts[k][j], the index at which the last cell begins in the best
// division of the first j values into k+1 cells.
func (r *ranked) lastCells(levels int) [][]int32 {
	n := len(r.values)
	starts := make([][]int32, levels)
	before, least := make([]float64, n+1), make([]float64, n+1)
	for j := 1; j <= n; j++ {
		least[j] = r.scatter(0, j)
	}
	starts[0] = make([]int32, n+1)
	for k := 1; k < levels; k++ {
		before, least = least, before
		starts[k] = make([]int32, n+1)
		r.cut(before, least, starts[k], k+1, n, k, n-1)
	}
	return starts
}

// For each j from low to high, cut sets least[j] to min_i (before[i] + scatter(i, j)),
// and start[j] to the minimising i. The minimising i must be in [first, last].
func (r *ranked) cut(before, least []float64, start []int32, low, high, first, last int) {
	if low > high {
		return
	}
	j := (low + high) / 2
	best := first
	least[j] = before[first] + r.scatter(first, j)
	for i := first + 1; i <= min(last, j-1); i++ {
		if sum := before[i] + r.scatter(i, j); sum < least[j] {
			best, least[j] = i, sum
		}
	}
	start[j] = int32(best)
	r.cut(before, least, start, low, j-1, first, best)
	r.cut(before, least, start, j+1, high, best, last)
}
