package mess3

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/paper/internal/trained"
	"foretell/process"
)

// array returns a process's numbers as an array with rows of the given width. It rounds
// them to float32, which halves the size of the file and keeps seven digits.
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

// sequences are all sequences of a process up to a length.
type sequences struct {
	of       trained.Source
	prefixes *process.Prefixes
}

// wordArrays returns arrays that identify the sequence in each row of a file's other
// arrays: its tokens, padded with −1 to the length of the longest; its length; and its
// probability under each process.
func wordArrays(list []sequences) []claim.Array {
	if len(list) == 0 {
		return nil
	}
	first := list[0].prefixes
	words, lengths := make([]int32, 0, first.Rows()*first.Length), make([]int32, first.Rows())
	for row := range lengths {
		tokens := first.Tokens(row)
		lengths[row] = int32(len(tokens))
		words = append(append(words, tokens...), slices.Repeat([]int32{-1}, first.Length-len(tokens))...)
	}
	arrays := []claim.Array{
		{Name: "words", Shape: []int{first.Rows(), first.Length}, Data: words},
		{Name: "lengths", Shape: []int{first.Rows()}, Data: lengths},
	}
	for _, s := range list {
		arrays = append(arrays, claim.Array{
			Name:  fmt.Sprintf("probabilities_x%g_a%g", s.of.X, s.of.A),
			Shape: []int{s.prefixes.Rows()}, Data: s.prefixes.Prob,
		})
	}
	return arrays
}
