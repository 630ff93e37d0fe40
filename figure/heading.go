package figure

import (
	"strings"
	"unicode"
)

const headingSize = 13.0

// placedLine is a line of text of the heading with its baseline at y, from its top.
type placedLine struct {
	label
	y float64
}

// arrangeHeading sets a heading and the notes under it in lines of a width, and returns
// their height too.
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

// wrapped breaks a text into lines of a width, at spaces but those that do not break
// (U+00A0); a word that is longer than a line is cut.
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

// breaks says whether a line may end at a character.
func breaks(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }
