package terminal

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"foretell/internal/text"
)

// Style is the layout of columns.
type Style struct {
	Gap   int   // spaces between columns
	Right bool  // whether cells are right-aligned
	Width int   // largest line length in characters, 0 for no limit
	Prose []int // indices of columns whose cells may be shortened with …
	// Wrap lists indices of columns whose cells may continue on the lines below. Cells in
	// the last column of a table, and lines without cells, always may.
	Wrap []int
	// Whole means that no cell or line is shortened or wrapped. Right has the same effect.
	Whole bool
}

// narrowest is the smallest width to which prose is cut.
const narrowest = 12

// Write writes a text in which tabs end cells, as in [text/tabwriter]. Consecutive lines
// with cells are a table. A table wider than s.Width is cut, wrapped and split into
// blocks of columns; if \v instead of a tab ends a cell of the first line, the cell's
// column stays in one block with the next column. Lines without cells wrap, unless s
// keeps them whole.
func Write(w io.Writer, tabbed string, s Style) error {
	if s.Width == 0 {
		return s.set(w, tabbed)
	}
	var whole bytes.Buffer
	if err := s.set(&whole, tabbed); err != nil {
		return err
	}
	set, cells := lines(whole.String()), lines(tabbed)
	var out strings.Builder
	for from := 0; from < len(cells); {
		to := from + 1
		for strings.Contains(cells[from], "\t") && to < len(cells) && strings.Contains(cells[to], "\t") {
			to++
		}
		if text.Widest(set[from:to]) <= s.Width {
			for _, line := range set[from:to] {
				out.WriteString(s.within(line) + "\n")
			}
		} else if !strings.Contains(cells[from], "\t") {
			out.WriteString(s.line(set[from]) + "\n")
		} else if err := s.fit(&out, cells[from:to]); err != nil {
			return err
		}
		from = to
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// within returns a line, without the spaces at its end if the line is too long.
func (s Style) within(line string) string {
	if utf8.RuneCountInString(line) > s.Width {
		return strings.TrimRight(line, " ")
	}
	return line
}

// line returns a line without cells, broken between words if s wraps.
func (s Style) line(line string) string {
	if s.Whole || s.Right {
		return line
	}
	return text.Hang(line, len(line)-len(strings.TrimLeft(line, " ")), s.Width)
}

// lines returns the lines of a text, without their line feeds.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// set aligns the cells of a text and writes it to w, however wide it becomes.
func (s Style) set(w io.Writer, text string) error {
	var flags uint
	if s.Right {
		flags = tabwriter.AlignRight
	}
	t := tabwriter.NewWriter(w, 0, 0, s.Gap, ' ', flags)
	if _, err := io.WriteString(t, text); err != nil {
		return err
	}
	return t.Flush()
}

// fit writes a table that is too wide.
func (s Style) fit(out *strings.Builder, lines []string) error {
	ends := strings.Map(func(r rune) rune {
		if r == '\t' || r == '\v' {
			return r
		}
		return -1
	}, lines[0])
	table := make([][]string, len(lines))
	for i, line := range lines {
		table[i] = strings.Split(strings.ReplaceAll(strings.TrimSuffix(line, "\t"), "\v", "\t"), "\t")
	}
	widths := s.cutProse(table)
	wraps := s.wraps(len(widths))
	for at := 1; at < len(widths); {
		to := s.blockEnd(widths, wraps, at)
		for end := to; end < len(widths) && end > at; end-- {
			if end > len(ends) || ends[end-1] == '\t' {
				to = end
				break
			}
		}
		if at > 1 {
			out.WriteString("\n")
		}
		if wraps[to-1] {
			s.wrapBlock(out, table, widths, at, to)
		} else if err := s.block(out, table, at, to); err != nil {
			return err
		}
		at = to
	}
	return nil
}

// blockEnd returns the column after the last one in a block that begins with a given
// column.
func (s Style) blockEnd(widths []int, wraps []bool, at int) int {
	to, width := at+1, widths[0]+s.Gap+widths[at]
	if s.Right {
		width += s.Gap // right-aligned cells have a gap before the first cell, too
	}
	for to < len(widths) && width+s.Gap+widths[to] <= s.Width {
		width += s.Gap + widths[to]
		to++
	}
	if to < len(widths) && wraps[to] && s.Width-width-s.Gap >= wrapRoom {
		to++ // the wrapping column gets the rest of the width
	}
	return to
}

// cutProse shortens the longest prose of a table until its lines fit, or nothing can be
// shortened further. It returns the widths of the columns.
func (s Style) cutProse(table [][]string) []int {
	var widths []int
	total := 0
	if !s.Right {
		total = -s.Gap
	}
	for _, row := range table {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	for _, width := range widths {
		total += s.Gap + width
	}
	for ; total > s.Width; total-- {
		longest := -1
		for _, j := range s.Prose {
			if widths[j] > narrowest && (longest < 0 || widths[j] > widths[longest]) {
				longest = j
			}
		}
		if longest < 0 {
			break
		}
		widths[longest]--
	}
	for _, row := range table {
		for j := range row {
			row[j] = cut(row[j], widths[j])
		}
	}
	return widths
}

// cut shortens a cell to n characters, including a final ….
func cut(cell string, n int) string {
	if runes := []rune(cell); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return cell
}

// wrapRoom is the smallest width in which a cell wraps. In less room, a cell is written
// on the lines below its row, indented by wrapIndent.
const wrapRoom, wrapIndent = 24, 4

// wraps reports for each of n columns whether its cells wrap.
func (s Style) wraps(n int) []bool {
	list := make([]bool, n)
	for j := range list {
		list[j] = !s.Whole && !s.Right && (j == n-1 || slices.Contains(s.Wrap, j))
	}
	return list
}

// wrapBlock writes a block of the first column and the columns [from, to), whose last
// column wraps. A cell that has too little room is written on the lines below its row.
func (s Style) wrapBlock(out *strings.Builder, table [][]string, widths []int, from, to int) {
	columns := []int{0}
	for j := from; j < to; j++ {
		columns = append(columns, j)
	}
	for _, row := range table {
		line := ""
		for _, j := range columns[:len(columns)-1] {
			cell := ""
			if j < len(row) {
				cell = row[j]
			}
			line += cell + strings.Repeat(" ", max(0, widths[j]-utf8.RuneCountInString(cell))+s.Gap)
		}
		last, at := "", utf8.RuneCountInString(line)
		if to <= len(row) {
			last = row[to-1]
		}
		list := strings.Split(text.Hang(last, 0, s.Width-at), "\n")
		if len(list) > 1 && s.Width-at < wrapRoom {
			list = append([]string{""}, strings.Split(text.Hang(last, 0, s.Width-wrapIndent), "\n")...)
			at = wrapIndent
		}
		for i, part := range list {
			if i > 0 {
				line = strings.Repeat(" ", at)
			}
			out.WriteString(strings.TrimRight(line+part, " ") + "\n")
		}
	}
}

// block writes the first column and the columns [from, to).
func (s Style) block(out *strings.Builder, table [][]string, from, to int) error {
	var text, set strings.Builder
	for _, row := range table {
		text.WriteString(row[0])
		for j := from; j < min(to, len(row)); j++ {
			text.WriteString("\t" + row[j])
		}
		if s.Right {
			text.WriteString("\t")
		}
		text.WriteString("\n")
	}
	if err := s.set(&set, text.String()); err != nil {
		return err
	}
	for _, line := range lines(set.String()) {
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return nil
}
