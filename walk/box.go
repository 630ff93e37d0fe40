package walk

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// box is a rectangle of text. All lines have the same width; the line at index base is
// aligned with the text to the left and right of the box.
type box struct {
	lines []string
	base  int
}

// word returns a box of one line.
func word(text string) box { return box{lines: []string{text}} }

func (b box) width() int { return utf8.RuneCountInString(b.lines[0]) }

// The result is one box with the given boxes side by side, aligned at their base lines.
func (b box) beside(others ...box) box {
	out := box{lines: slices.Clone(b.lines), base: b.base}
	for _, o := range others {
		above := max(out.base, o.base)
		below := max(len(out.lines)-out.base, len(o.lines)-o.base)
		lines := make([]string, above+below)
		for i := range lines {
			lines[i] = out.line(i-above) + o.line(i-above)
		}
		out = box{lines, above}
	}
	return out
}

// line returns the line at an offset below the base line, blank outside the box.
func (b box) line(below int) string {
	if i := b.base + below; i >= 0 && i < len(b.lines) {
		return b.lines[i]
	}
	return strings.Repeat(" ", b.width())
}

// above returns one box with b on top and o below it, both flush left.
func (b box) above(o box) box {
	width := max(b.width(), o.width())
	var lines []string
	for _, line := range append(slices.Clone(b.lines), o.lines...) {
		lines = append(lines, line+strings.Repeat(" ", width-utf8.RuneCountInString(line)))
	}
	return box{lines, (len(lines) - 1) / 2}
}

// fill breaks a sequence of boxes into lines of at most `width` characters; a wider box
// gets a line to itself. All lines except the first are indented by `in` characters.
func fill(pieces []box, width, in int) []string {
	if len(pieces) == 0 {
		return nil
	}
	var lines []string
	row := pieces[0]
	first := true
	flush := func() {
		for _, line := range row.lines {
			if !first {
				line = strings.Repeat(" ", in) + line
			}
			lines = append(lines, strings.TrimRight(line, " "))
		}
		first = false
	}
	for _, p := range pieces[1:] {
		room := width
		if !first {
			room -= in
		}
		if row.width()+1+p.width() > room {
			flush()
			row = p
			continue
		}
		row = row.beside(word(" "), p)
	}
	flush()
	return lines
}
