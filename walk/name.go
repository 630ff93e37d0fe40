package walk

import (
	"strconv"
	"strings"

	"foretell/internal/text"
)

// longestName is the largest number of characters of a token's name that are shown.
const longestName = 12

// shownNames returns the names in printable form, at most one for each token of the
// alphabet. It returns nil if every name is just the token's number.
func shownNames(names []string, alphabet int) []string {
	var list []string
	says := false
	for z, name := range names[:min(len(names), alphabet)] {
		says = says || name != strconv.Itoa(z)
		shown := strings.ReplaceAll(text.Escape(name), "`", "'") // sentences use backquotes for code
		list = append(list, text.Cut(shown, longestName))
	}
	if !says {
		return nil
	}
	return list
}

// name returns a token's name, or "" if it has no name.
func (o Options) name(z int) string {
	if z < len(o.Names) {
		return o.Names[z]
	}
	return ""
}

// token returns a token as written in a sentence.
func (o Options) token(z int) string { return tokenText(z, o.name(z)) }

func tokenText(z int, name string) string {
	text := "token " + strconv.Itoa(z)
	if name != "" {
		text += " (" + inSentence(name) + ")"
	}
	return text
}

// inSentence quotes a name that contains spaces, commas or parentheses.
func inSentence(name string) string {
	if strings.ContainsAny(name, "(), ") {
		return `"` + name + `"`
	}
	return name
}

// label returns a token's name or, if the token has no name, its number.
func (o Options) label(z int) string {
	if name := o.name(z); name != "" {
		return name
	}
	return strconv.Itoa(z)
}

// namesOf returns the tokens' names in parentheses, or "" if tokens have no names.
func (o Options) namesOf(tokens []int32) string {
	if o.Names == nil {
		return ""
	}
	var texts []string
	for _, z := range tokens {
		texts = append(texts, inSentence(o.label(int(z))))
	}
	return " (" + list(texts) + ")"
}

// place returns a position, with the name of its token, as written in a sentence.
func (w *walker) place(t int) string {
	text := "position " + strconv.Itoa(t)
	if name := w.name(int(w.tokens[t])); name != "" {
		text += " (" + inSentence(name) + ")"
	}
	return text
}

// positionNames returns the name of the token at each position.
func (w *walker) positionNames() []string {
	var list []string
	for _, z := range w.tokens {
		list = append(list, w.label(int(z)))
	}
	return list
}

// byPosition sets the column names of a result to the tokens at the positions.
func (w *walker) byPosition(e Equation) Equation {
	if w.Names != nil {
		e.ColumnNames = w.positionNames()
	}
	return e
}

// byToken sets the column names of a result to the tokens of the alphabet.
func (w *walker) byToken(e Equation) Equation {
	if w.Names != nil {
		for z := range e.Result().Columns {
			e.ColumnNames = append(e.ColumnNames, w.label(z))
		}
	}
	return e
}
