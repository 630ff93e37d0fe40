package process

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/limit"
)

// Prefixer is a process that makes its own tables of words, as an HMM does, whose rows
// hold beliefs. [Words] and [WordsOf] ask it, and every other process by its
// predictor.
type Prefixer interface {
	Process
	// Prefixes returns the table of every word of 1 … length tokens. It may panic on
	// a length that Words refuses. It is an error when ctx ends.
	Prefixes(ctx context.Context, length int) (*Prefixes, error)
	// PrefixesOf returns the table of the words that begin given sequences, and may
	// panic where WordsOf does. It is an error when ctx ends.
	PrefixesOf(ctx context.Context, sequences [][]int32, groups int) (*Prefixes, error)
}

var _ Prefixer = (*HMM)(nil)

// Words returns the table of every word of 1 … length tokens of any process. What a
// [Prefixer] says of them is its own, such as the beliefs of an HMM; of any other
// process the table has the probabilities and the next tokens that its predictor
// tells, in some A^length·length observations, and States is 0.
//
// It is an error when length is less than 1, when there are more than 2²⁴ words
// (see [NumPrefixes]) or more than there is memory for, when what the
// predictor says is no distribution, and when ctx ends.
func Words(ctx context.Context, p Process, length int) (*Prefixes, error) {
	if length < 1 {
		return nil, fmt.Errorf("%s: words of up to %d tokens, want a length of at least 1", p.Name(), length)
	}
	if longest := longestTable(p.Alphabet()); length > longest {
		return nil, fmt.Errorf("%s: there are more than %d words of up to %d tokens; want a length of at most %d",
			p.Name(), maxPrefixRows, length, longest)
	}
	if need, have := WordsSize(p, length), limit.Memory(); have != 0 && need > have {
		return nil, fmt.Errorf("%s: a table of all words of up to %d tokens needs %s of memory, and this machine has %s",
			p.Name(), length, limit.Size(need), limit.Size(have))
	}
	if own, ok := p.(Prefixer); ok {
		return own.Prefixes(ctx, length)
	}
	table := allWords(p.Alphabet(), 0, length)
	if _, err := table.fillByPrediction(ctx, p); err != nil {
		return nil, err
	}
	return table, nil
}

// WordsSize returns how many bytes the table of [Words] takes; a float64, because
// impossible lengths ask for more than an int can count.
func WordsSize(p Process, length int) float64 {
	const float64Size, int32Size = 8, 4
	states := 0
	if m, ok := p.(Machine); ok {
		states = len(m.States())
	}
	row := float64Size*(1+p.Alphabet()+2*states) + 2*int32Size
	return float64(NumPrefixes(p.Alphabet(), length)) * float64(row)
}

// longestTable returns the length up to which a table can hold all words.
func longestTable(alphabet int) int {
	length := 0
	for rows := int64(0); ; length++ {
		if rows = (rows + 1) * int64(alphabet); rows > maxPrefixRows {
			return length
		}
	}
}

// WordsOf returns the table of the words that begin given sequences of any process, all
// of one length: samples, say, where the words of that length are too many to list. A
// row's Prob is the share of the sequences that begin with its word, and what the
// process knows of it is exact; so a sum over the rows weighted by Prob is a mean over
// the sequences. As in [Words], a process that is no [Prefixer] is asked by its
// predictor.
//
// Sequence i belongs to group i mod groups, of which there is at least one: independent
// samples by which to tell how far the mean of all of them may be off.
//
// It is an error when a sequence cannot occur, when what the predictor says is no
// distribution, and when ctx ends. It panics when there are no sequences, when their
// lengths differ or are zero, on a token outside the alphabet, and when they have more
// than 2²⁴ tokens in all.
func WordsOf(ctx context.Context, p Process, sequences [][]int32, groups int) (*Prefixes, error) {
	if own, ok := p.(Prefixer); ok {
		return own.PrefixesOf(ctx, sequences, groups)
	}
	checkSequences(p, sequences, groups)
	table := beginnings(p.Alphabet(), 0, sequences, groups)
	row, err := table.fillByPrediction(ctx, p)
	if err != nil {
		return nil, err
	}
	if row >= 0 {
		return nil, cannotOccur(p, table.Tokens(row), sequences)
	}
	table.weighByDraws()
	return table, nil
}

// fillByPrediction computes every row from what the optimal predictor of p says, leaf
// after leaf: it is fed the tokens of each anew, since a Predictor cannot go back. It
// returns the first row whose word cannot occur, −1 where there is none.
func (p *Prefixes) fillByPrediction(ctx context.Context, source Process) (impossible int, err error) {
	f := filling{
		table: p, source: source, predictor: source.Predictor(),
		start: make([]float64, p.Alphabet), path: make([]int, p.Length),
	}
	f.predictor.Next(f.start)
	if err := f.checkNext(f.start); err != nil {
		return 0, err
	}
	for t := range f.path {
		f.path[t] = -1
	}
	impossible, dead := -1, p.Length // path[dead] is the first that cannot occur
	from, to := p.Range(p.Length)
	for leaf := from; leaf < to; leaf++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		shared := f.descend(leaf)
		if shared > dead {
			continue
		}
		if dead, err = f.follow(shared); err != nil {
			return 0, err
		}
		if dead < p.Length && (impossible < 0 || f.path[dead] < impossible) {
			impossible = f.path[dead]
		}
	}
	return impossible, nil
}

// filling is a predictor on its way through a table.
type filling struct {
	table     *Prefixes
	source    Process
	predictor Predictor
	start     []float64 // (A): the distribution of the first token
	path      []int     // (Length): the rows of the beginnings of a leaf
}

// descend makes path that of a leaf, and returns how many rows it shares with the
// path before.
func (f *filling) descend(leaf int) (shared int) {
	t, row := len(f.path)-1, leaf
	for ; t >= 0 && f.path[t] != row; t-- {
		f.path[t], row = row, f.table.Parent(row)
	}
	return t + 1
}

// follow feeds the predictor the tokens of path, and computes its rows but for the first
// shared ones, which are computed and can occur. It returns the index of the first row
// that cannot occur, the length of path where there is none.
func (f *filling) follow(shared int) (dead int, err error) {
	f.predictor.Reset()
	prob, next := 1.0, f.start
	for t, row := range f.path {
		q := next[f.table.last[row]]
		if refused := f.predictor.Observe(f.table.LastToken(row)); refused != nil {
			if q > rowSumTolerance {
				return 0, fmt.Errorf("%s: the predictor refuses a token to which it gave the probability %g: %w",
					f.source.Name(), q, refused)
			}
			return t, nil
		}
		if q == 0 {
			return t, nil
		}
		prob, next = prob*q, f.table.NextTokens(row)
		if t < shared {
			continue
		}
		f.table.Prob[row] = prob
		f.predictor.Next(next)
		if err := f.checkNext(next); err != nil {
			return 0, fmt.Errorf("%w, after the tokens %v", err, f.table.Tokens(row))
		}
	}
	return len(f.path), nil
}

// checkNext returns an error unless next is a distribution.
func (f *filling) checkNext(next []float64) error {
	total := 0.0
	for z, q := range next {
		if !(q >= 0) {
			return fmt.Errorf("%s: the predictor gives token %d the probability %g", f.source.Name(), z, q)
		}
		total += q
	}
	if !(math.Abs(total-1) <= rowSumTolerance) {
		return fmt.Errorf("%s: the probabilities of the next tokens sum to %g", f.source.Name(), total)
	}
	return nil
}
