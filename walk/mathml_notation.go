package walk

import (
	"fmt"
	"html"
	"strings"
)

// mathNotation writes formulas in MathML Core, which browsers render natively. The style
// sheet draws the brackets of matrices (class m) and the parentheses around matrices
// (class p) as borders, because glyphs stretch only in a mathematical font, and Debian's
// Chromium and Android come without one.
type mathNotation struct{ digits, size int }

func (n mathNotation) symbol(s Symbol, transposed bool) string {
	base := mathWord(s.Base)
	sup := ""
	if s.Sup != "" {
		sup = mathWord(s.Sup)
	}
	if transposed {
		sup = "<mrow>" + sup + "<mo>⊤</mo></mrow>"
	}
	switch {
	case s.Sub != "" && sup != "":
		return "<msubsup>" + base + mathWord(s.Sub) + sup + "</msubsup>"
	case s.Sub != "":
		return "<msub>" + base + mathWord(s.Sub) + "</msub>"
	case sup != "":
		return "<msup>" + base + sup + "</msup>"
	}
	return base
}

// mathWord returns an identifier, upright if it has several letters, or a number.
func mathWord(text string) string {
	if text[0] >= '0' && text[0] <= '9' {
		return "<mn>" + text + "</mn>"
	}
	return "<mi>" + html.EscapeString(text) + "</mi>"
}

func (n mathNotation) number(x float64) string { return mathNumber(small(x)) }

// mathNumber returns a number with a true minus sign, which is wider than a hyphen.
func mathNumber(text string) string {
	return "<mn>" + strings.ReplaceAll(text, "-", "−") + "</mn>"
}

func (n mathNotation) matrix(m shown) string {
	if m.summarised(n.size) {
		// MathML trims ordinary spaces at the ends of a text, but not U+00A0.
		return fmt.Sprintf("<mrow><mo>[</mo><mn>%d</mn><mo>×</mo><mn>%d</mn>"+
			"<mtext>, norm\u00a0</mtext>%s<mo>]</mo></mrow>",
			m.Rows, m.Columns, mathNumber(decimal(m.Norm(), n.digits)))
	}
	var b strings.Builder
	b.WriteString(`<mtable class="m">`)
	for i := range m.Rows {
		b.WriteString("<mtr>")
		for j, x := range m.Row(i) {
			b.WriteString("<mtd" + cellAttributes(m, i, j, "") + ">" + mathCell(x, n.digits) + "</mtd>")
		}
		b.WriteString("</mtr>")
	}
	b.WriteString("</mtable>")
	return b.String()
}

// mathCell returns a number of a matrix. An exact zero is a dot, which draws the eye to
// the other numbers.
func mathCell(x float64, digits int) string {
	if x == 0 {
		return `<mn class="z">·</mn>`
	}
	return mathNumber(decimal(x, digits))
}

func (n mathNotation) block(parts []string) string {
	return "<mrow><mo>[</mo>" + strings.Join(parts, `<mspace width="0.6em"/>`) + "<mo>]</mo></mrow>"
}

func (n mathNotation) operator(op, operand string) string {
	return `<mo form="infix" lspace="0.3em" rspace="0.3em">` + op + "</mo>" + operand
}

func (n mathNotation) group(inside []string) []string {
	content := strings.Join(inside, "")
	if strings.Contains(content, "<mtable") {
		return []string{`<mtable class="p"><mtr><mtd>` + content + "</mtd></mtr></mtable>"}
	}
	return []string{"<mrow><mo>(</mo>" + content + "<mo>)</mo></mrow>"}
}

func (n mathNotation) fraction(above, below []string) []string {
	return []string{"<mfrac><mrow>" + strings.Join(above, "") + "</mrow><mrow>" +
		strings.Join(below, "") + "</mrow></mfrac>"}
}

func (n mathNotation) root(inside []string) string {
	return "<msqrt>" + strings.Join(inside, "") + "</msqrt>"
}

func (n mathNotation) call(name string, inside []string) []string {
	inside = n.group(inside)
	inside[0] = mathWord(name) + inside[0]
	return inside
}

func (n mathNotation) index(piece string, indices []int) []string {
	return []string{
		piece + `<mo stretchy="false">[</mo><mtext>` + list(indices) + `</mtext><mo stretchy="false">]</mo>`,
	}
}
