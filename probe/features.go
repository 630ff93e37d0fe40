package probe

import (
	"fmt"
	"strings"

	"foretell/process"
)

// Features are what targets are regressed on: the activations of a stage of the
// residual stream, those of several stages side by side, or what is known of a word
// without a model.
type Features struct {
	Name   string
	Stages []string // hook names; empty without a model

	width int
	rows  int                          // of a table; 0 for any
	row   func(dst []float64, row int) // without a model: writes the features of a word
}

// Stage is the features of one stage of the residual stream.
func Stage(hook string) Features { return Features{Name: hook, Stages: []string{hook}} }

// Stages is the features of each of several stages, one after another.
func Stages(hooks ...string) []Features {
	var list []Features
	for _, hook := range hooks {
		list = append(list, Stage(hook))
	}
	return list
}

// SideBySide is the features of several stages together: what a model knows at any of
// them.
func SideBySide(name string, hooks []string) Features { return Features{Name: name, Stages: hooks} }

// TableFeatures are any table of numbers with a row for each word, in the order of the
// words.
func TableFeatures(name string, t Table) Features {
	t.check(name, -1)
	row := func(dst []float64, row int) { copy(dst, t.Row(row)) }
	return Features{Name: name, width: t.Width, rows: t.Rows(), row: row}
}

// NextTokenFeatures are the optimal next-token distribution after each word: all that a
// model needs for its predictions, and less than the belief where different beliefs
// predict the same token.
func NextTokenFeatures(p *process.Prefixes) Features {
	return TableFeatures("next token", Table{Data: p.Next, Width: p.Alphabet})
}

// MarkovFeatures say which are the last k tokens of each word, one-hot, or which word
// it is if it has fewer: what a model knows that looks no further back.
func MarkovFeatures(p *process.Prefixes, k int) Features {
	f := Features{Name: fmt.Sprintf("last %d tokens", k), width: process.NumPrefixes(p.Alphabet, k)}
	if k == 1 {
		f.Name = strings.TrimSuffix(f.Name, "s")
	}
	f.row = func(dst []float64, row int) {
		clear(dst)
		// The place of the word among all words of up to k tokens, the last token the
		// most significant.
		first, index := 0, 0
		for range k {
			if row < 0 {
				break
			}
			first, index = (first+1)*p.Alphabet, index*p.Alphabet+p.LastToken(row)
			row = p.Parent(row)
		}
		dst[first/p.Alphabet-1+index] = 1
	}
	return f
}
