package document

import (
	"html/template"
	"strings"

	"foretell/internal/formula"
)

// Markup converts a sentence to HTML: text between backquotes becomes code, and the rest
// is typeset by [Math].
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

// Math converts a text to HTML in which variables, indices and powers are elements. Like
// other text, they wrap with the line, and can be copied and read aloud.
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

// move writes the tags between two pieces of text. open and next are the nested indices
// and powers that contain the first and the second piece. Those not in both are closed or
// opened.
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

// tags are the HTML elements of indices and powers.
var tags = map[rune]string{formula.Index: "sub", formula.Power: "sup"}
