package inspect

import (
	"context"
	"io"
	"slices"
	"strings"

	"foretell/internal/csvtable"
	"foretell/internal/page"
	"foretell/process"
)

// Bounds of what is listed.
const (
	mostRows  = 2000 // transitions of a page, and words of [Subject.WriteCSV]
	mostSteps = 16   // tokens of these words
)

// WriteCSV writes a row for each transition that can be, with the columns state, token,
// next_state and probability, that of the token and the next state together given the
// state. States are those of a hidden Markov model. Of a process without hidden states,
// and of a generalised one, whose matrices hold no probabilities, they are the words so
// far, the names of their tokens separated by spaces, "(start)" before the first token:
// as many of the lengths 1, 2, …, 16 as have 2000 words at most that can occur, from the
// first on. It is an error where the process's predictor says what is no distribution.
func (s Subject) WriteCSV(ctx context.Context, w io.Writer) error {
	rows := s.transitions().Rows
	if rows == nil {
		var err error
		if rows, err = s.wordsByToken(ctx); err != nil {
			return err
		}
	}
	header := []string{"state", "token", "next_state", "probability"}
	return csvtable.NewWriter(w).WriteAll(append([][]string{header}, rows...))
}

// transitions are those between hidden states, none where there are none, or where they
// have no probabilities.
func (s Subject) transitions() page.Table {
	d := Description{Tokens: s.Process.Tokens()}
	if d.addStates(s.Process); d.Generalised {
		return page.Table{}
	}
	return d.transitions(exact)
}

// transitions are the entries of the matrices that are not 0, as a text each.
func (d *Description) transitions(text func(float64) string) page.Table {
	entry := "probability"
	if d.Generalised {
		entry = "entry"
	}
	t := page.Table{Title: "Transitions", Columns: []string{"state", "token", "next state", entry}}
	for i, from := range d.States {
		for _, token := range d.Tokens {
			for j, to := range d.States {
				if x := d.Matrices[token]; x != nil && x[i][j] != 0 {
					t.Rows = append(t.Rows, []string{from, token, to, text(x[i][j])})
				}
			}
		}
	}
	return t
}

// wordsByToken are the words that can occur, each the state before its last token and the
// one behind it.
func (s Subject) wordsByToken(ctx context.Context) ([][]string, error) {
	source, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	table, err := process.Words(ctx, source, 1)
	if err != nil {
		return nil, err
	}
	names := s.Process.Tokens()
	var rows [][]string
	var words [][]int32 // of the greatest length
	for row, q := range table.Prob {
		if word := table.Tokens(row); q > 0 {
			rows = append(rows, []string{"(start)", names[word[0]], names[word[0]], exact(q)})
			words = append(words, word)
		}
	}
	for length := 1; length < mostSteps; length++ {
		if table, err = process.WordsOf(ctx, source, words, 1); err != nil {
			return nil, err
		}
		var more [][]string
		if more, words = s.continued(table, length); len(rows)+len(more) > mostRows {
			break
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// continued are the words of a length in a table with a token more: their rows, and the
// words themselves; of too many rows the first.
func (s Subject) continued(table *process.Prefixes, length int) (rows [][]string, words [][]int32) {
	names := s.Process.Tokens()
	for row := range table.Rows() {
		word := table.Tokens(row)
		if len(word) < length || len(rows) > mostRows {
			continue
		}
		before := strings.Join(tokenNames(word, names), " ")
		for z, q := range table.NextTokens(row) {
			if q > 0 {
				rows = append(rows, []string{before, names[z], before + " " + names[z], exact(q)})
				words = append(words, append(slices.Clone(word), int32(z)))
			}
		}
	}
	return rows, words
}
