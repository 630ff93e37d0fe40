package process

import (
	"slices"
	"strings"

	"foretell/internal/text"
)

const (
	// searchBudget bounds the number of beliefs examined in the search for a sequence of
	// negative probability.
	searchBudget = 10_000
	// A sequence counts as having a negative probability if that probability is below
	// negativeSequence, and the conditional probability of its last token is below
	// negativeToken. Rounding of matrices that are given to about ten digits does not
	// produce such values.
	negativeToken    = -1e-9
	negativeSequence = -1e-12
)

// examined is the result of a search for sequences of negative probability in a
// generalised HMM.
type examined struct {
	negative    []int32 // the shortest sequence of negative probability found, or nil
	probability float64 // the probability of that sequence
	length      int     // all sequences of up to this number of tokens were examined
	all         bool    // every belief that a sequence can lead to was examined
}

// searchSequences looks for a sequence of negative probability, shortest sequences first.
// It stops when they have led to more than the given number of different beliefs.
func (h *HMM) searchSequences(budget int) examined {
	found := newMixedStates(h.scale)
	found.add(h.pi, 1)
	path := [][]int32{nil} // [belief]: the first sequence that leads to it
	prob := []float64{1}   // [belief]: the probability of that sequence
	b := make([]float64, h.NumStates())
	for k := 0; k < found.size(); k++ {
		if found.size() > budget {
			return examined{length: len(path[k])}
		}
		belief := found.belief(k)
		for z := range h.tokens {
			q := 0.0
			for i, v := range belief {
				q += float64(v * h.emission[i*h.Alphabet()+z])
			}
			sequence := append(slices.Clone(path[k]), int32(z))
			if q < negativeToken && prob[k]*q < negativeSequence {
				return examined{negative: sequence, probability: prob[k] * q}
			}
			if h.update(b, belief, z) == 0 {
				continue
			}
			if found.add(b, 0) == len(path) {
				path = append(path, sequence)
				prob = append(prob, prob[k]*q)
				belief = found.belief(k) // add may have moved the beliefs
			}
		}
	}
	return examined{all: true}
}

// examinedNote returns the note on the length up to which sequences were examined.
func (t table) examinedNote() Problem {
	found := assemble("", t).searchSequences(searchBudget)
	if found.all {
		return note(WordsLookedAt,
			"no sequence has a negative probability: all beliefs that sequences lead to were examined")
	}
	return note(WordsLookedAt, "no sequence of up to %s has a negative probability; not all longer ones were examined",
		text.Count(found.length, "token"))
}

// spell writes a sequence as the names of its tokens.
func (t table) spell(sequence []int32) string {
	names := make([]string, len(sequence))
	for i, z := range sequence {
		names[i] = t.tokens[z]
	}
	return strings.Join(names, " ")
}
