package walk

import (
	"strconv"
	"strings"

	"foretell/internal/printable"
)

// longestName is how many characters of a token's name are shown.
const longestName = 12

// shownNames returns the names as they are shown, at most one for each token of the
// alphabet, and nil if they say no more than the numbers do.
func shownNames(names []string, alphabet int) []string {
	var list []string
	says := false
	for z, name := range names[:min(len(names), alphabet)] {
		says = says || name != strconv.Itoa(z)
		text := strings.ReplaceAll(printable.Text(name), "`", "'") // sentences have code between backquotes
		list = append(list, printable.Cut(text, longestName))
	}
	if !says {
		return nil
	}
	return list
}

// name returns a token's name, empty if it has none.
func (o Options) name(z int) string {
	if z < len(o.Names) {
		return o.Names[z]
	}
	return ""
}

// token returns what a sentence calls a token.
func (o Options) token(z int) string { return tokenText(z, o.name(z)) }

func tokenText(z int, name string) string {
	text := "token " + strconv.Itoa(z)
	if name != "" {
		text += " (" + inSentence(name) + ")"
	}
	return text
}

// inSentence puts quotation marks around a name that has signs of a sentence in it.
func inSentence(name string) string {
	if strings.ContainsAny(name, "(), ") {
		return `"` + name + `"`
	}
	return name
}

// label returns a token's name, or its number, for a row or a column.
func (o Options) label(z int) string {
	if name := o.name(z); name != "" {
		return name
	}
	return strconv.Itoa(z)
}

// namesOf lists the names of tokens between parentheses, if they have any.
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

// place returns what a sentence calls a position.
func (w *walker) place(t int) string {
	text := "position " + strconv.Itoa(t)
	if name := w.name(int(w.tokens[t])); name != "" {
		text += " (" + inSentence(name) + ")"
	}
	return text
}

// positionNames are the names of the tokens that stand at the positions.
func (w *walker) positionNames() []string {
	var list []string
	for _, z := range w.tokens {
		list = append(list, w.label(int(z)))
	}
	return list
}

// byPosition names the columns of a result after the tokens at the positions.
func (w *walker) byPosition(e Equation) Equation {
	if w.Names != nil {
		e.ColumnNames = w.positionNames()
	}
	return e
}

// byToken names the columns of a result after the alphabet's tokens.
func (w *walker) byToken(e Equation) Equation {
	if w.Names != nil {
		for z := range e.Result().Columns {
			e.ColumnNames = append(e.ColumnNames, w.label(z))
		}
	}
	return e
}
