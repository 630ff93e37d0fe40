package probe

import (
	"context"
	"fmt"

	"foretell/internal/random"
	"foretell/internal/text"
	"foretell/process"
)

// MostWords is the largest number of prefixes that are analysed without sampling.
const MostWords = 1 << 20

const (
	sampledWords  = 1 << 18 // approximate number of prefixes of the sampled sequences
	mostNumbers   = 1 << 26 // in a table of prefixes, 512 MiB: with many states, fewer prefixes are allowed
	fewestSampled = 64      // least number of sampled sequences
	sampleSeed    = 1
	sampleGroups  = 8 // groups of sampled sequences: their spread gives error bars with one degree of freedom fewer
)

// Words returns the prefixes of 1 … length tokens of a process, on which the question can
// be examined. It returns all prefixes if there are at most [MostWords] (fewer if the
// process has many states, so that the table stays within 512 MiB). Otherwise it returns
// about 2¹⁸ prefixes of sampled sequences; see [SampleWords].
//
// It returns [ErrNoBeliefs] if the target needs beliefs and the process has no beliefs, a
// [TooManyWordsError] if the convention needs all prefixes and there are too many, and a
// [TooFewSequencesError] if there are too few sequences to hold some out. It also returns
// the errors of [process.Words], and ctx's error if ctx ends.
func (q Question) Words(ctx context.Context, source process.Process, length int) (*process.Prefixes, error) {
	if q.target().ofStates && numStates(source) == 0 {
		return nil, ErrNoBeliefs
	}
	if !AllWords(source, length) {
		most := mostWordsOf(source)
		if q.Convention.needsAll() {
			longest := LongestWords(source, most, length)
			return nil, &TooManyWordsError{Convention: q.Convention, Length: length, Most: most, Longest: longest}
		}
		return SampleWords(ctx, source, length, max(fewestSampled, min(sampledWords, most)/length), sampleSeed)
	}
	p, err := process.Words(ctx, source, length)
	if err != nil {
		return nil, err
	}
	if n := sequences(p); n < foldCount && q.Convention.HoldOut != InSample {
		return nil, &TooFewSequencesError{Length: length, Sequences: n, Fewest: foldCount}
	}
	return p, nil
}

// AllWords reports whether [Question.Words] returns all prefixes of 1 … length tokens of
// a process: whether there are at most [MostWords], or fewer if the process has many
// states.
func AllWords(source process.Process, length int) bool {
	return process.NumPrefixes(source.Alphabet(), length) <= mostWordsOf(source)
}

// LongestWords returns the largest length, up to the given length, at which a process
// does not have too many prefixes: at most the given number, and not more than a table
// can hold. It returns 0 if length 1 already has too many.
func LongestWords(source process.Process, most, length int) int {
	most = min(most, mostWordsOf(source))
	for length > 0 && process.NumPrefixes(source.Alphabet(), length) > most {
		length--
	}
	return length
}

// mostWordsOf returns the largest number of prefixes of a process that are analysed
// without sampling. The table holds a belief, a constrained belief and a next-token
// distribution for each prefix.
func mostWordsOf(source process.Process) int {
	return min(MostWords, mostNumbers/(2*numStates(source)+source.Alphabet()))
}

// numStates returns the width of a process's beliefs, 0 for a process without beliefs.
func numStates(source process.Process) int {
	if o, ok := source.(process.Observer); ok {
		return len(o.States())
	}
	return 0
}

// SampleWords draws sequences from a process and returns all prefixes of these sequences,
// as a substitute for all prefixes of the process if there are too many. A sequence is
// weighted by the number of times that it was drawn. With this table, [Analyze] estimates
// its result for all prefixes, with error bars. SampleWords returns an error if ctx ends.
func SampleWords(ctx context.Context, source process.Process, length, sequences int, seed uint64) (
	*process.Prefixes, error,
) {
	drawn := make([][]int32, sequences)
	for i := range drawn {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		drawn[i] = make([]int32, length)
		source.Sample(drawn[i], random.New(seed, "probe/sample", uint64(i)))
	}
	return process.WordsOf(ctx, source, drawn, sampleGroups)
}

// sequences returns the number of full-length sequences that can occur.
func sequences(p *process.Prefixes) (n int) {
	from, to := p.Range(p.Length)
	for _, prob := range p.Prob[from:to] {
		if prob > 0 {
			n++
		}
	}
	return n
}

// TooManyWordsError reports that a convention needs all prefixes, but there are too many.
type TooManyWordsError struct {
	Convention Convention
	Length     int // length of the longest prefixes, in tokens
	Most       int // limit on the number of prefixes
	Longest    int // the largest length at which their number is within Most
}

func (e *TooManyWordsError) Error() string {
	return fmt.Sprintf("probe: the convention %q needs all sequences, and there are more than %d of up to %d tokens; "+
		"give a length of at most %d", e.Convention, e.Most, e.Length, e.Longest)
}

// TooFewSequencesError reports that there are too few sequences to hold some of them out.
type TooFewSequencesError struct {
	Length    int // length of the sequences, in tokens
	Sequences int // the number of sequences that can occur
	Fewest    int // the number that a held-out probe needs
}

func (e *TooFewSequencesError) Error() string {
	return fmt.Sprintf("probe: %s of %s can occur, and a held-out probe needs at least %d; "+
		"use longer sequences or score in sample",
		text.Count(e.Sequences, "sequence"), text.Count(e.Length, "token"), e.Fewest)
}
