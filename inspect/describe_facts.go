package inspect

import (
	"fmt"
	"strings"

	"foretell/process"
)

// LimitFacts says in lines what a description has of the limits: entropy rate and excess
// entropy, chance, and of a signal the greatest accuracy.
func (d *Description) LimitFacts() []Fact {
	estimated := ""
	if d.Estimated {
		estimated = ", estimated"
	}
	facts := []Fact{{
		"entropy rate", fmt.Sprintf("%s nats (± %.1g%s)", sixDigits(d.EntropyRate), d.EntropyRateError, estimated),
	}}
	if d.ExcessEntropy != nil {
		facts = append(facts, Fact{
			"excess entropy", fmt.Sprintf("%s nats (± %.1g%s)", sixDigits(*d.ExcessEntropy), *d.ExcessEntropyError, estimated),
		})
	} else if d.NoExcessEntropy != "" {
		facts = append(facts, Fact{"excess entropy", d.NoExcessEntropy})
	}
	facts = append(facts, Fact{"chance", fmt.Sprintf("%s nats%s", sixDigits(d.Chance), d.ChanceOf)})
	if d.CeilingError != "" {
		facts = append(facts, Fact{"accuracy ceiling", d.CeilingError})
	}
	if c := d.Ceiling; c != nil {
		facts = append(facts, Fact{
			"accuracy ceiling", fmt.Sprintf("%s, mean over the tokens 2 … %d", sixDigits(c.Accuracy), c.Context+1),
		})
		if c.Retrieval != nil {
			facts = append(facts, Fact{
				"retrieval steps", sixDigits(*c.Retrieval) + " of these tokens; on them alone the ceiling is 1",
			})
		}
	}
	return facts
}

// chanceOf says over which positions chance was taken, where it is not the same over any:
// those of a program in time, whose first tokens have other frequencies than later ones.
func chanceOf(p process.Process, floor process.Floor) string {
	first, err := p.Floor(1)
	if err != nil || first.Chance == floor.Chance {
		return ""
	}
	return fmt.Sprintf(" (of the tokens' frequencies at positions 1 … %d)", len(floor.ByPosition))
}

// Matrices with more entries than mostEntries are shown as their transitions, of which
// mostTransitions at most are listed.
const (
	mostEntries     = 1000
	mostTransitions = 64
)

// Large says that the matrices are too large to be read.
func (d *Description) Large() bool {
	return len(d.Tokens)*len(d.States)*len(d.States) > mostEntries
}

// MatrixLines shows the matrices in lines, none where there are none: all their entries,
// or of large ones those that are not 0, as transitions.
func (d *Description) MatrixLines() []string {
	if d.Matrices == nil {
		return nil
	}
	if d.Large() {
		return d.transitionLines()
	}
	var lines []string
	for _, token := range d.Tokens {
		what := fmt.Sprintf("Pr(emit %s, go to j | in i)", token)
		if d.Generalised {
			what = "the generalised matrix of token " + token
		}
		lines = append(lines, "", fmt.Sprintf("T^%s[i,j] = %s", token, what))
		for i, row := range d.Matrices[token] {
			lines = append(lines, fmt.Sprintf("  %s  %s", d.States[i], sideBySide(row)))
		}
	}
	return lines
}

// transitionLines lists the entries that are not 0, state by state.
func (d *Description) transitionLines() []string {
	var list []string
	for i, from := range d.States {
		for _, token := range d.Tokens {
			for j, x := range d.Matrices[token][i] {
				if x != 0 {
					list = append(list, fmt.Sprintf("  %s → %s  emits %s  %s", from, d.States[j], token, sixDigits(x)))
				}
			}
		}
	}
	n := len(list)
	lines := []string{"", fmt.Sprintf("transitions: %d entries of the matrices T^z[i,j] of %d tokens, "+
		"each %d × %d states, are not 0", n, len(d.Tokens), len(d.States), len(d.States))}
	if n > mostTransitions {
		return append(append(lines, list[:mostTransitions]...), fmt.Sprintf("  … and %d more", n-mostTransitions))
	}
	return append(lines, list...)
}

// sideBySide writes numbers with a space between them.
func sideBySide(list []float64) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = sixDigits(x)
	}
	return strings.Join(texts, " ")
}
