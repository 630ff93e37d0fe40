package figure

import (
	"strings"
	"unicode"
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
	add := func(text string, size float64, bold bool) {
		for _, line := range wrapped(text, size, width) {
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

// wrapped breaks a text into lines that fit a width, at spaces other than the no-break
// space (U+00A0). A word longer than a line is split.
func wrapped(text string, size, width float64) (lines []string) {
	line := ""
	for _, word := range strings.FieldsFunc(text, breaks) {
		if line != "" && textWidth(line+" "+word, size) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
		for _, r := range word {
			if line != "" && textWidth(line+string(r), size) > width {
				lines, line = append(lines, line), ""
			}
			line += string(r)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// breaks reports whether a line may break at a character.
func breaks(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }
