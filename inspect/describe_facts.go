package inspect

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"foretell/internal/plural"
	"foretell/process"
)

// stateFacts says in lines how often the states come.
func (d *Description) stateFacts() (facts []Fact) {
	if d.Generalised {
		facts = append(facts, Fact{"weight of each state (right vector r)", sideBySide(d.Right)})
	}
	if d.Stationary != nil {
		what := "states in the long run (stationary distribution)"
		if d.States == nil {
			what = "tokens in the long run (stationary distribution)"
		}
		facts = append(facts, Fact{what, sideBySide(d.Stationary)})
	}
	return facts
}

// beliefFacts says in lines what is known of the beliefs.
func (d *Description) beliefFacts() []Fact {
	const what = "what an observer can believe (beliefs)"
	b := d.Beliefs
	if b == nil {
		return []Fact{{what, strings.TrimPrefix(d.BeliefsError, d.Name+": ")}}
	}
	return []Fact{
		{what, fmt.Sprintf("%d that come again and again (recurrent), %d at first alone (transient)",
			b.Recurrent, b.Transient)},
		{"how uncertain which it is (belief entropy)", sixDigits(b.Entropy) + " nats"},
		{"what an observer has to store (statistical complexity)", sixDigits(b.StatisticalComplexity) + " nats"},
	}
}

// LimitFacts says in lines what a description has of the limits: entropy rate and excess
// entropy, chance, and of a signal the greatest accuracy.
func (d *Description) LimitFacts() []Fact {
	estimated := ""
	if d.Estimated {
		estimated = ", estimated"
	}
	facts := []Fact{{
		"least loss in the long run (entropy rate)",
		fmt.Sprintf("%s nats (± %.1g%s)", sixDigits(d.EntropyRate), d.EntropyRateError, estimated),
	}}
	if d.ExcessEntropy != nil {
		facts = append(facts, Fact{
			excessEntropy, fmt.Sprintf("%s nats (± %.1g%s)", sixDigits(*d.ExcessEntropy), *d.ExcessEntropyError, estimated),
		})
	} else if d.NoExcessEntropy != "" {
		facts = append(facts, Fact{excessEntropy, d.NoExcessEntropy})
	}
	facts = append(facts, Fact{"loss of the best fixed guess (chance)", sixDigits(d.Chance) + " nats" + d.ChanceOf})
	if d.CeilingError != "" {
		facts = append(facts, Fact{accuracyCeiling, d.CeilingError})
	}
	if c := d.Ceiling; c != nil {
		half := ""
		if c.Error > 0 {
			half = fmt.Sprintf(" (± %.1g, estimated)", c.Error)
		}
		facts = append(facts, Fact{
			accuracyCeiling, fmt.Sprintf("%s%s, mean over the tokens 2 … %d", sixDigits(c.Accuracy), half, c.Context+1),
		})
		if c.Retrieval != nil {
			facts = append(facts, Fact{
				"tokens that are looked up (retrieval steps)",
				sixDigits(*c.Retrieval) + " of these tokens; on them alone the ceiling is 1",
			})
		}
	}
	return append(facts, d.recordingFacts()...)
}

const (
	excessEntropy   = "what the past foretells (excess entropy)"
	accuracyCeiling = "greatest accuracy of a model (ceiling)"
)

// chanceOf says over which positions chance was taken, where it is not the same over any:
// those of a program in time, whose first tokens have other frequencies than later ones.
func chanceOf(ctx context.Context, p process.Process, floor process.Floor) string {
	first, err := p.Floor(ctx, 1)
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
		what := "probability of token %s, from the state at the left to the one above (matrix T^%s)"
		if d.Generalised {
			what = "token %s, from the state at the left to the one above (generalised matrix T^%s)"
		}
		lines = append(lines, "", fmt.Sprintf(what, token, token))
		lines = append(lines, matrixRows(d.States, d.Matrices[token])...)
	}
	return lines
}

// matrixRows writes a matrix under the names of its states, its columns aligned.
func matrixRows(states []string, matrix [][]float64) []string {
	table := [][]string{append([]string{""}, states...)}
	for i, row := range matrix {
		cells := []string{states[i]}
		for _, x := range row {
			cells = append(cells, sixDigits(x))
		}
		table = append(table, cells)
	}
	widths := make([]int, len(states)+1)
	for _, cells := range table {
		for j, cell := range cells {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(table))
	for i, cells := range table {
		lines[i] = fmt.Sprintf("  %-*s", widths[0], cells[0])
		for j, cell := range cells[1:] {
			lines[i] += fmt.Sprintf("  %*s", widths[j+1], cell)
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
	size, all := plural.Count(len(d.Tokens), "token"), len(d.Tokens)*len(d.States)*len(d.States)
	lines := []string{"", fmt.Sprintf("transitions, %s (of %d entries of the matrices T^z of %s the %d that are not 0)",
		what, all, size, entries)}
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
		text += strings.Join(tokens, "|") + ":" + rounded(x)
	}
	return text, n
}

// rounded is a number to six digits that count, so that none but 0 is 0.
func rounded(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// sideBySide writes numbers with a space between them.
func sideBySide(list []float64) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = sixDigits(x)
	}
	return strings.Join(texts, " ")
}
