package process

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/limit"
)

// Prefixer is a process that computes its own tables of prefixes, as an HMM does to add
// beliefs. [Words] and [WordsOf] call its methods; for any other process they use the
// predictor.
type Prefixer interface {
	Process
	// Prefixes returns the table of every prefix of 1 … length tokens. It may panic for a
	// length for which Words returns an error. It returns an error if ctx ends.
	Prefixes(ctx context.Context, length int) (*Prefixes, error)
	// PrefixesOf returns the table of all prefixes of the given sequences, and may panic
	// when WordsOf does. It returns an error if ctx ends.
	PrefixesOf(ctx context.Context, sequences [][]int32, groups int) (*Prefixes, error)
}

var _ Prefixer = (*HMM)(nil)

// Words returns the table of every prefix of 1 … length tokens of any process. A
// [Prefixer] makes the table itself, which may then include beliefs. For any other
// process the table has the probabilities and the next tokens according to its
// predictor, computed in about A^length·length observations, and States is 0.
//
// Words returns an error if length is less than 1, if there are more than 2²⁴ prefixes
// (see [NumPrefixes]) or more than fit into memory, if the predictor's probabilities are
// not a distribution, or if ctx ends.
func Words(ctx context.Context, p Process, length int) (*Prefixes, error) {
	if length < 1 {
		return nil, fmt.Errorf("%s: prefixes of up to %d tokens, want a length of at least 1", p.Name(), length)
	}
	if longest := longestTable(p.Alphabet()); length > longest {
		return nil, fmt.Errorf("%s: there are more than %d prefixes of up to %d tokens; want a length of at most %d",
			p.Name(), maxPrefixRows, length, longest)
	}
	if need, have := WordsSize(p, length), limit.Memory(); have != 0 && need > have {
		return nil, fmt.Errorf(
			"%s: a table of all prefixes of up to %d tokens needs %s of memory, but this machine has %s",
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

// WordsSize returns the size in bytes of the table of [Words]. It is a float64, because
// for excessive lengths the size exceeds the range of int.
func WordsSize(p Process, length int) float64 {
	const float64Size, int32Size = 8, 4
	states := 0
	if m, ok := p.(Machine); ok {
		states = len(m.States())
	}
	row := float64Size*(1+p.Alphabet()+2*states) + 2*int32Size
	return float64(NumPrefixes(p.Alphabet(), length)) * float64(row)
}

// longestTable returns the largest length for which a table can hold all prefixes.
func longestTable(alphabet int) int {
	length := 0
	for rows := int64(0); ; length++ {
		if rows = (rows + 1) * int64(alphabet); rows > maxPrefixRows {
			return length
		}
	}
}

// WordsOf returns the table of all prefixes of the given sequences, which all have the
// same length. Use it with sampled sequences when the prefixes of that length are too
// many to list. A row's Prob is the share of the sequences that begin with its prefix;
// its beliefs and predictions are exact. A sum over the rows weighted by Prob is
// therefore a mean over the sequences. As in [Words], the predictor is used unless the
// process is a [Prefixer].
//
// Sequence i belongs to group i mod groups, where groups is at least one. The groups
// are independent samples, from which the error of the overall mean can be estimated.
//
// WordsOf returns an error if a sequence cannot occur, if the predictor's probabilities
// are not a distribution, or if ctx ends. It panics when there are no sequences, when
// their lengths differ or are zero, on a token outside the alphabet, and when they have
// more than 2²⁴ tokens in all.
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

// fillByPrediction computes every row with the optimal predictor of the process source,
// leaf by leaf. A Predictor cannot go back, so it observes all tokens of each leaf from
// the start. It returns the first row whose prefix cannot occur, or −1 if all prefixes
// can occur.
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
	impossible, dead := -1, p.Length // path[dead] is the first row of path that cannot occur
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

// filling is the state of fillByPrediction on its way through a table.
type filling struct {
	table     *Prefixes
	source    Process
	predictor Predictor
	start     []float64 // (A): the distribution of the first token
	path      []int     // (Length): the rows of the prefixes of the current leaf
}

// descend sets f.path to the path of a leaf, and returns the number of rows that the new
// path shares with the previous path.
func (f *filling) descend(leaf int) (shared int) {
	t, row := len(f.path)-1, leaf
	for ; t >= 0 && f.path[t] != row; t-- {
		f.path[t], row = row, f.table.Parent(row)
	}
	return t + 1
}

// follow lets the predictor observe the tokens of f.path, and computes its rows. The
// argument is the number of leading rows that are already computed and can occur. It
// returns the index of the first row that cannot occur, or the length of path if all can
// occur.
func (f *filling) follow(shared int) (dead int, err error) {
	f.predictor.Reset()
	prob, next := 1.0, f.start
	for t, row := range f.path {
		q := next[f.table.last[row]]
		if refused := f.predictor.Observe(f.table.LastToken(row)); refused != nil {
			if q > rowSumTolerance {
				return 0, fmt.Errorf("%s: the predictor refuses a token to which it gave probability %g: %w",
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
			return fmt.Errorf("%s: the predictor gives token %d the invalid probability %g", f.source.Name(), z, q)
		}
		total += q
	}
	if !(math.Abs(total-1) <= rowSumTolerance) {
		return fmt.Errorf("%s: the predictor's probabilities sum to %g instead of 1", f.source.Name(), total)
	}
	return nil
}
