package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/plural"
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
		half := ""
		if c.Error > 0 {
			half = fmt.Sprintf(" (± %.1g, estimated)", c.Error)
		}
		facts = append(facts, Fact{
			"accuracy ceiling", fmt.Sprintf("%s%s, mean over the tokens 2 … %d", sixDigits(c.Accuracy), half, c.Context+1),
		})
		if c.Retrieval != nil {
			facts = append(facts, Fact{
				"retrieval steps", sixDigits(*c.Retrieval) + " of these tokens; on them alone the ceiling is 1",
			})
		}
	}
	if d.ByHeart != "" {
		facts = append(facts, Fact{"floor and ceiling", d.ByHeart + ". " + holdOut})
	}
	return facts
}

// holdOut says how a model of a recording is judged beyond it.
const holdOut = "To hold a part out, make it a recording of its own, quantised alike, " +
	"and let the model predict its windows"

// ByHeart says whose floor and ceiling those of a recording are; it is empty for a
// process that is none.
func ByHeart(p process.Process) string {
	if _, ok := p.(process.Recorder); !ok {
		return ""
	}
	return "those of who knows the recording by heart, which training and evaluation alike take windows of: " +
		"they say nothing of a signal that the model has not seen"
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

// Of large matrices, those with more than mostEntries entries, mostEdges lines are shown;
// and of the tokens of an edge, mostAlike of those that are equally likely.
const (
	mostEntries = 1000
	mostEdges   = 64
	mostAlike   = 4
)

// Large says that the matrices are too large to be read, as edges, too.
func (d *Description) Large() bool {
	return len(d.Tokens)*len(d.States)*len(d.States) > mostEntries
}

// sparse says that edges are shorter to write than matrices: an edge takes about the room
// of two entries.
func (d *Description) sparse() bool {
	nonzero := 0
	for _, matrix := range d.Matrices {
		for _, row := range matrix {
			for _, x := range row {
				if x != 0 {
					nonzero++
				}
			}
		}
	}
	return 2*nonzero < len(d.Tokens)*len(d.States)*len(d.States)
}

// MatrixLines shows the matrices in lines, none where there are none: all their entries,
// or, where most are 0 or they are large, the edges between states.
func (d *Description) MatrixLines() []string {
	if d.Matrices == nil {
		return nil
	}
	if d.Large() || d.sparse() {
		return d.edgeLines()
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

// edgeLines lists the edges from state to state, with the tokens on each: of a large
// process the first.
func (d *Description) edgeLines() []string {
	var list []string
	entries := 0
	for i, from := range d.States {
		for j, to := range d.States {
			tokens, n := d.onEdge(i, j)
			if entries += n; n > 0 {
				list = append(list, fmt.Sprintf("  %s –%s→ %s", from, tokens, to))
			}
		}
	}
	what := "state –token:probability→ state"
	if d.Generalised {
		what = "state –token:entry of its generalised matrix→ state"
	}
	tokens, n := plural.Count(len(d.Tokens), "token"), len(d.States)
	lines := []string{"", fmt.Sprintf("transitions, %s: %d entries of the matrices T^z[i,j] of %s, "+
		"each %d × %d, are not 0", what, entries, tokens, n, n)}
	if n := len(list); d.Large() && n > mostEdges {
		return append(append(lines, list[:mostEdges]...), fmt.Sprintf("  … and %d more", n-mostEdges))
	}
	return append(lines, list...)
}

// onEdge writes the tokens from a state to another with their entries, those that are
// equal together, "0|1:0.25 2:0.5", and returns how many there are.
func (d *Description) onEdge(from, to int) (text string, n int) {
	var entries []float64
	alike := map[float64][]string{}
	for _, token := range d.Tokens {
		if x := d.Matrices[token][from][to]; x != 0 {
			n++
			if alike[x] == nil {
				entries = append(entries, x)
			}
			alike[x] = append(alike[x], token)
		}
	}
	for k, x := range entries {
		tokens := alike[x]
		if len(tokens) > mostAlike {
			tokens = []string{fmt.Sprintf("%s|…|%s (%d)", tokens[0], tokens[len(tokens)-1], len(tokens))}
		}
		if k > 0 {
			text += " "
		}
		text += strings.Join(tokens, "|") + ":" + strconv.FormatFloat(x, 'g', 6, 64)
	}
	return text, n
}

// sideBySide writes numbers with a space between them.
func sideBySide(list []float64) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = sixDigits(x)
	}
	return strings.Join(texts, " ")
}
