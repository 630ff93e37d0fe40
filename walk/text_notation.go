package walk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// textNotation typesets formulas as boxes of text.
type textNotation struct {
	digits, size int
	width        int // width of the page; 0 means pageWidth
}

// widest returns the largest width at which a matrix is not split; it leaves room on the
// line for a function's name. A wider matrix is split into groups of columns with
// captions.
func (n textNotation) widest() int {
	const name = 18
	return cmp.Or(n.width, pageWidth) - name
}

const captionWidth = len(" columns 10 to 63")

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵",
	"6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// String returns the symbol as text, such as W_Q¹.
func (s Symbol) String() string {
	text := s.Base
	if s.Sub != "" {
		text += "_" + s.Sub
	}
	return text + superscripts.Replace(s.Sup)
}

func (n textNotation) symbol(s Symbol, transposed bool) box {
	if transposed {
		return word(s.String() + "ᵀ")
	}
	return word(s.String())
}

func (n textNotation) number(x float64) box { return word(small(x)) }

func (n textNotation) matrix(m shown) box {
	if m.summarised(n.size) {
		return word(fmt.Sprintf("[%d×%d, norm %s]", m.Rows, m.Columns, decimal(m.Norm(), n.digits)))
	}
	cells, widths := n.cells(m)
	whole := named(m, bracketed(cells, widths, 0, m.Columns, m.bars), widths, 0, m.Columns)
	if whole.width() <= n.widest() {
		return whole
	}
	room := n.widest() - captionWidth
	if m.rows != nil {
		room -= 1 + longestName
	}
	var groups []box
	for from := 0; from < m.Columns; {
		to, width := from, len("[ ]")
		for to < m.Columns && (to == from || width+widths[to]+3 <= room) {
			width += widths[to] + 3 // space for a bar
			to++
		}
		caption := fmt.Sprintf(" columns %d to %d", from, to-1)
		if to == from+1 {
			caption = fmt.Sprintf(" column %d", from)
		}
		group := named(m, bracketed(cells, widths, from, to, m.bars), widths, from, to)
		groups = append(groups, group.beside(word(caption)))
		from = to
	}
	out := groups[0]
	for _, g := range groups[1:] {
		out = out.above(g)
	}
	return out
}

// cells returns the texts of a matrix's numbers and the width of each column.
func (n textNotation) cells(m shown) (cells [][]string, widths []int) {
	widths = make([]int, m.Columns)
	for j, name := range m.columns {
		widths[j] = utf8.RuneCountInString(name)
	}
	for i := range m.Rows {
		row := make([]string, m.Columns)
		for j := range row {
			row[j] = entry(m.At(i, j), n.digits)
			widths[j] = max(widths[j], utf8.RuneCountInString(row[j]))
		}
		cells = append(cells, row)
	}
	return cells, widths
}

// named adds the names of rows to the right of a bracketed group of columns [from, to),
// and the names of columns above it.
func named(m shown, b box, widths []int, from, to int) box {
	if m.rows != nil {
		names := column{}
		for _, name := range m.rows {
			names.add(name)
		}
		for i, name := range names.texts {
			b.lines[i] += " " + padded(name, -names.width)
		}
	}
	if m.columns == nil {
		return b
	}
	line := " "
	for j := from; j < to; j++ {
		if slices.Contains(m.bars, j) {
			line += "  "
		} else if j > from {
			line += " "
		}
		line += " " + padded(m.columns[j], widths[j])
	}
	line += strings.Repeat(" ", b.width()-utf8.RuneCountInString(line))
	return box{append([]string{line}, b.lines...), b.base + 1}
}

// padded fills a text with spaces up to a width: on the left, or on the right if the
// width is negative.
func padded(text string, width int) string {
	return fmt.Sprintf("%*s", width, text)
}

// bracketed returns the columns [from, to) of a matrix in brackets.
func bracketed(cells [][]string, widths []int, from, to int, bars []int) box {
	var b box
	for i, row := range cells {
		opening, closing := "⎢", "⎥"
		switch {
		case len(cells) == 1:
			opening, closing = "[", "]"
		case i == 0:
			opening, closing = "⎡", "⎤"
		case i == len(cells)-1:
			opening, closing = "⎣", "⎦"
		}
		line := opening
		for j := from; j < to; j++ {
			switch {
			case slices.Contains(bars, j):
				line += " │ "
			case j > from:
				line += "  "
			default:
				line += " "
			}
			line += padded(row[j], widths[j])
		}
		b.lines = append(b.lines, line+" "+closing)
	}
	b.base = (len(b.lines) - 1) / 2
	return b
}

func (n textNotation) block(parts []box) box {
	out := word("[")
	for i, p := range parts {
		if i > 0 {
			out = out.beside(word(" "))
		}
		out = out.beside(p)
	}
	return out.beside(word("]"))
}

func (n textNotation) operator(op string, operand box) box { return word(op + " ").beside(operand) }

func (n textNotation) group(inside []box) []box { return n.call("", inside) }

func (n textNotation) fraction(above, below []box) []box {
	if len(above) > 1 {
		above = n.group(above)
	}
	if len(below) > 1 {
		below = n.group(below)
	}
	return append(above, after(n, "/", below)...)
}

func (n textNotation) root(inside []box) box {
	all := inside[0]
	for _, p := range inside[1:] {
		all = all.beside(word(" "), p)
	}
	if len(inside) > 1 {
		return word("√(").beside(all, word(")"))
	}
	return word("√").beside(all)
}

func (n textNotation) call(name string, inside []box) []box {
	last := len(inside) - 1
	inside[0] = word(name + "(").beside(inside[0])
	inside[last] = inside[last].beside(word(")"))
	return inside
}

func (n textNotation) index(piece box, indices []int) []box {
	which := word("[" + list(indices) + "]")
	if piece.width()+which.width() > n.widest() {
		return []box{piece, which}
	}
	return []box{piece.beside(which)}
}
