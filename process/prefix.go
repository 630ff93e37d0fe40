package process

import (
	"fmt"
	"math"
)

// maxPrefixRows bounds the rows that Prefixes makes, so that a length too great
// fails at once and not after the memory is gone.
const maxPrefixRows = 1 << 24

// Prefixes is every non-empty word up to a length, with what the process knows of
// each: the table on which a model is compared with the optimum, weighted by Prob.
//
// Rows go by position (the word's length) first. Within position p the A^p words
// are in the order of their tokens read as digits of base A, the first token the
// most significant: for A = 2 the rows are 0, 1, 00, 01, 10, 11, 000, ….
//
// A word that cannot occur has probability 0, and zeros for its belief, its
// constrained belief and its next tokens: with its weight of 0 it adds nothing,
// and nothing is ever NaN.
type Prefixes struct {
	Alphabet int // A
	States   int // n
	Length   int // of the longest words

	Prob        []float64 // (rows): the word's probability
	Beliefs     []float64 // (rows, n): Eq. 2 of seed 001
	Constrained []float64 // (rows, n): Eq. 26 of seed 001
	Next        []float64 // (rows, A): the distribution of the token after the word
}

// NumPrefixes returns A + A² + … + A^length, the rows of Prefixes, or
// math.MaxInt when there are more than that.
func NumPrefixes(alphabet, length int) int {
	rows := 0
	for range length {
		if rows > (math.MaxInt-alphabet)/alphabet {
			return math.MaxInt
		}
		rows = (rows + 1) * alphabet
	}
	return rows
}

// Prefixes returns the table of every word of 1 … length tokens. It panics when
// length is less than 1 or NumPrefixes exceeds 2²⁴; check a user's length first.
func (h *HMM) Prefixes(length int) *Prefixes {
	a, n := h.Alphabet(), h.NumStates()
	if length < 1 {
		panic(fmt.Sprintf("process: Prefixes of length %d, want at least 1", length))
	}
	rows := NumPrefixes(a, length)
	if rows > maxPrefixRows {
		panic(fmt.Sprintf("process: Prefixes of %s to length %d has more than %d rows", h.name, length, maxPrefixRows))
	}
	p := &Prefixes{
		Alphabet:    a,
		States:      n,
		Length:      length,
		Prob:        make([]float64, rows),
		Beliefs:     make([]float64, rows*n),
		Constrained: make([]float64, rows*n),
		Next:        make([]float64, rows*a),
	}
	for z := range a {
		h.extend(p, z, z, 1, h.pi, h.pi)
	}
	for parent := range rows - p.words(length) {
		for z := range a {
			// Words of base A: the first child of row k is row A(k+1).
			h.extend(p, a*(parent+1)+z, z, p.Prob[parent], p.Belief(parent), p.ConstrainedBelief(parent))
		}
	}
	return p
}

// extend fills a row from the probability and beliefs of the word without its
// last token z.
func (h *HMM) extend(p *Prefixes, row, z int, prob float64, belief, constrained []float64) {
	q := h.update(p.Belief(row), belief, z)
	if q == 0 {
		return
	}
	p.Prob[row] = prob * q
	h.constrainStep(p.ConstrainedBelief(row), constrained, h.sources[z])
	h.nextInto(p.NextTokens(row), p.Belief(row))
}

// words returns A^position, the number of words of one length.
func (p *Prefixes) words(position int) int {
	words := 1
	for range position {
		words *= p.Alphabet
	}
	return words
}

// Rows returns the number of words.
func (p *Prefixes) Rows() int { return len(p.Prob) }

// Range returns the rows of the words of length position: from ≤ row < to. It
// panics unless 1 ≤ position ≤ Length.
func (p *Prefixes) Range(position int) (from, to int) {
	if position < 1 || position > p.Length {
		panic(fmt.Sprintf("process: position %d of prefixes to length %d", position, p.Length))
	}
	from = NumPrefixes(p.Alphabet, position-1)
	return from, from + p.words(position)
}

// Row returns the row of a word. It panics when the word is empty, longer than
// Length, or has a token outside the alphabet.
func (p *Prefixes) Row(word []int) int {
	from, _ := p.Range(len(word))
	index := 0
	for _, z := range word {
		if z < 0 || z >= p.Alphabet {
			panic(fmt.Sprintf("process: token %d of prefixes over %d tokens", z, p.Alphabet))
		}
		index = index*p.Alphabet + z
	}
	return from + index
}

// Position returns the length of the word of a row, and its index among the words
// of that length.
func (p *Prefixes) Position(row int) (position, index int) {
	p.mustRow(row)
	for position = 1; ; position++ {
		if from, to := p.Range(position); row < to {
			return position, row - from
		}
	}
}

// Tokens returns the word of a row.
func (p *Prefixes) Tokens(row int) []int {
	position, index := p.Position(row)
	word := make([]int, position)
	for t := position - 1; t >= 0; t-- {
		word[t] = index % p.Alphabet
		index /= p.Alphabet
	}
	return word
}

// Belief returns row's entries of Beliefs, of length n, as a view.
func (p *Prefixes) Belief(row int) []float64 {
	p.mustRow(row)
	return p.Beliefs[row*p.States : (row+1)*p.States]
}

// ConstrainedBelief returns row's entries of Constrained, of length n, as a view.
func (p *Prefixes) ConstrainedBelief(row int) []float64 {
	p.mustRow(row)
	return p.Constrained[row*p.States : (row+1)*p.States]
}

// NextTokens returns row's entries of Next, of length A, as a view.
func (p *Prefixes) NextTokens(row int) []float64 {
	p.mustRow(row)
	return p.Next[row*p.Alphabet : (row+1)*p.Alphabet]
}

func (p *Prefixes) mustRow(row int) {
	if row < 0 || row >= len(p.Prob) {
		panic(fmt.Sprintf("process: row %d of %d prefixes", row, len(p.Prob)))
	}
}
