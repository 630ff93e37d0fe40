package figure

import (
	"strings"

	"foretell/internal/text"
)

const headingSize = 13.0

// placedLine is a line of the heading. Its baseline is y points below the figure's top.
type placedLine struct {
	label
	y float64
}

// arrangeHeading breaks a heading and the notes below it into lines that fit a width, and
// returns the lines and their total height.
func arrangeHeading(heading string, notes []string, width float64) (lines []placedLine, height float64) {
	add := func(prose string, size float64, bold bool) {
		for _, line := range wrapped(prose, size, width) {
			l := label{text: strings.ReplaceAll(line, "\u00a0", " "), size: size, anchor: "start", bold: bold}
			lines = append(lines, placedLine{l, height + size})
			height += size * lead
		}
	}
	if heading != "" {
		add(heading, headingSize, true)
	}
	for _, note := range notes {
		add(note, tickSize, false)
	}
	if lines == nil {
		return nil, 0
	}
	return lines, height + 5
}

// wrapped breaks a text into lines that fit a width.
func wrapped(prose string, size, width float64) []string {
	return text.Wrap(prose, func(line string) bool { return textWidth(line, size) <= width })
}
