package report

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/document"
)

// style is the look of a span of text.
type style int

const (
	plain style = iota
	code
	emphasis
)

// span is a run of text in one style.
type span struct {
	style style
	text  string
}

// spans splits a text at its marks: `code` and *emphasis*, which do not nest. Marks
// without a partner are text.
func spans(text string) []span {
	text = clean(text)
	var all []span
	start := 0 // start of the plain text that ends at i
	for i := 0; i < len(text); {
		s, length := marked(text, i)
		if length == 0 {
			i++
			continue
		}
		if start < i {
			all = append(all, span{plain, text[start:i]})
		}
		all = append(all, span{s, text[i+1 : i+length-1]})
		i += length
		start = i
	}
	if start < len(text) {
		all = append(all, span{plain, text[start:]})
	}
	return all
}

// marked returns the style of the marked text that begins at i, and its length with the
// marks, or length 0 if no marked text begins there.
func marked(text string, i int) (s style, length int) {
	rest := text[i+1:]
	end := strings.IndexAny(rest, "`*")
	if end <= 0 || rest[end] != text[i] {
		return plain, 0
	}
	length = end + 2
	switch text[i] {
	case '`':
		return code, length
	case '*':
		// The asterisk of a product such as a*b or a * b does not mark emphasis.
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+length:])
		first, _ := utf8.DecodeRuneInString(rest)
		last, _ := utf8.DecodeLastRuneInString(rest[:end])
		if word(before) || word(after) || unicode.IsSpace(first) || unicode.IsSpace(last) {
			return plain, 0
		}
		return emphasis, length
	}
	return plain, 0
}

// word reports whether r is a letter or digit. At the end of a text, decoding gives
// utf8.RuneError, which is neither.
func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clean returns text as one line of valid UTF-8 without control characters, which a
// terminal would obey.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && r != '\u00a0' && r != '\u2007' && r != '\u2009' && r != '\u202f':
			return ' '
		// Also replace characters that change the direction of writing.
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// unmarked returns the text without its marks.
func unmarked(text string) string {
	var b strings.Builder
	for _, s := range spans(text) {
		b.WriteString(s.text)
	}
	return b.String()
}

// typeset returns a text without marks as HTML, with its formulas typeset.
func typeset(text string) template.HTML { return document.Math(clean(text)) }

// markup returns a text with marks as HTML, with its formulas typeset, except in code.
func markup(text string) template.HTML {
	var b strings.Builder
	for _, s := range spans(text) {
		switch s.style {
		case code:
			b.WriteString("<code>" + template.HTMLEscapeString(s.text) + "</code>")
		case emphasis:
			b.WriteString("<em>" + string(document.Math(s.text)) + "</em>")
		default:
			b.WriteString(string(document.Math(s.text)))
		}
	}
	return template.HTML(b.String())
}
