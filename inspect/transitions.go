package inspect

import (
	"encoding/csv"
	"io"

	"foretell/internal/page"
	"foretell/process"
)

// mostRows bounds the transitions of a page, and the words of [Subject.WriteCSV].
const mostRows = 2000

// WriteCSV writes a row for each transition that can be, with the columns state, token,
// next_state and probability, that of the token and the next state together given the
// state. States are those of a hidden Markov model. Of a process without hidden states,
// and of a generalised one, whose matrices hold no probabilities, they are the words so
// far, "(start)" before the first token: as many of the lengths 1, 2, … as have 2000
// words at most, from the first on. It is an error where the process's predictor says
// what is no distribution.
func (s Subject) WriteCSV(w io.Writer) error {
	rows := s.transitions().Rows
	if rows == nil {
		var err error
		if rows, err = s.wordsByToken(); err != nil {
			return err
		}
	}
	header := []string{"state", "token", "next_state", "probability"}
	return csv.NewWriter(w).WriteAll(append([][]string{header}, rows...))
}

// transitions are those between hidden states, none where there are none, or where they
// have no probabilities.
func (s Subject) transitions() page.Table {
	d := Description{Tokens: s.Process.Tokens()}
	if d.addStates(s.Process); d.Generalised {
		return page.Table{}
	}
	return d.transitions()
}

// transitions are the entries of the matrices that are not 0.
func (d *Description) transitions() page.Table {
	entry := "probability"
	if d.Generalised {
		entry = "entry"
	}
	t := page.Table{Title: "Transitions", Columns: []string{"state", "token", "next state", entry}}
	for i, from := range d.States {
		for _, token := range d.Tokens {
			for j, to := range d.States {
				if x := d.Matrices[token]; x != nil && x[i][j] != 0 {
					t.Rows = append(t.Rows, []string{from, token, to, exact(x[i][j])})
				}
			}
		}
	}
	return t
}

// wordsByToken are the words that can occur, each the state before its last token and the
// one behind it.
func (s Subject) wordsByToken() ([][]string, error) {
	length, names := 1, s.Process.Tokens()
	for process.NumPrefixes(len(names), length+1) <= mostRows {
		length++
	}
	words, err := process.Words(s.Process, length)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for row, q := range words.Prob {
		if q == 0 {
			continue
		}
		before, z := "(start)", words.LastToken(row)
		if parent := words.Parent(row); parent >= 0 {
			before, q = FormatWord(words.Tokens(parent), names), words.NextTokens(parent)[z]
		}
		rows = append(rows, []string{before, names[z], FormatWord(words.Tokens(row), names), exact(q)})
	}
	return rows, nil
}
