package process

import (
	"context"
	"fmt"
	"slices"
)

// PrefixesOf does the same as [WordsOf] for an HMM; the rows of the table have beliefs.
func (h *HMM) PrefixesOf(ctx context.Context, sequences [][]int32, groups int) (*Prefixes, error) {
	checkSequences(h, sequences, groups)
	p := beginnings(h.Alphabet(), h.NumStates(), sequences, groups)
	row, err := h.fill(ctx, p)
	if err != nil {
		return nil, err
	}
	if row >= 0 {
		return nil, cannotOccur(h, p.Tokens(row), sequences)
	}
	p.weighByDraws()
	return p, nil
}

// checkSequences panics unless there are sequences, all of one length and made of
// tokens of p.
func checkSequences(p Process, sequences [][]int32, groups int) {
	if len(sequences) == 0 || len(sequences[0]) == 0 || groups < 1 {
		panic(fmt.Sprintf("process: the prefixes of %d sequences in %d groups, "+
			"want at least 1 of each and no empty sequence",
			len(sequences), groups))
	}
	length, alphabet := len(sequences[0]), int32(p.Alphabet())
	if len(sequences)*length > maxPrefixRows {
		panic(fmt.Sprintf("process: the prefixes of %d sequences of %d tokens, want at most %d tokens in all",
			len(sequences), length, maxPrefixRows))
	}
	for _, sequence := range sequences {
		if len(sequence) != length {
			panic(fmt.Sprintf("process: the prefixes of sequences of %d and of %d tokens, want equal lengths",
				length, len(sequence)))
		}
		for _, z := range sequence {
			if z < 0 || z >= alphabet {
				panic(fmt.Sprintf("process: %s has no token %d, want a token in 0 … %d", p.Name(), z, alphabet-1))
			}
		}
	}
}

// beginnings returns the table of all prefixes of the given sequences, with the number of
// sequences that begin with each prefix, and nothing else computed yet.
func beginnings(alphabet, states int, sequences [][]int32, groups int) *Prefixes {
	length, order := len(sequences[0]), sorted(sequences)
	shared := make([]int, len(order)) // the number of tokens shared with the previous sequence
	rows := length
	for k := 1; k < len(order); k++ {
		shared[k] = commonBeginning(sequences[order[k-1]], sequences[order[k]])
		rows += length - shared[k]
	}

	p := newPrefixes(alphabet, states, length, rows)
	p.Sequences, p.Groups, p.draws = len(sequences), groups, make([]int32, rows*groups)
	row, ends := -1, make([]int32, len(order)) // [sequence]: the row of its first t tokens
	for k := range ends {
		ends[k] = -1
	}
	for t := range length {
		p.starts = append(p.starts, row+1)
		for k, i := range order {
			if k == 0 || shared[k] <= t {
				row++
				p.parents[row], p.last[row] = ends[k], sequences[i][t]
			}
			ends[k] = int32(row)
			p.draws[row*groups+i%groups]++
		}
	}
	p.starts = append(p.starts, rows)
	return p
}

// sorted returns the indices of sequences in lexicographic order of their tokens.
func sorted(sequences [][]int32) []int {
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(sequences[i], sequences[j]) })
	return order
}

// weighByDraws sets the probability of each prefix to the share of the sequences that
// begin with it.
func (p *Prefixes) weighByDraws() {
	for row := range p.Prob {
		n := int32(0)
		for _, count := range p.Draws(row) {
			n += count
		}
		p.Prob[row] = float64(n) / float64(p.Sequences)
	}
}

// cannotOccur returns the error about a sequence that begins with the given prefix, which
// cannot occur. Without its last token the prefix can occur.
func cannotOccur(p Process, prefix []int32, sequences [][]int32) error {
	last := len(prefix) - 1
	for _, i := range sorted(sequences) {
		if slices.Equal(prefix, sequences[i][:len(prefix)]) {
			return fmt.Errorf("%s: sequence %d cannot occur: "+
				"token %s at position %d has probability 0 given the earlier tokens",
				p.Name(), i+1, p.Tokens()[prefix[last]], last+1)
		}
	}
	panic(fmt.Sprintf("process: no sequence begins with %v", prefix))
}

func commonBeginning(a, b []int32) int {
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// Draws returns the number of sequences in each group that begin with the prefix of a
// row, of length Groups, as a view. It is empty if the table has every prefix.
func (p *Prefixes) Draws(row int) []int32 {
	p.mustRow(row)
	return p.draws[row*p.Groups : (row+1)*p.Groups]
}
