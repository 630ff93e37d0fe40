package process

import (
	"slices"
	"strings"

	"foretell/internal/plural"
)

const (
	// wordBudget bounds the number of beliefs examined in the search for a word of
	// negative probability.
	wordBudget = 10_000
	// A word counts as having a negative probability if the probability of its last token
	// is below negative and the probability of the whole word below negativeWord.
	// Rounding of matrices that are given to about ten digits does not produce such
	// values.
	negative     = -1e-9
	negativeWord = -1e-12
)

// words is the result of a search through the words of a generalised HMM.
type words struct {
	negative    []int32 // a shortest word of negative probability, or nil
	probability float64 // of that word
	length      int     // all words of up to this number of tokens were examined
	all         bool    // every belief that some word leads to was examined
}

// lookAtWords looks for a word of negative probability, shortest words first, until the
// number of different beliefs that they lead to reaches budget.
func (h *HMM) lookAtWords(budget int) words {
	found := newMixedStates(h.scale)
	found.add(h.pi, 1)
	path := [][]int32{nil} // [belief]: the first word that leads to it
	prob := []float64{1}   // [belief]: the probability of that word
	b := make([]float64, h.NumStates())
	for k := 0; k < found.size(); k++ {
		if found.size() > budget {
			return words{length: len(path[k])}
		}
		belief := found.belief(k)
		for z := range h.tokens {
			q := 0.0
			for i, v := range belief {
				q += float64(v * h.emission[i*h.Alphabet()+z])
			}
			word := append(slices.Clone(path[k]), int32(z))
			if q < negative && prob[k]*q < negativeWord {
				return words{negative: word, probability: prob[k] * q}
			}
			if h.update(b, belief, z) == 0 {
				continue
			}
			if found.add(b, 0) == len(path) {
				path = append(path, word)
				prob = append(prob, prob[k]*q)
				belief = found.belief(k) // add may have moved the beliefs
			}
		}
	}
	return words{all: true}
}

// wordsLookedAt returns the note on the length up to which words were examined.
func (t table) wordsLookedAt() Problem {
	found := assemble("", t).lookAtWords(wordBudget)
	if found.all {
		return note(WordsLookedAt,
			"no sequence has a negative probability: all beliefs that sequences lead to were examined")
	}
	return note(WordsLookedAt, "no sequence of up to %s has a negative probability; not all longer ones were examined",
		plural.Count(found.length, "token"))
}

// spell writes a word by the names of its tokens.
func (t table) spell(word []int32) string {
	names := make([]string, len(word))
	for i, z := range word {
		names[i] = t.tokens[z]
	}
	return strings.Join(names, " ")
}
