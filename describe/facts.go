package describe

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"foretell/document"
	"foretell/process"
)

// stateFacts returns the stationary distribution and, for a generalised process, the
// right vector r.
func (d *Description) stateFacts() (facts []document.Fact) {
	if d.Generalised {
		facts = append(facts, fact("weight of each state (right vector r)", sideBySide(d.Right)))
	}
	if d.Stationary != nil {
		what := "states in the long run (stationary distribution)"
		if d.States == nil {
			what = "tokens in the long run (stationary distribution)"
		}
		facts = append(facts, fact(what, sideBySide(d.Stationary)))
	}
	return facts
}

// beliefFacts returns facts about the beliefs.
func (d *Description) beliefFacts() []document.Fact {
	const what = "what an observer can believe (beliefs)"
	b := d.Beliefs
	if d.Recording != nil {
		return nil
	}
	if b == nil {
		return []document.Fact{fact(what, strings.TrimPrefix(d.BeliefsError, d.Name+": "))}
	}
	return []document.Fact{
		fact(what, fmt.Sprintf("%d recurrent, which keep coming back; %d transient, only at the beginning",
			b.Recurrent, b.Transient)),
		fact("uncertainty about the current belief (belief entropy)", sixDigits(b.Entropy)+" nats"),
		fact("information an observer must store (statistical complexity)", sixDigits(b.StatisticalComplexity)+" nats"),
	}
}

// LimitFacts returns facts about the limits of prediction: entropy rate, excess entropy,
// chance (the loss of the best constant guess) and, for a signal, the greatest accuracy.
// For your own recording they are instead its parts and chance.
func (d *Description) LimitFacts() []document.Fact {
	if d.Recording != nil {
		return d.recordingFacts()
	}
	of := ""
	if d.Memorised {
		of = memorised
	}
	estimated := ""
	if d.Estimated {
		estimated = ", estimated"
	}
	facts := d.entropyFacts(func(x, halfWidth float64) string {
		return fmt.Sprintf("%s nats (± %.1g%s)%s", sixDigits(x), halfWidth, estimated, of)
	})
	facts = append(facts, fact(chance, sixDigits(d.Chance)+" nats"+d.ChanceOf))
	if d.CeilingError != "" {
		facts = append(facts, fact(accuracyCeiling, d.CeilingError))
	}
	if c := d.Ceiling; c != nil {
		half := ""
		if c.Error > 0 {
			half = fmt.Sprintf(" (± %.1g, estimated)", c.Error)
		}
		facts = append(facts, fact(
			accuracyCeiling,
			fmt.Sprintf("%s%s, mean over tokens 2 … %d%s", sixDigits(c.Accuracy), half, c.Context+1, of),
		))
		if c.Retrieval != nil {
			facts = append(facts, fact(
				"tokens computed from earlier ones (retrieval steps)",
				fmt.Sprintf("%s of tokens 2 … %d; on these alone the ceiling is 1", sixDigits(*c.Retrieval), c.Context+1),
			))
		}
	}
	return facts
}

// entropyFacts returns the entropy rate, and the excess entropy or the reason why it is
// missing. The function text formats a number with its half-width.
func (d *Description) entropyFacts(text func(x, halfWidth float64) string) []document.Fact {
	facts := []document.Fact{fact(entropyRate, text(d.EntropyRate, d.EntropyRateError))}
	switch {
	case d.ExcessEntropy != nil:
		return append(facts, fact(excessEntropy, text(*d.ExcessEntropy, *d.ExcessEntropyError)))
	case d.NoExcessEntropy != "":
		return append(facts, fact(excessEntropy, d.NoExcessEntropy))
	}
	return facts
}

const (
	chance          = "loss of the best constant guess (chance)"
	entropyRate     = "best achievable loss, long context (entropy rate)"
	excessEntropy   = "information the past holds about the future (excess entropy)"
	accuracyCeiling = "best achievable accuracy (ceiling)"
)

// chanceOf returns text that names the positions over which the floor's chance is
// averaged, such as " (from token frequencies at positions 1 … 10)". It returns "" if
// chance is the same at position 1 alone. The text is needed if, for example, the first
// tokens of a sequence have other frequencies than later ones.
func chanceOf(ctx context.Context, p process.Process, floor process.Floor) string {
	first, err := p.Floor(ctx, 1)
	if err != nil || first.Chance == floor.Chance {
		return ""
	}
	return fmt.Sprintf(" (from token frequencies at positions 1 … %d)", len(floor.ByPosition))
}

// Limits for printing matrices. If the matrices have more than mostEntries entries, only
// the first mostEdges edges are shown. If more than mostAlike tokens of an edge have the
// same entry, only the first and the last of them are named.
const (
	mostEntries = 1000
	mostEdges   = 64
	mostAlike   = 4
)

// Large reports whether the matrices are too large to show completely, even as a list of
// edges.
func (d *Description) Large() bool {
	return len(d.Tokens)*len(d.States)*len(d.States) > mostEntries
}

// sparse reports whether edges take less room than matrices: an edge takes about the room
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

// matrices returns the matrices as lines of text, or nil if the process does not have
// matrices. The lines show all entries or, if most entries are 0 or the matrices are
// large, only the edges between states.
func (d *Description) matrices() (sections []document.Section) {
	if d.Matrices == nil {
		return nil
	}
	if d.Large() || d.sparse() {
		return []document.Section{{Text: d.edgeLines()}}
	}
	for _, token := range d.Tokens {
		what := "matrix T^%s: probability of token %s and next state (column) from state (row)"
		if d.Generalised {
			what = "generalised matrix T^%s: entries for token %s, from state (row) to state (column)"
		}
		sections = append(sections, document.Section{
			Text: append([]string{fmt.Sprintf(what, token, token)}, matrixRows(d.States, d.Matrices[token])...),
		})
	}
	return sections
}

// matrixRows returns a matrix as lines of text with aligned columns. A header and the
// beginning of each line name the states.
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

// edgeLines lists the edges between states with their tokens; for a large process, only
// the first mostEdges edges.
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
	all := len(d.Tokens) * len(d.States) * len(d.States)
	lines := []string{fmt.Sprintf("transitions, %s (%d of %d entries of the matrices T^z)", what, entries, all)}
	if n := len(list); d.Large() && n > mostEdges {
		return append(append(lines, list[:mostEdges]...), fmt.Sprintf("  … and %d more", n-mostEdges))
	}
	return append(lines, list...)
}

// onEdge describes the edge between two states: its tokens with their matrix entries, as
// in "0|1:0.25 2:0.5", where tokens with equal entries share one. n is the number of
// tokens on the edge.
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

// rounded returns a number to six significant digits, so that only 0 reads as 0.
func rounded(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// sideBySide formats numbers to six decimals, separated by spaces.
func sideBySide(list []float64) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = sixDigits(x)
	}
	return strings.Join(texts, " ")
}
