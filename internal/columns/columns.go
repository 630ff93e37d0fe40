// Package columns sets lines whose cells end at tabs in columns, within the width of a
// terminal.
//
// What is no terminal gets each line whole, for programs that search it. On a terminal a
// table that is too wide first gives up the ends of its prose, and then stands in blocks
// below each other, each of which begins with the table's first column.
package columns

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Style is how columns are set.
type Style struct {
	Gap   int   // spaces between columns
	Right bool  // whether cells stand at the right of their columns
	Width int   // most characters of a line, 0 for any number
	Prose []int // columns, from 0, whose cells end in … where there is no room
	// Wrap lists columns, from 0, whose cells continue on the lines below if there is no
	// room; -1 is the last column of each table. If it is not empty, lines without cells
	// wrap too. It has no effect on cells set at the right.
	Wrap []int
}

// narrowest is the width to which prose is cut at most.
const narrowest = 12

// Write writes a text in which tabs end cells, as [text/tabwriter] does. Lines side by
// side that have cells are a table; one with a line of more than s.Width characters is
// cut and broken, where there is room not after a cell of its first line that a vertical
// tab ends. A line without cells stays as it is, and so does a table whose first two
// columns are too wide together.
func Write(w io.Writer, text string, s Style) error {
	if s.Width == 0 {
		return s.set(w, text)
	}
	var whole bytes.Buffer
	if err := s.set(&whole, text); err != nil {
		return err
	}
	set, cells := lines(whole.String()), lines(text)
	var out strings.Builder
	for from := 0; from < len(cells); {
		to := from + 1
		for strings.Contains(cells[from], "\t") && to < len(cells) && strings.Contains(cells[to], "\t") {
			to++
		}
		if widest(set[from:to]) <= s.Width {
			out.WriteString(strings.Join(set[from:to], "\n") + "\n")
		} else if !strings.Contains(cells[from], "\t") {
			out.WriteString(strings.Join(s.wrapped(set[from]), "\n") + "\n")
		} else if err := s.fit(&out, cells[from:to]); err != nil {
			return err
		}
		from = to
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// lines are those of a text, without their ends.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// set sets a text without regard to its width.
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

// widest is the length of the longest line, but for the spaces at its end.
func widest(lines []string) int {
	n := 0
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(strings.TrimRight(line, " ")))
	}
	return n
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

// blockEnd is the column before which a block has to end that begins with a column.
func (s Style) blockEnd(widths []int, wraps []bool, at int) int {
	to, width := at+1, widths[0]+s.Gap+widths[at]
	if s.Right {
		width += s.Gap // which is before the first cell, too
	}
	for to < len(widths) && width+s.Gap+widths[to] <= s.Width {
		width += s.Gap + widths[to]
		to++
	}
	if to < len(widths) && wraps[to] && s.Width-width-s.Gap >= wrapRoom {
		to++ // it takes the rest of the width
	}
	return to
}

// cutProse cuts the longest prose of a table until its lines fit, or nothing more can be
// cut. It returns the widths of the columns.
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

// cut shortens a cell to n characters, the last of which says so.
func cut(cell string, n int) string {
	if runes := []rune(cell); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return cell
}

// wrapRoom is the least width in which a cell wraps; wrapIndent is how far it is indented
// on lines of its own if there is less.
const wrapRoom, wrapIndent = 24, 4

// wraps reports for each of n columns whether its cells wrap.
func (s Style) wraps(n int) []bool {
	list := make([]bool, n)
	for _, j := range s.Wrap {
		if j < 0 {
			j += n
		}
		if !s.Right && j < n {
			list[j] = true
		}
	}
	return list
}

// wrapped breaks a line without cells at spaces, if s wraps. Its continuation is indented
// like its beginning.
func (s Style) wrapped(line string) []string {
	if len(s.Wrap) == 0 || s.Right {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	list := wrap(line, s.Width-len(indent))
	for i := range list {
		list[i] = indent + list[i]
	}
	return list
}

// wrap breaks a text at spaces into lines of at most width characters, or of one word.
func wrap(text string, width int) (list []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			list = append(list, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(list, line)
}

// wrapBlock writes the first column and those in [from, to), the last of which wraps. A
// cell that has too little room is written on the lines below its row.
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
		list := wrap(last, s.Width-at)
		if len(list) > 1 && s.Width-at < wrapRoom {
			list = append([]string{""}, wrap(last, s.Width-wrapIndent)...)
			at = wrapIndent
		}
		for i, text := range list {
			if i > 0 {
				line = strings.Repeat(" ", at)
			}
			out.WriteString(strings.TrimRight(line+text, " ") + "\n")
		}
	}
}

// block writes the first column and those in [from, to).
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
