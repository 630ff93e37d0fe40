package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inColumns matches lines that must not be joined: they begin with a space or contain two
// consecutive spaces.
var inColumns = regexp.MustCompile(`(?m)^\s|\S  `)

// Fixed reports whether a paragraph keeps its lines because they are indented or have
// columns, as in an example or a list.
func Fixed(paragraph string) bool { return inColumns.MatchString(paragraph) }

// beforeText matches the part of a line before its text: indentation, or a name in the
// first column.
var beforeText = regexp.MustCompile(`^(\s*\S+\s{2,}|\s*)`)

// Fill wraps a text at a width. Paragraphs, separated by empty lines, are filled; in
// [Fixed] paragraphs each line is wrapped separately, with a hanging indent at its text.
func Fill(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		switch lines := strings.Split(p, "\n"); {
		case Widest(lines) <= width:
		case Fixed(p):
			for j, line := range lines {
				lines[j] = Hang(line, utf8.RuneCountInString(beforeText.FindString(line)), width)
			}
			paragraphs[i] = strings.Join(lines, "\n")
		default:
			paragraphs[i] = Hang(strings.Join(lines, " "), 0, width)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// Widest returns the length of the longest line in characters, not counting trailing
// spaces.
func Widest(lines []string) int {
	n := 0
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(strings.TrimRight(line, " ")))
	}
	return n
}

// Hang wraps a line; all lines after the first are indented.
func Hang(line string, in, width int) string {
	if in > width/2 {
		in = 0
	}
	var out strings.Builder
	at := 0
	for i, word := range strings.SplitAfter(line, " ") {
		n := utf8.RuneCountInString(strings.TrimRight(word, " "))
		if i > 0 && n > 0 && at+n > width {
			out.WriteString("\n" + strings.Repeat(" ", in))
			at = in
		}
		out.WriteString(word)
		at += utf8.RuneCountInString(word)
	}
	lines := strings.Split(out.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Wrap breaks a text at spaces into lines that fit. It splits words that are longer than
// a line. A no-break space does not break a line.
func Wrap(text string, fits func(line string) bool) (lines []string) {
	line := ""
	for _, word := range strings.FieldsFunc(text, breaks) {
		if line != "" && fits(line+" "+word) {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
		for _, r := range word {
			if line != "" && !fits(line+string(r)) {
				lines = append(lines, line)
				line = ""
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
func breaks(r rune) bool {
	return unicode.IsSpace(r) && !strings.ContainsRune("\u00a0\u2007\u2009\u202f", r)
}
