package process

import (
	"context"
	"fmt"
	"math"
	"sort"
	"sync"

	"foretell/internal/kept"
)

// maxPrefixRows bounds the rows of a table, so an excessive length fails at once rather
// than after exhausting the memory.
const maxPrefixRows = 1 << 24

// Prefixes is a table of prefixes of sequences. For each prefix it has the process's
// beliefs and prediction, with which a model can be compared. The table has every
// non-empty prefix up to a length or, if these are too many, the prefixes of sampled
// sequences. [Words] and [WordsOf] make it for any process.
//
// Rows are ordered by position, which is the prefix's length. Within a position they
// are in lexicographic order of their tokens: for A = 2 the rows of all prefixes are 0,
// 1, 00, 01, 10, 11, 000, …. Every prefix of less than Length tokens is continued by a
// prefix that is one token longer, so the prefixes of full length are the leaves of a
// tree. Going through the leaves in order also visits the prefixes of each shorter
// length in order.
//
// A prefix that cannot occur has probability 0, and zeros for its belief, its
// constrained belief and its next tokens: with its weight of 0 it contributes nothing,
// and no entry is ever NaN.
type Prefixes struct {
	Alphabet  int // A, the number of tokens
	States    int // n, the number of states; 0 if the process has no beliefs
	Length    int // length of the longest prefixes
	Sequences int // the number of sampled sequences; 0 if the table has every prefix
	Groups    int // the number of groups of these sequences; see WordsOf

	Prob        []float64 // (rows): the prefix's probability, or the share of the sequences that begin with it
	Beliefs     []float64 // (rows, n): the belief after the prefix, Piotrowski et al. 2025, Eq. 2
	Constrained []float64 // (rows, n): the constrained belief, Piotrowski et al. 2025, Eq. 26
	Next        []float64 // (rows, A): the distribution of the token after the prefix

	starts  []int   // (Length + 1): the first row of each position, and the number of rows
	parents []int32 // (rows): the row of the prefix without its last token, −1 for a prefix of one token
	last    []int32 // (rows): the last token of the prefix
	draws   []int32 // (rows, Groups): numbers of sequences; see Draws

	hmm  *HMM     // nil if the process is not an HMM
	kept sync.Map // [name]: a *kept.Result[[]float64]; see Kept
}

// NumPrefixes returns A + A² + … + A^length, the number of prefixes of 1 … length tokens,
// or math.MaxInt if there are more than that.
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

// Prefixes returns the table of every prefix of 1 … length tokens. It panics when length
// is less than 1 or NumPrefixes exceeds 2²⁴; use [Words] for a length that a user chose,
// which returns an error instead. Prefixes returns an error if ctx ends.
func (h *HMM) Prefixes(ctx context.Context, length int) (*Prefixes, error) {
	if length < 1 {
		panic(fmt.Sprintf("process: Prefixes of length %d, want at least 1", length))
	}
	if NumPrefixes(h.Alphabet(), length) > maxPrefixRows {
		panic(fmt.Sprintf("process: Prefixes of %s of up to %d tokens would have more than %d rows",
			h.name, length, maxPrefixRows))
	}
	p := allWords(h.Alphabet(), h.NumStates(), length)
	if _, err := h.fill(ctx, p); err != nil {
		return nil, err
	}
	return p, nil
}

// allWords returns the table of every prefix of 1 … length tokens, with nothing
// computed yet.
func allWords(alphabet, states, length int) *Prefixes {
	p := newPrefixes(alphabet, states, length, NumPrefixes(alphabet, length))
	for position := range length + 1 {
		p.starts = append(p.starts, NumPrefixes(alphabet, position))
	}
	for row := range p.Rows() {
		// Rows are numbered so that the first prefix that continues row k by one token is
		// row A(k+1).
		p.parents[row], p.last[row] = int32(row/alphabet-1), int32(row%alphabet)
	}
	return p
}

func newPrefixes(alphabet, states, length, rows int) *Prefixes {
	return &Prefixes{
		Alphabet: alphabet, States: states, Length: length,
		Prob: make([]float64, rows), Next: make([]float64, rows*alphabet),
		Beliefs: make([]float64, rows*states), Constrained: make([]float64, rows*states),
		parents: make([]int32, rows), last: make([]int32, rows),
	}
}

// fill computes the rows of a table. It returns the first row whose prefix cannot occur,
// or −1 if all prefixes can occur. It returns an error if ctx ends.
func (h *HMM) fill(ctx context.Context, p *Prefixes) (impossible int, err error) {
	impossible, p.hmm = -1, h
	for row := range p.Rows() {
		if err := ctx.Err(); err != nil {
			return impossible, err
		}
		if !h.fillRow(p, row) && impossible < 0 {
			impossible = row
		}
	}
	return impossible, nil
}

// fillRow computes a row from the row of the prefix without its last token, which must
// be computed before. It reports whether the prefix can occur.
func (h *HMM) fillRow(p *Prefixes, row int) bool {
	prob, belief, constrained, z := 1.0, h.pi, h.pi, p.LastToken(row)
	if parent := p.Parent(row); parent >= 0 {
		prob, belief, constrained = p.Prob[parent], p.Belief(parent), p.ConstrainedBelief(parent)
	}
	if h.sources[z] == nil { // the token's probability is 0, or within the tolerance for generalised HMMs
		return false
	}
	q := h.update(p.Belief(row), belief, z)
	if q == 0 {
		return false
	}
	p.Prob[row] = prob * q
	h.constrainStep(p.ConstrainedBelief(row), constrained, h.sources[z])
	h.nextInto(p.NextTokens(row), p.Belief(row))
	return true
}

// HMM returns the process whose prefixes these are, or nil if it is not an HMM.
func (p *Prefixes) HMM() *HMM { return p.hmm }

// Kept returns numbers that are computed from the table and kept with it, such as other
// estimates of the beliefs, which may take a gigabyte and which few callers need. The
// first call with a name calls compute, and later calls return the same slice. An error
// of compute is kept, too, unless ctx has ended. Kept is safe for concurrent use.
func (p *Prefixes) Kept(ctx context.Context, name string,
	compute func(context.Context) ([]float64, error),
) ([]float64, error) {
	made, _ := p.kept.LoadOrStore(name, new(kept.Result[[]float64]))
	return made.(*kept.Result[[]float64]).Get(ctx, compute)
}

// Rows returns the number of prefixes.
func (p *Prefixes) Rows() int { return len(p.Prob) }

// Range returns the rows of the prefixes of the given length, from ≤ row < to. It panics
// unless 1 ≤ position ≤ Length.
func (p *Prefixes) Range(position int) (from, to int) {
	if position < 1 || position > p.Length {
		panic(fmt.Sprintf("process: position %d is outside [1, %d], the lengths of the prefixes", position, p.Length))
	}
	return p.starts[position-1], p.starts[position]
}

// Row returns the row of a prefix. It panics when the table does not have it.
func (p *Prefixes) Row(prefix []int32) int {
	if len(prefix) == 0 || len(prefix) > p.Length {
		panic(fmt.Sprintf("process: the prefix has %d tokens, but the table has prefixes of 1 to %d", len(prefix), p.Length))
	}
	row := -1
	for t, z := range prefix {
		from, to := p.children(t, row)
		row = from + sort.Search(to-from, func(i int) bool { return p.last[from+i] >= z })
		if row == to || p.last[row] != z {
			panic(fmt.Sprintf("process: the table does not have the prefix %v", prefix))
		}
	}
	return row
}

// children returns the rows of the prefixes that are one token longer than the prefix of
// a row and begin with it. The length of the row's prefix is position.
func (p *Prefixes) children(position, row int) (from, to int) {
	start, end := p.Range(position + 1)
	at := func(parent int) int {
		return start + sort.Search(end-start, func(i int) bool { return p.Parent(start+i) >= parent })
	}
	return at(row), at(row + 1)
}

// Parent returns the row of a prefix without its last token, or −1 for a prefix of one
// token.
func (p *Prefixes) Parent(row int) int { return int(p.parents[row]) }

// LastToken returns the last token of a row's prefix.
func (p *Prefixes) LastToken(row int) int { return int(p.last[row]) }

// Position returns the length of the prefix of a row, and its index among the prefixes
// of that length.
func (p *Prefixes) Position(row int) (position, index int) {
	p.mustRow(row)
	position = sort.SearchInts(p.starts, row+1)
	return position, row - p.starts[position-1]
}

// Tokens returns the prefix of a row.
func (p *Prefixes) Tokens(row int) []int32 {
	position, _ := p.Position(row)
	prefix := make([]int32, position)
	for t := position - 1; t >= 0; t-- {
		prefix[t] = p.last[row]
		row = p.Parent(row)
	}
	return prefix
}

// Belief returns the entries of Beliefs for a row, of length n, as a view.
func (p *Prefixes) Belief(row int) []float64 {
	p.mustRow(row)
	return p.Beliefs[row*p.States : (row+1)*p.States]
}

// ConstrainedBelief returns the entries of Constrained for a row, of length n, as a view.
func (p *Prefixes) ConstrainedBelief(row int) []float64 {
	p.mustRow(row)
	return p.Constrained[row*p.States : (row+1)*p.States]
}

// NextTokens returns the entries of Next for a row, of length A, as a view.
func (p *Prefixes) NextTokens(row int) []float64 {
	p.mustRow(row)
	return p.Next[row*p.Alphabet : (row+1)*p.Alphabet]
}

func (p *Prefixes) mustRow(row int) {
	if row < 0 || row >= len(p.Prob) {
		panic(fmt.Sprintf("process: there is no row %d in a table of %d rows, counted from 0", row, len(p.Prob)))
	}
}
