package probe

import (
	"fmt"
	"strings"

	"foretell/process"
)

// Features are the inputs of regressions: the activations of one stage of the residual
// stream, the concatenated activations of several stages, or functions of the prefix that
// need no model.
type Features struct {
	Name   string   // identifies the features in a [Plan]
	Stages []string // hook names; empty without a model

	width int
	rows  int                          // number of rows of a table; 0 if any number is possible
	row   func(dst []float64, row int) // writes the features of one prefix; nil for stages of a model
}

// named reports whether g has the name of f.
func (f Features) named(g Features) bool { return f.Name == g.Name }

// Stage returns the features of one stage of the residual stream.
func Stage(hook string) Features { return Features{Name: hook, Stages: []string{hook}} }

// Stages returns one Features value for each of several stages.
func Stages(hooks ...string) []Features {
	var list []Features
	for _, hook := range hooks {
		list = append(list, Stage(hook))
	}
	return list
}

// SideBySide returns the concatenated features of several stages. Anything that can be
// read from one of the stages can also be read from these features.
func SideBySide(name string, hooks []string) Features { return Features{Name: name, Stages: hooks} }

// TableFeatures returns a table of numbers as features. It has a row for each prefix, in
// the order of the prefixes.
func TableFeatures(name string, t Table) Features {
	t.check(name, -1)
	row := func(dst []float64, row int) { copy(dst, t.Row(row)) }
	return Features{Name: name, width: t.Width, rows: t.Rows(), row: row}
}

// NextTokenFeatures returns the optimal next-token distribution after each prefix. A
// model needs nothing else for its predictions. The distribution contains less than the
// belief if different beliefs predict the same tokens.
func NextTokenFeatures(p *process.Prefixes) Features {
	return TableFeatures("next token", Table{Data: p.Next, Width: p.Alphabet})
}

// MarkovFeatures returns the last k tokens of each prefix (all its tokens if it is
// shorter), one-hot among all sequences of up to k tokens. A model that looks back only k
// tokens cannot know more.
func MarkovFeatures(p *process.Prefixes, k int) Features {
	f := Features{Name: fmt.Sprintf("last %d tokens", k), width: process.NumPrefixes(p.Alphabet, k)}
	if k == 1 {
		f.Name = strings.TrimSuffix(f.Name, "s")
	}
	f.row = func(dst []float64, row int) {
		clear(dst)
		// The index of these tokens among all sequences of up to k tokens, the last token the
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
