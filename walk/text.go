package walk

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The width of a page of text when the terminal's width is unknown, and the smallest
// width; narrower terminals get pages of the smallest width.
const (
	pageWidth     = 80
	narrowestPage = 40
)

// writeText writes a document for a terminal of 80 columns.
func writeText(out io.Writer, d *Document) error { return WriteText(out, d, pageWidth) }

// WriteText writes a document for a terminal of the given width in columns. Sentences and
// formulas are broken into lines, wide matrices are split into groups of columns, and
// formulas in the table of contributions are shortened with … to fit. A width below 40
// counts as 40.
func WriteText(out io.Writer, d *Document, width int) error {
	width = max(width, narrowestPage)
	p := &textPage{d: d, width: width, notation: textNotation{d.Digits, d.Size, width}}
	p.heading(d.Title, "═")
	for _, paragraph := range d.Intro {
		p.paragraph(paragraph, 0)
		p.line("")
	}
	number := 0
	for _, s := range d.Sections {
		p.heading(s.Title, "─")
		for _, step := range s.Steps {
			number++
			p.step(fmt.Sprintf("%d. ", number), step)
		}
	}
	if d.Attribution != nil {
		p.attribution(d.Attribution)
	}
	_, err := io.WriteString(out, strings.TrimRight(p.b.String(), "\n")+"\n")
	return err
}

type textPage struct {
	d        *Document
	width    int
	notation textNotation
	b        strings.Builder
}

func (p *textPage) line(text string) { p.b.WriteString(text + "\n") }

func (p *textPage) heading(text, rule string) {
	p.paragraph(text, 0)
	p.line(strings.Repeat(rule, min(utf8.RuneCountInString(text), p.width)))
	p.line("")
}

// paragraph breaks text into lines, indented by `in` columns.
func (p *textPage) paragraph(text string, in int) {
	var words []box
	for _, w := range strings.Fields(strings.ReplaceAll(text, "`", "")) {
		words = append(words, word(w))
	}
	for _, line := range fill(words, p.width-in, 0) {
		p.line(strings.Repeat(" ", in) + line)
	}
}

func (p *textPage) step(number string, s Step) {
	title := number + s.Title
	if gap := p.width - utf8.RuneCountInString(title) - len(s.Hook); s.Hook != "" && gap > 1 {
		p.line(title + strings.Repeat(" ", gap) + s.Hook)
	} else {
		p.paragraph(title, 0)
	}
	p.line("")
	for _, e := range s.Equations {
		p.equation(e)
	}
	p.paragraph(s.Note, 3)
	p.line("")
}

// equation writes an equation in symbols, and below it the numbers and the result.
func (p *textPage) equation(e Equation) {
	const in, further = 3, 2
	for _, pieces := range [][]box{inSymbols(p.notation, e), inNumbers(p.notation, e)} {
		for _, line := range fill(pieces, p.width-in-further, further) {
			p.line(strings.Repeat(" ", in) + line)
		}
	}
	p.line("")
}

// String returns the equation in symbols on one line.
func (e Equation) String() string { return formulaText(inSymbols(textNotation{}, e)) }

// formulaText joins the pieces of a formula in symbols into one line.
func formulaText(pieces []box) string {
	var words []string
	for _, p := range pieces {
		words = append(words, p.lines...)
	}
	return strings.Join(words, " ")
}

func (p *textPage) attribution(a *Attribution) {
	p.heading(attributionTitle, "─")
	p.step("", a.Direction)
	var names, formulas, values column
	rows := a.table(p.d.Digits)
	for _, row := range rows {
		names.add(row.name)
		values.add(row.value)
		if row.formula == nil {
			formulas.add("")
		} else {
			formulas.add(formulaText(typeset(p.notation, row.formula, false)))
		}
	}
	room := p.width - names.width - values.width - len("       ")
	formulas.cut(max(room, len("…")))
	for i, row := range rows {
		if row.first {
			p.line("   " + strings.Repeat("─", names.width+formulas.width+values.width+4))
		}
		p.line(fmt.Sprintf("   %-*s  %-*s  %*s", names.width, names.texts[i], formulas.width, formulas.texts[i],
			values.width, values.texts[i]))
	}
	p.line("")
	p.paragraph(a.note(), 3)
}

// column is a column of a table.
type column struct {
	texts []string
	width int
}

func (c *column) add(text string) {
	c.texts = append(c.texts, text)
	c.width = max(c.width, utf8.RuneCountInString(text))
}

// cut shortens the texts to a width; a shortened text ends in ….
func (c *column) cut(width int) {
	for i, text := range c.texts {
		if runes := []rune(text); len(runes) > width {
			c.texts[i] = string(runes[:width-1]) + "…"
		}
	}
	c.width = min(c.width, width)
}
