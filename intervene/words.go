package intervene

import (
	"context"
	"math"
	"slices"
	"sort"

	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// Words are the sequences of tokens that [Ablate] averages over. They have equal length,
// and their weights sum to 1. They are divided into groups; the spread between groups
// gives the error bars.
type Words struct {
	Length int

	list   []weighted
	groups int
	table  *process.Prefixes // nil if no process is known
}

// weighted is a sequence with its weight, its group, and its row in the table of
// sequences.
type weighted struct {
	tokens []int32
	weight float64
	group  int
	row    int
}

// sampledTokens is the approximate number of tokens in sampled sequences.
const sampledTokens = 1 << 16

// WordsOf returns sequences of a process that have the given length. If [probe.AllWords]
// returns true, these are all sequences that can occur, weighted by their probability.
// Otherwise they are sampled sequences, about 2¹⁶ tokens in total, in eight groups.
// WordsOf returns an error if the length is less than 1 or ctx ends.
func WordsOf(ctx context.Context, source process.Process, length int) (*Words, error) {
	if length < 1 {
		return nil, wrong("cannot ablate over sequences of %d tokens; want at least 1 token", length)
	}
	if probe.AllWords(source, length) {
		table, err := process.Words(ctx, source, length)
		if err != nil {
			return nil, err
		}
		return wordsIn(table), nil
	}
	const fewest, seed = 64, 1
	table, err := probe.SampleWords(ctx, source, length, max(fewest, sampledTokens/length), seed)
	if err != nil {
		return nil, err
	}
	return wordsIn(table), nil
}

// wordsIn returns the full-length sequences of a table.
func wordsIn(table *process.Prefixes) *Words {
	w := &Words{Length: table.Length, groups: max(1, table.Groups), table: table}
	from, to := table.Range(table.Length)
	for row := from; row < to; row++ {
		word := weighted{tokens: table.Tokens(row), weight: table.Prob[row], row: row}
		for group, n := range table.Draws(row) {
			if n > 0 {
				word.group, word.weight = group, float64(n)/float64(table.Sequences)
				w.list = append(w.list, word)
			}
		}
		if table.Sequences == 0 && word.weight > 0 {
			w.list = append(w.list, word)
		}
	}
	return w
}

// GivenWords returns given sequences of equal length, with equal weights. If source is
// not nil, it must be able to produce the sequences. If source is nil, a model is scored
// against its own predictions. It returns an error if there are no sequences or their
// lengths differ.
func GivenWords(ctx context.Context, source process.Process, words [][]int32) (*Words, error) {
	if len(words) == 0 || len(words[0]) == 0 {
		return nil, wrong("no sequence is given, or the first one is empty; give sequences of at least 1 token")
	}
	w := &Words{Length: len(words[0]), groups: 1}
	for i, word := range words {
		if len(word) != w.Length {
			return nil, wrong("sequences of %d and %d tokens; give sequences of equal length", w.Length, len(word))
		}
		w.list = append(w.list, weighted{tokens: word, weight: 1 / float64(len(words)), row: i})
	}
	if source == nil {
		return w, nil
	}
	for _, z := range slices.Concat(words...) {
		if z < 0 || int(z) >= source.Alphabet() {
			return nil, wrong("token %d is outside the process's alphabet [0, %d]", z, source.Alphabet()-1)
		}
	}
	table, err := process.WordsOf(ctx, source, words, 1)
	if err != nil {
		return nil, wrong("%w", err)
	}
	w.table = table
	for i, word := range words {
		w.list[i].row = table.Row(word)
	}
	return w, nil
}

// Number returns the number of different sequences, and the number of sampled sequences,
// which is 0 if the sequences were not sampled.
func (w *Words) Number() (words, sequences int) {
	for i, word := range w.list {
		if i == 0 || w.list[i-1].row != word.row {
			words++
		}
	}
	if w.table != nil && w.groups > 1 {
		sequences = w.table.Sequences
	}
	return words, sequences
}

// one reports whether all sequences are equal.
func (w *Words) one() bool {
	differs := func(word weighted) bool { return !slices.Equal(word.tokens, w.list[0].tokens) }
	return !slices.ContainsFunc(w.list, differs)
}

// check returns an error unless the sequences fit the model.
func (w *Words) check(c model.Config) error {
	for _, word := range w.list {
		if err := checkWord(c, word.tokens); err != nil {
			return err
		}
	}
	return nil
}

// optimal returns the optimal prediction after each token of a sequence.
func (w *Words) optimal(word weighted) [][]float64 {
	next, row := make([][]float64, w.Length), word.row
	for t := w.Length - 1; t >= 0; t-- {
		next[t] = w.table.NextTokens(row)
		row = w.table.Parent(row)
	}
	return next
}

// chance returns, for each position, the KL from the optimal prediction to the best
// constant prediction, which is the mean of the optimal predictions.
func (w *Words) chance() []float64 {
	guess, n := make([]float64, w.table.Alphabet), float64(w.Length)
	for row, weight := range w.table.Prob {
		for z, p := range w.table.NextTokens(row) {
			guess[z] += weight * p / n
		}
	}
	logits := logarithms(guess)
	kl := make([]float64, w.Length)
	for t := range kl {
		from, to := w.table.Range(t + 1)
		for row := from; row < to; row++ {
			kl[t] += w.table.Prob[row] * model.Divergence(w.table.NextTokens(row), logits)
		}
	}
	return kl
}

// donors draws, for each sequence, the index of the sequence that replaces its
// activations (possibly the same), with a probability proportional to the drawn
// sequence's weight.
func (w *Words) donors(seed uint64, round int) []int {
	cumulative, total := make([]float64, len(w.list)), 0.0
	for i, word := range w.list {
		total += word.weight
		cumulative[i] = total
	}
	drawn := make([]int, len(w.list))
	for i := range drawn {
		u := random.New(seed, "intervene/donor", uint64(round), uint64(i)).Float64() * total
		drawn[i] = search(cumulative, u)
	}
	return drawn
}

// search returns the first index at which the increasing list exceeds x, or the last
// index if no number of the list exceeds x.
func search(rising []float64, x float64) int {
	return min(sort.Search(len(rising), func(i int) bool { return rising[i] > x }), len(rising)-1)
}

// logarithms returns logits of a distribution, with the logarithm of the smallest
// positive float64 for zero probabilities.
func logarithms(p []float64) []float64 {
	logits := make([]float64, len(p))
	for i, x := range p {
		logits[i] = portable.Log(max(x, math.SmallestNonzeroFloat64))
	}
	return logits
}
