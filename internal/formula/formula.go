// Package formula finds the mathematics in a line of text, as a_s·ζ^(d−s) or R², so that
// a figure can set indices, powers and variables as such.
package formula

import (
	"strings"
	"unicode"
)

// Script is where a run stands: on the line, below it or above it.
type Script int

// The three places.
const (
	Line Script = iota
	Index
	Power
)

// A Run is a part of a text in one look.
type Run struct {
	Text   string
	Italic bool // a variable
	Script Script
}

// Split returns a text as runs, whose texts together are the text without the marks of
// mathematics:
//
//   - an index is what follows the underscore of a single letter: up to two letters or
//     digits, or what braces hold; longer ones are names such as d_model and stay;
//   - a power is what follows a circumflex: letters and digits, or what braces or
//     parentheses hold, and parentheses about a single sign stay, as in T^(z);
//   - variables are Greek small letters, small Latin letters alone (a before = only), and
//     single capitals before an index, a power or a parenthesis.
func Split(text string) []Run {
	s := splitter{text: []rune(text)}
	for s.at < len(s.text) {
		s.next()
	}
	return s.runs
}

type splitter struct {
	text []rune
	at   int
	runs []Run
}

// rune returns the sign at i, or a space beyond the ends.
func (s *splitter) rune(i int) rune {
	if i < 0 || i >= len(s.text) {
		return ' '
	}
	return s.text[i]
}

// next takes a sign, or the script that begins there.
func (s *splitter) next() {
	r := s.text[s.at]
	if script, inner, length := s.script(); length > 0 {
		for _, part := range Split(inner) {
			s.add(part.Text, part.Italic, script)
		}
		s.at += length
		return
	}
	s.add(string(r), s.variable(), Line)
	s.at++
}

func (s *splitter) add(text string, italic bool, script Script) {
	if n := len(s.runs); n > 0 && s.runs[n-1].Italic == italic && s.runs[n-1].Script == script {
		s.runs[n-1].Text += text
		return
	}
	s.runs = append(s.runs, Run{text, italic, script})
}

// script returns the index or power that begins here, and how many signs it has.
func (s *splitter) script() (of Script, inner string, length int) {
	before := s.rune(s.at - 1)
	switch s.text[s.at] {
	case '_':
		if unicode.IsSpace(before) || before == '_' || word(before) && !s.alone(s.at-1) {
			return Line, "", 0
		}
		of = Index
	case '^':
		if unicode.IsSpace(before) {
			return Line, "", 0
		}
		of = Power
	default:
		return Line, "", 0
	}
	if inner, length = s.held('{', '}'); length > 0 {
		return of, inner, length
	}
	if of == Power {
		if inner, length = s.held('(', ')'); length > 0 {
			if len([]rune(inner)) == 1 {
				inner = "(" + inner + ")"
			}
			return of, inner, length
		}
	}
	end := s.at + 1
	if of == Power && (s.rune(end) == '-' || s.rune(end) == '−') {
		end++
	}
	for word(s.rune(end)) {
		end++
	}
	inner = strings.Replace(string(s.text[s.at+1:end]), "-", "−", 1)
	if n := end - s.at - 1; n == 0 || of == Index && (n > 2 || s.rune(end) == '_') {
		return Line, "", 0
	}
	return of, inner, end - s.at
}

// held returns what the brackets hold that open after the sign here, and how many signs
// that is with the sign and its brackets.
func (s *splitter) held(opens, closes rune) (inner string, length int) {
	if s.rune(s.at+1) != opens {
		return "", 0
	}
	depth := 0
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case opens:
			depth++
		case closes:
			depth--
		}
		if depth == 0 {
			return string(s.text[s.at+2 : i]), i + 1 - s.at
		}
	}
	return "", 0
}

// variable says whether the sign here is one.
func (s *splitter) variable() bool {
	r := s.text[s.at]
	switch {
	case unicode.Is(unicode.Greek, r):
		return unicode.IsLower(r)
	case r < 'A' || r > 'z' || !unicode.IsLetter(r) || s.article() || !s.alone(s.at) || s.rune(s.at+1) == '_':
		return s.indexed()
	case unicode.IsLower(r):
		return true
	}
	return s.rune(s.at+1) == '(' || s.rune(s.at+1) == '²' || s.indexed()
}

// article says whether the sign here is an a that nothing says is a variable.
func (s *splitter) article() bool {
	return s.text[s.at] == 'a' && (s.rune(s.at+1) != ' ' || s.rune(s.at+2) != '=')
}

// indexed says whether the sign here is a letter alone with an index or a power.
func (s *splitter) indexed() bool {
	if r := s.text[s.at]; !unicode.IsLetter(r) || !s.alone(s.at) {
		return false
	}
	after := splitter{text: s.text, at: s.at + 1}
	if after.at >= len(s.text) {
		return false
	}
	_, _, length := after.script()
	return length > 0
}

// alone says whether no word goes on before or after sign i: a hyphen, an apostrophe
// and a full stop between letters make it part of one, and a slash beside a word of
// several signs, as in runs/b.
func (s *splitter) alone(i int) bool {
	before, after := s.rune(i-1), s.rune(i+1)
	joins := func(r, beyond rune) bool {
		return strings.ContainsRune("-'’", r) || r == '.' && word(beyond)
	}
	return !word(before) && before != '_' && !joins(before, s.rune(i-2)) &&
		!word(after) && !joins(after, s.rune(i+2)) && !s.inPath(i, -1) && !s.inPath(i, 1)
}

// inPath says whether a slash joins sign i to a word on one side of it.
func (s *splitter) inPath(i, side int) bool {
	further := s.rune(i + 3*side)
	return s.rune(i+side) == '/' && word(s.rune(i+2*side)) && (word(further) || further == '/')
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) && r <= '9' }
