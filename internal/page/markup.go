package page

import (
	"html/template"
	"strings"

	"foretell/internal/formula"
)

// Markup writes a sentence: what stands between backquotes is code, and mathematics
// elsewhere is set as such.
func Markup(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
		} else {
			b.WriteString(string(Math(part)))
		}
	}
	return template.HTML(b.String())
}

// Math writes a text with its variables, indices and powers as elements of HTML, which
// break with their line, are read out and are copied as text.
func Math(text string) template.HTML {
	var b strings.Builder
	open := ""
	for _, r := range formula.Split(text) {
		move(&b, open, r.Script)
		open = r.Script
		if inner := template.HTMLEscapeString(r.Text); r.Italic {
			b.WriteString("<var>" + inner + "</var>")
		} else {
			b.WriteString(inner)
		}
	}
	move(&b, open, "")
	return template.HTML(b.String())
}

// move closes the scripts that are open and opens others, as far as these are not the
// same.
func move(b *strings.Builder, open, next string) {
	same := 0
	for same < min(len(open), len(next)) && open[same] == next[same] {
		same++
	}
	for i := len(open) - 1; i >= same; i-- {
		b.WriteString("</" + tags[rune(open[i])] + ">")
	}
	for _, script := range next[same:] {
		b.WriteString("<" + tags[script] + ">")
	}
}

// tags are the elements of scripts.
var tags = map[rune]string{formula.Index: "sub", formula.Power: "sup"}
