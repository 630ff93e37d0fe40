package process

import (
	"fmt"
	"slices"
)

// PrefixesOf returns the table of the words that begin given sequences, all of one
// length: samples, say, where the words of that length are too many to list. A row's
// Prob is the share of the sequences that begin with its word, and what the process
// knows of it is exact; so a sum over the rows weighted by Prob is a mean over the
// sequences.
//
// Sequence i belongs to group i mod groups, of which there is at least one: independent
// samples by which to tell how far the mean of all of them may be off.
//
// It is an error when a sequence cannot occur. It panics when there are none, when
// their lengths differ or are zero, on a token outside the alphabet, and when they have
// more than 2²⁴ tokens in all.
func (h *HMM) PrefixesOf(sequences [][]int32, groups int) (*Prefixes, error) {
	length := h.checkSequences(sequences, groups)
	order := make([]int, len(sequences)) // of the sequences by their tokens
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(sequences[i], sequences[j]) })
	shared := make([]int, len(order)) // tokens that each has in common with the one before it
	rows := length
	for k := 1; k < len(order); k++ {
		shared[k] = commonBeginning(sequences[order[k-1]], sequences[order[k]])
		rows += length - shared[k]
	}

	p := h.newPrefixes(length, rows)
	p.Sequences, p.Groups, p.draws = len(sequences), groups, make([]int32, rows*groups)
	row, ends := -1, make([]int32, len(order)) // the row where each sequence's beginning ends
	for k := range ends {
		ends[k] = -1
	}
	for t := range length {
		p.starts = append(p.starts, row+1)
		for k, i := range order {
			if k == 0 || shared[k] <= t {
				row++
				p.parents[row], p.last[row] = ends[k], sequences[i][t]
				if !h.fill(p, row) {
					return nil, fmt.Errorf("%s: sequence %d cannot occur: token %s at position %d has probability 0 after those before it",
						h.name, i+1, h.tokens[sequences[i][t]], t+1)
				}
			}
			ends[k] = int32(row)
			p.draws[row*groups+i%groups]++
		}
	}
	p.starts = append(p.starts, rows)
	for row := range p.Prob {
		n := int32(0)
		for _, count := range p.Draws(row) {
			n += count
		}
		p.Prob[row] = float64(n) / float64(len(sequences))
	}
	return p, nil
}

func (h *HMM) checkSequences(sequences [][]int32, groups int) (length int) {
	if len(sequences) == 0 || len(sequences[0]) == 0 || groups < 1 {
		panic(fmt.Sprintf("process: the prefixes of %d sequences, the first of which may be empty, in %d groups", len(sequences), groups))
	}
	length = len(sequences[0])
	if len(sequences)*length > maxPrefixRows {
		panic(fmt.Sprintf("process: the prefixes of %d sequences of %d tokens, which are more than %d", len(sequences), length, maxPrefixRows))
	}
	for _, sequence := range sequences {
		if len(sequence) != length {
			panic(fmt.Sprintf("process: the prefixes of sequences of %d and of %d tokens", length, len(sequence)))
		}
		for _, z := range sequence {
			h.mustToken(int(z))
		}
	}
	return length
}

func commonBeginning(a, b []int32) int {
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// Draws returns how many sequences of each group begin with the word of a row: of
// length Groups, as a view. It is empty where the table has every word.
func (p *Prefixes) Draws(row int) []int32 {
	p.mustRow(row)
	return p.draws[row*p.Groups : (row+1)*p.Groups]
}
