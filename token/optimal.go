package token

import (
	"fmt"
	"slices"
)

var optimalTokenizer = Tokenizer{
	Name:    "optimal",
	Params:  []Param{levelsParam},
	Summary: "the least squared error that any scalar quantiser has on the training samples",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitOptimal(x, p.whole("levels")))
	},
}

// mostPlans bounds the table of FitOptimal, levels × distinct samples.
const mostPlans = 1 << 25

// FitOptimal returns the scalar quantiser with the least mean squared error on samples,
// to rounding, by dynamic programming over their distinct values (Bruce 1965), of which
// the best last cell begins the later the more of them there are (Wu 1991). It takes
// levels·n·log n steps for n distinct samples. More levels than these are an error, and
// so are levels × n beyond 33,554,432.
func FitOptimal(x []float64, levels int) (*Scalar, error) {
	const name = "optimal"
	if err := checkDistinct(name, x, levels); err != nil {
		return nil, err
	}
	r := newRanked(x)
	if n := len(r.values); int64(levels)*int64(n) > mostPlans {
		return nil, fmt.Errorf("%s: %d levels × %d distinct samples are more than %d: want fewer, or lloyd_max",
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

// lastCells returns, for each number of cells k+1, where the last of them begins when the
// first j values are cut best: [k][j].
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

// cut fills in least[j] = min over i of before[i] + scatter(i, j), and its i, for j from
// low to high, when i is known to be from first to last.
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
