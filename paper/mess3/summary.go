package mess3

import "slices"

// summary is what a table says of a number that many vectors have.
type summary struct{ least, median, most float64 }

// summarise sums up a number over a list.
func summarise[T any](list []T, number func(T) float64) summary {
	sorted := make([]float64, len(list))
	for i, x := range list {
		sorted[i] = number(x)
	}
	slices.Sort(sorted)
	return summary{sorted[0], median(sorted), sorted[len(sorted)-1]}
}

// median of sorted numbers: the mean of the two in the middle where their number is
// even, for which gonum's quantiles take one of them.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
