package walk

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// texNotation writes formulas in TeX, for LaTeX with amsmath and for Markdown renderers.
type texNotation struct {
	digits, size int
	// fit is the number of characters that fit on a line, or 0 for no limit. A wider matrix
	// is scaled down with the package graphicx.
	fit int
}

var texLetters = strings.NewReplacer("μ", `\mu`, "σ", `\sigma`, "ε", `\varepsilon`, "∞", `\infty`)

func (n texNotation) symbol(s Symbol, transposed bool) string {
	base, primed := strings.CutSuffix(s.Base, "′")
	text, sup := texLetters.Replace(base), s.Sup
	if s.Sub != "" {
		text += "_{" + texWord(s.Sub) + "}"
	}
	if primed {
		sup = `\prime ` + sup
	}
	if transposed {
		sup += `\top`
	}
	if sup != "" {
		text += "^{" + sup + "}"
	}
	return text
}

// texWord typesets a word upright; a letter or a number stays as it is.
func texWord(text string) string {
	if len(text) > 1 && text[0] >= 'a' {
		return `\mathrm{` + text + "}"
	}
	return text
}

func (n texNotation) number(x float64) string { return texNumber(small(x)) }

// texNumber formats a number, with its exponent as a power of ten.
func texNumber(text string) string {
	mantissa, exponent, scientific := strings.Cut(texLetters.Replace(text), "e")
	if !scientific {
		return mantissa
	}
	sign := strings.TrimLeft(exponent[:1], "+")
	return mantissa + `\cdot 10^{` + sign + strings.TrimLeft(exponent[1:], "0") + "}"
}

func (n texNotation) matrix(m shown) string {
	if m.summarised(n.size) {
		return fmt.Sprintf(`\left[\,%d\times %d,\ \lVert\cdot\rVert = %s\,\right]`, m.Rows, m.Columns,
			texNumber(decimal(m.Norm(), n.digits)))
	}
	rows, width := n.rows(m)
	var columns strings.Builder
	for j := range m.Columns {
		if slices.Contains(m.bars, j) {
			columns.WriteByte('|')
		}
		columns.WriteByte('r')
	}
	if m.rows != nil {
		columns.WriteString("|l")
	}
	names := ""
	if m.columns != nil {
		names = texNames(m.columns, m.rows != nil)
	}
	text := fmt.Sprintf(`\left[\begin{array}{%s} %s%s \end{array}\right]`, &columns, names, strings.Join(rows, ` \\ `))
	if n.fit > 0 && width > n.fit {
		return `\resizebox{\linewidth}{!}{$\displaystyle ` + text + "$}"
	}
	return text
}

// rows returns the rows of a matrix, with their names, and the approximate width of the
// widest row in characters.
func (n texNotation) rows(m shown) (rows []string, width int) {
	width = 2*len(m.columns) + utf8.RuneCountInString(strings.Join(m.columns, ""))
	for i := range m.Rows {
		cells := make([]string, m.Columns)
		length := 0
		for j := range cells {
			text := entry(m.At(i, j), n.digits)
			length += utf8.RuneCountInString(text) + 2
			cells[j] = texNumber(text)
		}
		if m.rows != nil {
			cells = append(cells, texName(m.rows[i]))
			length += 2 + utf8.RuneCountInString(m.rows[i])
		}
		width = max(width, length)
		rows = append(rows, strings.Join(cells, " & "))
	}
	return rows, width
}

// texNames returns a header row of column names with a rule below it. If `more` is true,
// the row ends in an empty cell, above the column of row names.
func texNames(names []string, more bool) string {
	var cells []string
	for _, name := range names {
		cells = append(cells, texName(name))
	}
	if more {
		cells = append(cells, "")
	}
	return strings.Join(cells, " & ") + ` \\ \hline `
}

// texName returns a name in script size for use inside a formula. It avoids dollar signs,
// which would end the formula in Markdown.
func texName(name string) string {
	return `{\scriptstyle\text{` + withoutMath.Replace(latexText(name)) + "}}"
}

var withoutMath = strings.NewReplacer("$<$", `\textless{}`, "$>$", `\textgreater{}`, `\$`, `\textdollar{}`)

func (n texNotation) block(parts []string) string {
	return `\left[` + strings.Join(parts, `\;\; `) + `\right]`
}

var texOperators = map[string]string{"=": "=", "+": "+", "−": "-", "·": `\cdot`, "⊙": `\odot`, "/": "/"}

func (n texNotation) operator(op, operand string) string {
	return "{}" + texOperators[op] + " " + operand
}

func (n texNotation) group(inside []string) []string { return n.call("", inside) }

func (n texNotation) fraction(above, below []string) []string {
	return []string{`\frac{` + strings.Join(above, " ") + "}{" + strings.Join(below, " ") + "}"}
}

func (n texNotation) root(inside []string) string { return `\sqrt{` + strings.Join(inside, " ") + "}" }

func (n texNotation) call(name string, inside []string) []string {
	if name != "" {
		name = `\operatorname{` + strings.ReplaceAll(name, "_", `\_`) + "}"
	}
	if len(inside) == 1 {
		return []string{name + `\left(` + inside[0] + `\right)`}
	}
	// Automatically sized parentheses would prevent line breaks inside them.
	last := len(inside) - 1
	inside[0] = name + `\bigl(` + inside[0]
	inside[last] += `\bigr)`
	return inside
}

func (n texNotation) index(piece string, indices []int) []string {
	return []string{piece + "[" + strings.ReplaceAll(list(indices), "…", `\ldots`) + "]"}
}
