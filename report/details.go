package report

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
)

// The indent and the width of the column of terms, such as "rule", in [Details].
const (
	termIndent = 2
	termWidth  = 10
)

// Details writes all texts of the claims, then the tally: the document's words, the rule,
// the finding, the effect and the numbers that it is compared with, the conditions, and
// the stricter questions that the study asks in addition. Lines are wrapped to width
// characters, or to 100 if width is 0. [Table] writes one line for each claim.
func Details(w io.Writer, claims []claim.Claim, width int, colour bool) error {
	d := details{width: max(cmp.Or(width, elsewhere), 4*narrowest), colour: colour}
	for _, c := range claims {
		d.claim(c)
	}
	writeTally(&d.Buffer, claims, d.width)
	_, err := w.Write(d.Bytes())
	return err
}

// details collects the lines of [Details].
type details struct {
	bytes.Buffer
	width  int
	colour bool
}

func (d *details) claim(c claim.Claim) {
	if d.Len() > 0 {
		d.WriteString("\n")
	}
	verdict := outcome(c)
	head := fill(clean(c.ID), 4) + "  " + paint(c.Verdict, verdict, columns(verdict), d.colour)
	d.WriteString(strings.TrimRight(head, " ") + "\n")
	d.fact("claim", c.Statement)
	d.fact("document", c.Quote)
	d.fact("source", c.Source)
	d.fact("kind", kinds[c.Kind])
	d.fact("rule", c.Expected)
	d.fact("", ruleText(c))
	d.fact("at first", firstText(c))
	d.fact("found", c.Obtained)
	if c.Effect != nil {
		d.fact("effect", effectText(c.Effect))
	}
	d.fact("same fit", text.And(c.StandsOn))
	if c.Before != nil {
		d.fact("found on", c.Before.Date+", by `"+c.Before.Command+"`")
	}
	for _, condition := range c.Conditions {
		d.condition(condition)
	}
	for _, q := range c.Asked {
		d.question(q)
	}
}

func (d *details) condition(c claim.Condition) {
	d.fact("under", c.Name+": "+conditionText(c))
	d.fact("", c.Unconverged)
	d.fact("", obtained(c))
	if c.Effect != nil {
		d.fact("", effectText(c.Effect))
	}
}

func (d *details) question(q claim.Question) {
	d.fact("asked", q.Question)
	d.fact("", string(q.Answer)+": "+q.Obtained)
	if q.Effect != nil {
		d.fact("", effectText(q.Effect))
	}
}

// fact writes a term and, in the next column, the text that belongs to it, wrapped to the
// width. It writes nothing if the text is empty.
func (d *details) fact(term, text string) {
	for i, line := range wrap(minus(unmarked(text)), d.width-termIndent-termWidth) {
		if i > 0 {
			term = ""
		}
		d.WriteString(strings.Repeat(" ", termIndent) + fill(term, termWidth) + line + "\n")
	}
}
