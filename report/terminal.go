package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"foretell/claim"
	"foretell/internal/text"
)

// sgr holds the parameter of the escape sequence (ECMA-48, SGR) for each verdict: one of
// the sixteen colours that every terminal theme makes legible.
var sgr = map[claim.Verdict]string{
	claim.Holds:     "32",
	claim.Corrected: "34",
	claim.Differs:   "33",
	claim.Fails:     "31",
	claim.Open:      "2",
}

const (
	gap       = 2   // spaces between columns
	narrowest = 12  // column of text
	elsewhere = 100 // width of wrapped text if the output is not a terminal
	aligned   = 60  // findings up to this width are padded to align the statements, if the output is not a terminal
)

// Table writes a line for each claim, then the tally. A line has the id, the verdict with
// its reason, the finding and the statement. In a terminal that is width characters wide,
// the finding and the statement are cut, and end in …, if there is not enough room; lines
// are wider than width only if width is less than about 60. If width is 0, the output is
// not a terminal and nothing is cut. If colour is true, the verdicts, which are always
// words, are also in colour. [Details] writes all texts.
func Table(w io.Writer, claims []claim.Claim, width int, colour bool) error {
	first, second, third := len("id"), len("verdict"), len("found")
	for _, c := range claims {
		first = max(first, columns(clean(c.ID)))
		second = max(second, columns(outcome(c)))
		third = max(third, columns(foundText(c)+asOf(c)))
	}
	rest := max(width-first-second-3*gap, 2*narrowest)
	shorten := cut
	if width == 0 {
		third = min(third, aligned)
		shorten = func(text string, _ int) string { return text }
	} else {
		third = min(third, rest*5/9)
	}
	var b bytes.Buffer
	line := func(id, verdict, found, statement string) {
		found = fill(found, third) + strings.Repeat(" ", gap)
		text := fill(id, first+gap) + verdict + found + shorten(statement, rest-third)
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("id", fill("verdict", second+gap), "found", "statement")
	for _, c := range claims {
		verdict := paint(c.Verdict, outcome(c), second+gap, colour)
		found := shorten(foundText(c), third-columns(asOf(c))) + asOf(c)
		line(clean(c.ID), verdict, found, unmarked(c.Statement))
	}
	writeTally(&b, claims, cmp.Or(width, elsewhere))
	_, err := w.Write(b.Bytes())
	return err
}

// writeTally writes the tally and its caveats.
func writeTally(b *bytes.Buffer, claims []claim.Claim, width int) {
	b.WriteString("\n")
	for _, text := range append([]string{Tally(claims)}, caveats(claims)...) {
		for _, line := range wrap(clean(text), max(width, 2*narrowest)) {
			b.WriteString(line + "\n")
		}
	}
}

// Line returns a claim in one line: its id, its verdict with the reason, and the finding.
func Line(c claim.Claim) string {
	return fmt.Sprintf("%-4s %s  %s", clean(c.ID), outcome(c), foundText(c))
}

// foundText returns the finding in a few words, which start with the numbers.
func foundText(c claim.Claim) string {
	var parts []string
	if len(c.Conditions) > 1 {
		parts = append(parts, heldText(c.Conditions))
	}
	switch {
	case c.Effect != nil:
		parts = append(parts, brief(c.Effect)+", "+c.Effect.What)
	case len(c.Conditions) < 2:
		parts = append(parts, c.Obtained)
	}
	return minus(unmarked(strings.Join(parts, "; ")))
}

// asOf returns the date of a row that an earlier command found, "" for other rows.
func asOf(c claim.Claim) string {
	if c.Before == nil {
		return ""
	}
	return " (as of " + clean(c.Before.Date) + ")"
}

// heldText returns the number of conditions under which a claim holds: "3 of 4 hold, 1
// not converged".
func heldText(conditions []claim.Condition) string {
	n, waiting := map[claim.Verdict]int{}, map[claim.Reason]int{}
	for _, c := range conditions {
		n[c.Verdict]++
		if unconverged(c) {
			waiting[conditionReason(c)]++
		}
	}
	text := fmt.Sprintf("%d of %d hold", n[claim.Holds], len(conditions))
	switch corrected := n[claim.Corrected]; {
	case corrected > 0 && n[claim.Holds] == 0:
		text = fmt.Sprintf("%d of %d corrected", corrected, len(conditions))
	case corrected > 0:
		text += fmt.Sprintf(", %d corrected", corrected)
	}
	for _, r := range []claim.Reason{claim.Untrained, untried} {
		if waiting[r] > 0 {
			text += fmt.Sprintf(", %d %s", waiting[r], because[r].word)
		}
	}
	return text
}

// cut returns text if it fits into n columns, and otherwise its start followed by "…".
func cut(text string, n int) string {
	if columns(text) <= n {
		return text
	}
	return strings.TrimRight(prefix(text, max(n-1, 0)), " ") + "…"
}

// paint returns a text padded to n columns, in the colour of a verdict if colour is true.
func paint(v claim.Verdict, text string, n int, colour bool) string {
	if !colour {
		return fill(text, n)
	}
	return "\x1b[" + sgr[v] + "m" + text + "\x1b[0m" + fill("", n-columns(text))
}

// wrap breaks a text into lines of at most n columns. It breaks words only if they are
// longer than a line.
func wrap(prose string, n int) []string {
	return text.Wrap(prose, func(line string) bool { return columns(line) <= n })
}

// prefix returns the longest prefix of a word that takes up at most n columns.
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

// columns returns the width of a text in a terminal: one column for each rune, but 0 for
// an accent that combines with the rune before it, as in ζ̂.
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
