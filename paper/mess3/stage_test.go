package mess3

import (
	"math"
	"testing"

	"foretell/process"
)

// A prefix counts as often as full sequences begin with it: each position has
// the same weight, shared alike by its words.
func TestEqualSequences(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	p := h.Prefixes(5)
	weights := equalSequences(p.Alphabet, p.Length, p.Rows())
	if len(weights) != p.Rows() {
		t.Fatalf("%d weights of %d rows", len(weights), p.Rows())
	}
	last := p.Rows() - 1
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		sum := 0.0
		for row := from; row < to; row++ {
			sum += weights[row]
			wantNear(t, "sequences that begin with the word", weights[row]/weights[last], math.Pow(3, float64(p.Length-position)))
		}
		wantNear(t, "the weight of a position", sum, 1)
	}
}
