package describe

import (
	"context"
	"slices"

	"foretell/document"
	"foretell/process"
	"foretell/token"
)

// Limits of lists.
const (
	mostRows  = 2000 // largest number of transitions on a page, and of sequences in a file
	mostSteps = 16   // largest length of these sequences
)

// transitions returns a row for each possible transition, with the columns state, token,
// next_state and probability: the joint probability of token and next state given the
// state. States are the states of a hidden Markov model. If the process has no hidden
// states, or is generalised, so that its matrices do not hold probabilities, a state is
// the sequence so far: the names of its tokens separated by spaces, "(start)" before the
// first token. These sequences have lengths 1, 2, …, at most 16, up to the last length
// for which there are at most 2000 rows. It returns an error if the process's predictor
// returns an invalid distribution.
func (s Subject) transitions(ctx context.Context) (document.Frame, error) {
	d := Description{Tokens: s.Process.Tokens()}
	d.addStates(s.Process)
	f := d.transitions()
	if !d.Generalised && f.Rows != nil {
		return f, nil
	}
	var err error
	f.Rows, err = s.wordsByToken(ctx)
	return f, err
}

// transitions returns the nonzero entries of the matrices.
func (d *Description) transitions() document.Frame {
	entry := "probability"
	if d.Generalised {
		entry = "entry"
	}
	f := document.Frame{Title: "Transitions", Columns: []document.Column{
		{Name: "state", Heading: "state"},
		{Name: "token", Heading: "token"},
		{Name: "next_state", Heading: "next state"},
		{Name: "probability", Heading: entry, Format: "%.6g"},
	}}
	for i, from := range d.States {
		for _, token := range d.Tokens {
			for j, to := range d.States {
				if x := d.Matrices[token]; x != nil && x[i][j] != 0 {
					f.Row(from, token, to, x[i][j])
				}
			}
		}
	}
	return f
}

// wordsByToken returns a row for each sequence of positive probability, as a transition
// to it from the sequence without its last token.
func (s Subject) wordsByToken(ctx context.Context) ([][]any, error) {
	source, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	table, err := process.Words(ctx, source, 1)
	if err != nil {
		return nil, err
	}
	names := s.Process.Tokens()
	var rows [][]any
	var words [][]int32 // the sequences of the largest length so far
	for row, q := range table.Prob {
		if word := table.Tokens(row); q > 0 {
			rows = append(rows, []any{"(start)", names[word[0]], names[word[0]], q})
			words = append(words, word)
		}
	}
	for length := 1; length < mostSteps; length++ {
		if table, err = process.WordsOf(ctx, source, words, 1); err != nil {
			return nil, err
		}
		var more [][]any
		if more, words = s.continued(table, length); len(rows)+len(more) > mostRows {
			break
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// continued extends each sequence of the given length in a table by every possible next
// token. It returns the transitions to the longer sequences as rows, and these sequences.
// It stops early if there are too many rows.
func (s Subject) continued(table *process.Prefixes, length int) (rows [][]any, words [][]int32) {
	names := s.Process.Tokens()
	for row := range table.Rows() {
		word := table.Tokens(row)
		if len(word) < length || len(rows) > mostRows {
			continue
		}
		before := token.Names(names).Join(word, " ")
		for z, q := range table.NextTokens(row) {
			if q > 0 {
				rows = append(rows, []any{before, names[z], before + " " + names[z], q})
				words = append(words, append(slices.Clone(word), int32(z)))
			}
		}
	}
	return rows, words
}
