package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"foretell/claim"
)

// Colours of the verdicts in a terminal (ECMA-48): of the sixteen that every theme
// of a terminal sets to be legible.
var sgr = map[claim.Verdict]string{
	claim.Holds:     "32",
	claim.Corrected: "34",
	claim.Differs:   "33",
	claim.Fails:     "31",
	claim.Open:      "2",
}

const (
	gap       = 2  // between columns
	narrowest = 16 // column of text
)

// Table writes the claims as a table for a terminal that is width characters wide,
// with the tally below: id, verdict, statement and what was obtained, long texts
// wrapped. A width of less than about 50 is exceeded. The verdicts are in colour if
// colour is set, and are always words.
func Table(w io.Writer, claims []claim.Claim, width int, colour bool) error {
	first, second := len("id"), len("verdict")
	for _, c := range claims {
		first = max(first, columns(clean(c.ID)))
		second = max(second, columns(wordings[c.Verdict].one))
	}
	rest := max(width-first-second-3*gap, 2*narrowest)
	third := rest / 2
	fourth := rest - third
	var b bytes.Buffer
	line := func(id, verdict, statement, obtained string) {
		text := fill(id, first+gap) + verdict + fill(statement, third+gap) + obtained
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("id", fill("verdict", second+gap), "statement", "obtained")
	for _, c := range claims {
		text := unmarked(c.Obtained)
		if c.Before != nil {
			text += " (as of " + clean(c.Before.Date) + ")"
		}
		statement, obtained := wrap(unmarked(c.Statement), third), wrap(text, fourth)
		for i := range max(len(statement), len(obtained), 1) {
			id, verdict := "", fill("", second+gap)
			if i == 0 {
				id, verdict = clean(c.ID), paint(c.Verdict, second+gap, colour)
			}
			line(id, verdict, at(statement, i), at(obtained, i))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", Tally(claims))
	_, err := w.Write(b.Bytes())
	return err
}

// paint returns the word of a verdict filled to n columns, in its colour if asked for.
func paint(v claim.Verdict, n int, colour bool) string {
	word := wordings[v].one
	if !colour {
		return fill(word, n)
	}
	return "\x1b[" + sgr[v] + "m" + word + "\x1b[0m" + fill("", n-columns(word))
}

// at returns the i-th line, or none.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// wrap breaks a text into lines of at most n columns, within a word only if it is
// longer than that.
func wrap(text string, n int) []string {
	var lines []string
	current := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }) { // not at no-break spaces
		if current != "" && columns(current)+1+columns(word) <= n {
			current += " " + word
			continue
		}
		if current != "" {
			lines = append(lines, current)
		}
		for columns(word) > n {
			head := prefix(word, n)
			lines, word = append(lines, head), word[len(head):]
		}
		current = word
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}

// prefix returns the longest start of a word that fills at most n columns.
func prefix(word string, n int) string {
	used := 0
	for i, r := range word {
		if used += runeColumns(r); used > n {
			return word[:i]
		}
	}
	return word
}

// fill appends spaces up to n columns.
func fill(text string, n int) string {
	return text + strings.Repeat(" ", max(n-columns(text), 0))
}

// columns returns the width of a text in a terminal: one a rune, none for an accent
// that combines with the rune before it, as in ζ̂.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	return 1
}
