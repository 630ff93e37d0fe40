package mess3

import (
	"fmt"

	"foretell/claim"
	"foretell/paper/internal/trained"
)

// array is what a file of data holds of a process: numbers in rows of a width, rounded to
// float32, which halves the file and keeps seven digits.
func array(of trained.Source, what string, width int, numbers []float64) claim.Array {
	single := make([]float32, len(numbers))
	for i, x := range numbers {
		single[i] = float32(x)
	}
	return claim.Array{
		Name:  fmt.Sprintf("%s_x%g_a%g", what, of.X, of.A),
		Shape: []int{len(numbers) / width, width}, Data: single,
	}
}

// boolean is a truth among numbers: 1 or 0.
func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
