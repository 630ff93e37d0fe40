package intervene

import (
	"context"
	"slices"

	"foretell/internal/random"
	"foretell/process"
)

// Pair is a clean and a corrupt sequence of equal length.
type Pair struct {
	Clean, Corrupt []int32
	Weight         float64 // 0 counts as 1
}

// Pairs are the pairs that a map is averaged over.
type Pairs struct {
	Pairs []Pair
	// Sampled reports that the pairs were drawn at random. Pair i is then in group i mod
	// [Groups], and the spread between the groups gives the error bars. Other pairs have no
	// error bars.
	Sampled bool
}

// Groups is the largest number of independent groups that a sample is divided into.
const Groups = 8

// OnePair returns the pair of a clean and a corrupt sequence.
func OnePair(clean, corrupt []int32) Pairs {
	return Pairs{Pairs: []Pair{{Clean: clean, Corrupt: corrupt}}}
}

// PairsOf returns pairs of sequences of a process that have the given length. If there
// are at most n pairs of two different sequences, it returns all of them, each weighted
// by the product of its sequences' probabilities. Otherwise it samples n pairs. The two
// sequences of a sampled pair are drawn independently, so they may be equal. It returns
// an error if length is less than 1 or n less than 2, if no two different sequences can
// occur, or if ctx ends.
func PairsOf(ctx context.Context, source process.Process, length, n int, seed uint64) (Pairs, error) {
	if length < 1 || n < 2 {
		return Pairs{}, wrong("cannot make %d pairs of sequences of %d tokens; want at least 2 pairs and 1 token", n, length)
	}
	few := func(words int) bool { return words*(words-1) <= n }
	if table, ok, err := fewWords(ctx, source, length, few); ok || err != nil {
		return allPairs(table, err)
	}
	p := Pairs{Sampled: true}
	for i := range uint64(n) {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		pair := Pair{Clean: make([]int32, length), Corrupt: make([]int32, length)}
		source.Sample(pair.Clean, random.New(seed, "intervene/pair", i, 0))
		source.Sample(pair.Corrupt, random.New(seed, "intervene/pair", i, 1))
		p.Pairs = append(p.Pairs, pair)
	}
	if !slices.ContainsFunc(p.Pairs, func(p Pair) bool { return !slices.Equal(p.Clean, p.Corrupt) }) {
		return p, errOneWord
	}
	return p, nil
}

var errOneWord = wrong("the two sequences of every pair are equal, so there is nothing to patch")

// fewWords returns the table of all sequences of the given length, and true, if the
// function accept returns true for their number. The number includes sequences that
// cannot occur. Above 2¹⁸ sequences, fewWords always returns false.
func fewWords(ctx context.Context, source process.Process, length int, accept func(words int) bool) (
	*process.Prefixes, bool, error,
) {
	const most = 1 << 18 // limit on the number of sequences, for any function accept
	words := 1
	for range length {
		if words *= source.Alphabet(); words > most || !accept(words) {
			return nil, false, nil
		}
	}
	table, err := process.Words(ctx, source, length)
	return table, true, err
}

// allPairs lists the pairs of different full-length sequences that can occur.
func allPairs(table *process.Prefixes, err error) (p Pairs, _ error) {
	if err != nil {
		return p, err
	}
	from, to := table.Range(table.Length)
	for clean := from; clean < to; clean++ {
		for corrupt := from; corrupt < to; corrupt++ {
			if weight := table.Prob[clean] * table.Prob[corrupt]; weight > 0 && clean != corrupt {
				p.Pairs = append(p.Pairs, Pair{table.Tokens(clean), table.Tokens(corrupt), weight})
			}
		}
	}
	if len(p.Pairs) == 0 {
		return p, errOneWord
	}
	return p, nil
}

// groups returns the number of groups that the pairs are divided into.
func (p Pairs) groups() int {
	if !p.Sampled {
		return 1
	}
	return min(Groups, len(p.Pairs))
}

// check returns the length of the sequences, which must all be equal.
func (p Pairs) check() (length int, err error) {
	if len(p.Pairs) == 0 {
		return 0, wrong("no pair of sequences is given")
	}
	length = len(p.Pairs[0].Clean)
	for _, pair := range p.Pairs {
		if len(pair.Clean) != length || len(pair.Corrupt) != length {
			return 0, wrong("the clean sequence has %d tokens and the corrupt one %d; "+
				"patching needs equal lengths", len(pair.Clean), len(pair.Corrupt))
		}
		if pair.Weight < 0 || pair.Weight-pair.Weight != 0 {
			return 0, wrong("a pair of sequences has weight %v, want a finite number of at least 0", pair.Weight)
		}
	}
	return length, nil
}
