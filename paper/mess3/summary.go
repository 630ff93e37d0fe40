package mess3

import "slices"

// summary holds the smallest, the median and the largest of several values.
type summary struct{ least, median, most float64 }

// summarise applies a function to each element of a list and returns the summary of the
// results.
func summarise[T any](list []T, number func(T) float64) summary {
	sorted := make([]float64, len(list))
	for i, x := range list {
		sorted[i] = number(x)
	}
	slices.Sort(sorted)
	return summary{sorted[0], median(sorted), sorted[len(sorted)-1]}
}

// median returns the median of sorted numbers: the mean of the two in the middle if their
// number is even, whereas gonum's quantiles return one of them.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
