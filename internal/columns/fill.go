package columns

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// inColumns is what only lines have that are set one by one: a space at the beginning,
// or two side by side.
var inColumns = regexp.MustCompile(`(?m)^\s|\S  `)

// Fixed says whether a paragraph keeps its lines: where they are moved in or have
// columns, as an example or a list.
func Fixed(paragraph string) bool { return inColumns.MatchString(paragraph) }

// beforeText is what a line of a list has before its text: it is moved in, or begins
// with a name.
var beforeText = regexp.MustCompile(`^(\s*\S+\s{2,}|\s*)`)

// Fill breaks the lines of a text between words where they are longer than a width.
// Paragraphs, which an empty line ends, are filled anew; of those that are [Fixed] each
// line is broken by itself and goes on below its text.
func Fill(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		switch lines := strings.Split(p, "\n"); {
		case widest(lines) <= width:
		case Fixed(p):
			for j, line := range lines {
				lines[j] = broken(line, utf8.RuneCountInString(beforeText.FindString(line)), width)
			}
			paragraphs[i] = strings.Join(lines, "\n")
		default:
			paragraphs[i] = broken(strings.Join(lines, " "), 0, width)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// broken is a line broken between words, whose parts but the first are moved in.
func broken(line string, in, width int) string {
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
