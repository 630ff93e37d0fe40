package token

import (
	"cmp"
	"slices"
)

// ByProbability lists the tokens of a distribution by descending probability. Of equally
// likely tokens the smaller comes first.
func ByProbability(p []float64) []int {
	tokens := make([]int, len(p))
	for z := range tokens {
		tokens[z] = z
	}
	slices.SortStableFunc(tokens, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	return tokens
}

// Likeliest returns the smallest set of tokens that together hold at least the given
// share of a distribution's probability (its highest-density set). The set is returned as
// runs of consecutive tokens in ascending order: the first and the last token of each
// run. Among equally likely tokens, smaller ones are taken first.
func Likeliest(p []float64, share float64) (runs [][2]int) {
	const rounding = 1e-12
	order, total := ByProbability(p), 0.0
	for _, q := range p {
		total += q
	}
	held, n := 0.0, 0
	for n < len(order) && held < (share-rounding)*total {
		held += p[order[n]]
		n++
	}
	taken := order[:n]
	slices.Sort(taken)
	for _, z := range taken {
		if last := len(runs) - 1; last >= 0 && runs[last][1] == z-1 {
			runs[last][1] = z
			continue
		}
		runs = append(runs, [2]int{z, z})
	}
	return runs
}

// Interval returns the interval of signal values that a run of levels, from its first to
// its last token, represents. Its ends are halfway to the neighbouring levels. Beyond the
// first or the last level, the end is as far away as the end on the other side of that
// level.
func Interval(levels []float64, run [2]int) (lo, hi float64) {
	from, to := run[0], run[1]
	lo, hi = levels[from], levels[to]
	if n := len(levels); n > 1 {
		below, above := levels[1]-levels[0], levels[n-1]-levels[n-2]
		if from > 0 {
			below = levels[from] - levels[from-1]
		}
		if to < n-1 {
			above = levels[to+1] - levels[to]
		}
		lo, hi = lo-below/2, hi+above/2
	}
	return lo, hi
}
