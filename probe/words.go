package probe

import (
	"context"
	"fmt"

	"foretell/internal/plural"
	"foretell/internal/random"
	"foretell/process"
)

// MostWords is the number of words up to which all are looked at, one by one; where
// there are more, they are sampled.
const MostWords = 1 << 20

const (
	sampledWords  = 1 << 18 // about the words that sampled sequences have
	mostNumbers   = 1 << 26 // of a table of words, 512 MiB: there are fewer words where states are many
	fewestSampled = 64      // sequences
	sampleSeed    = 1
	sampleGroups  = 8 // of sampled sequences: their spread gives the error bars, with one degree of freedom less
)

// Words returns the words of 1 … length tokens of a process over which the question is
// asked: all of them up to [MostWords] (fewer where the process has many states, so
// that the table keeps to 512 MiB), else those that begin sampled sequences, about 2¹⁸;
// see [SampleWords].
//
// It is [ErrNoBeliefs] where the process has none to read, a [TooManyWordsError] where
// the convention needs all words and they are too many, and a [TooFewSequencesError]
// where they are too few to hold some out. Other errors are those of [process.Words], and
// that of ctx when it ends.
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
	if n := sequences(p); n < foldCount && q.Convention.Test != InSample {
		return nil, &TooFewSequencesError{Length: length, Sequences: n, Fewest: foldCount}
	}
	return p, nil
}

// AllWords says whether the words of 1 … length tokens of a process are looked at one by
// one: where they are no more than [MostWords], or fewer if its states are many.
func AllWords(source process.Process, length int) bool {
	return process.NumPrefixes(source.Alphabet(), length) <= mostWordsOf(source)
}

// LongestWords returns the greatest length, at most the one given, up to which a
// process has at most so many words, and no more than a table of all of them holds; 0
// if it has more of one token.
func LongestWords(source process.Process, most, length int) int {
	most = min(most, mostWordsOf(source))
	for length > 0 && process.NumPrefixes(source.Alphabet(), length) > most {
		length--
	}
	return length
}

// mostWordsOf is the number of words up to which they are looked at one by one: a
// word's belief, constrained belief and next tokens are held.
func mostWordsOf(source process.Process) int {
	return min(MostWords, mostNumbers/(2*numStates(source)+source.Alphabet()))
}

// numStates is the width of a process's beliefs, 0 where it has none.
func numStates(source process.Process) int {
	if o, ok := source.(process.Observer); ok {
		return len(o.States())
	}
	return 0
}

// SampleWords returns the words that begin sequences drawn from a process, in place of
// all words where these are too many. The sequences are weighted by how often they were
// drawn: what [Analyze] makes of them estimates what it would make of all words, and
// its error bars are of that estimate. It is an error when ctx ends.
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

// sequences returns how many words of full length can occur.
func sequences(p *process.Prefixes) (n int) {
	from, to := p.Range(p.Length)
	for _, prob := range p.Prob[from:to] {
		if prob > 0 {
			n++
		}
	}
	return n
}

// TooManyWordsError says that a convention needs all words, and that there are too
// many.
type TooManyWordsError struct {
	Convention Convention
	Length     int // of the longest words
	Most       int // words that are looked at one by one
	Longest    int // the length up to which there are no more
}

func (e *TooManyWordsError) Error() string {
	return fmt.Sprintf("probe: %q needs all words, and there are more than %d of up to %d tokens; "+
		"give a length of at most %d", e.Convention, e.Most, e.Length, e.Longest)
}

// TooFewSequencesError says that there are too few sequences to hold some of them out.
type TooFewSequencesError struct {
	Length    int // of the sequences, in tokens
	Sequences int // that can occur
	Fewest    int // that a held-out probe can do with
}

func (e *TooFewSequencesError) Error() string {
	return fmt.Sprintf("probe: %s of %s can occur, and a held-out probe needs at least %d",
		plural.Count(e.Sequences, "sequence"), plural.Count(e.Length, "token"), e.Fewest)
}
