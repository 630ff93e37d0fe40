package mess3

import (
	"slices"

	"foretell/paper/internal/seeds"
)

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
	return summary{sorted[0], seeds.Median(sorted), sorted[len(sorted)-1]}
}
