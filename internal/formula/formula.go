// Package formula finds mathematics in a line of text, such as a_s·ζ^(d−s) or R². Figures
// and pages use it to typeset indices, powers and variables.
package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The two kinds of script: below and above the line.
const (
	Index = '_'
	Power = '^'
)

// A Run is a part of a text with uniform typesetting.
type Run struct {
	Text   string
	Italic bool // a variable
	// Script is the position of the run: "" on the line, "_" an index, "^_" the index of a
	// power.
	Script string
}

// Split divides a text into runs. Their texts joined are the text without the markup of
// mathematics:
//
//   - an index follows an underscore after a single letter: up to two letters or digits,
//     or the contents of braces; longer ones are names such as d_model and stay;
//   - a power follows a circumflex: letters and digits, or the contents of braces or
//     parentheses; parentheses around a single character stay, as in T^(z);
//   - variables are Greek small letters, single Latin small letters (a before a space
//     only next to an arithmetic sign), and single capitals before an index, a power or a
//     parenthesis, or next to an arithmetic sign.
//
// A character keeps its combining marks, as in p̃_i.
func Split(text string) []Run {
	s := splitter{text: signs(text)}
	for s.at < len(s.text) {
		s.next()
	}
	s.flush()
	return s.runs
}

// signs divides a text into characters, each with its combining marks.
func signs(text string) (list []string) {
	onLetter := false
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		sign := text[i : i+size]
		if onLetter && unicode.Is(unicode.Mn, r) {
			list[len(list)-1] += sign
			continue
		}
		list, onLetter = append(list, sign), unicode.IsLetter(r)
	}
	return list
}

type splitter struct {
	text  []string // characters with their combining marks
	at    int
	ended int // index at which the last script ended
	runs  []Run
	run   Run // the last run, without its text, which is in the field last
	last  strings.Builder
}

// rune returns the character at i without marks, or a space outside the text.
func (s *splitter) rune(i int) rune {
	if i < 0 || i >= len(s.text) {
		return ' '
	}
	r, _ := utf8.DecodeRuneInString(s.text[i])
	return r
}

// next moves past the current character, or past the script that begins at it, and adds
// it to the runs.
func (s *splitter) next() {
	if script, inner, length := s.script(); length > 0 {
		for _, part := range Split(inner) {
			s.add(part.Text, part.Italic, string(script)+part.Script)
		}
		s.at += length
		s.ended = s.at
		return
	}
	s.add(s.text[s.at], s.variable(), "")
	s.at++
}

// add appends text to the current run, or starts another run if the typesetting changes.
func (s *splitter) add(text string, italic bool, script string) {
	if s.run.Italic != italic || s.run.Script != script {
		s.flush()
		s.run = Run{Italic: italic, Script: script}
	}
	s.last.WriteString(text)
}

// flush completes the current run.
func (s *splitter) flush() {
	if s.run.Text = s.last.String(); s.run.Text != "" {
		s.runs = append(s.runs, s.run)
		s.last.Reset()
	}
}

// script returns the index or power that begins at the current character, and its length
// in characters.
func (s *splitter) script() (of rune, inner string, length int) {
	before := s.rune(s.at - 1)
	of = s.rune(s.at)
	switch {
	case of != Index && of != Power, unicode.IsSpace(before):
		return of, "", 0
	case of == Index && (before == '_' || word(before) && !s.alone(s.at-1)):
		return of, "", 0
	}
	if inner, length = s.held('{', '}'); length > 0 {
		return of, inner, length
	}
	if of == Power {
		if inner, length = s.held('(', ')'); length > 0 {
			if len(signs(inner)) == 1 {
				inner = "(" + inner + ")"
			}
			return of, inner, length
		}
	}
	end := s.end(of)
	if end == s.at+1 {
		return of, "", 0
	}
	inner = strings.Replace(strings.Join(s.text[s.at+1:end], ""), "-", "−", 1)
	return of, inner, end - s.at
}

// end returns the index after the last character of a script without brackets that begins
// at the current character.
func (s *splitter) end(of rune) int {
	end := s.at + 1
	if of == Power && (s.rune(end) == '-' || s.rune(end) == '−') {
		end++
	}
	for word(s.rune(end)) {
		end++
	}
	switch first, n := s.at+1, end-s.at-1; {
	case of == Power:
	case n == 2 && s.rune(end) == '_' && unicode.IsUpper(s.rune(end-1)) && !unicode.IsUpper(s.rune(first)):
		return first + 1 // as in p_jW_K
	case n > 2 || s.rune(end) == '_':
		return first
	}
	return end
}

// mostHeld is the largest number of characters of a script in brackets. Longer brackets
// are not a script.
const mostHeld = 100

// held returns the contents of the brackets that open after the current character, and
// the total length including the character and the brackets.
func (s *splitter) held(opens, closes rune) (inner string, length int) {
	if s.rune(s.at+1) != opens {
		return "", 0
	}
	depth := 0
	for i := s.at + 1; i < min(len(s.text), s.at+mostHeld); i++ {
		switch s.rune(i) {
		case opens:
			depth++
		case closes:
			depth--
		}
		if depth == 0 {
			return strings.Join(s.text[s.at+2:i], ""), i + 1 - s.at
		}
	}
	return "", 0
}

// variable reports whether the current character is a variable.
func (s *splitter) variable() bool {
	r := s.rune(s.at)
	switch {
	case s.rune(s.at-1) == '"' && s.rune(s.at+1) == '"':
		return false // a token's name
	case unicode.Is(unicode.Greek, r):
		return unicode.IsLower(r)
	case !unicode.Is(unicode.Latin, r) || !s.alone(s.at) || s.rune(s.at+1) == '_':
		return s.indexed()
	case unicode.IsLower(r) && (r != 'a' || len(s.text) == 1 || s.rune(s.at+1) != ' '):
		return r <= 'z'
	}
	after := s.rune(s.at + 1)
	return s.indexed() || s.reckoned() || unicode.IsUpper(r) && (after == '(' || unicode.Is(unicode.Lm, after))
}

// arithmetic lists the signs that make an adjacent letter a variable.
const arithmetic = "+−·/=<>≤≥∈|²³"

// reckoned reports whether the current letter is part of arithmetic: a sign touches it,
// follows it as in a = 1, or precedes a capital as in L = H.
func (s *splitter) reckoned() bool {
	is := func(i int) bool { return strings.ContainsRune(arithmetic, s.rune(i)) }
	return is(s.at-1) || is(s.at+1) || s.rune(s.at+1) == ' ' && is(s.at+2) ||
		s.rune(s.at-1) == ' ' && is(s.at-2) && unicode.IsUpper(s.rune(s.at))
}

// indexed reports whether the current character is a single letter with an index or a
// power.
func (s *splitter) indexed() bool {
	if r := s.rune(s.at); !unicode.IsLetter(r) || !s.alone(s.at) {
		return false
	}
	after := splitter{text: s.text, at: s.at + 1, ended: s.ended}
	if after.at >= len(s.text) {
		return false
	}
	_, _, length := after.script()
	return length > 0
}

// alone reports whether character i is not part of a longer word. A hyphen, an apostrophe
// or a full stop between letters joins them, and so does a slash next to a word of
// several characters, as in runs/b.
func (s *splitter) alone(i int) bool {
	before, after := s.rune(i-1), s.rune(i+1)
	joins := func(r, beyond rune) bool {
		return strings.ContainsRune("-'’", r) || r == '.' && word(beyond)
	}
	return (!word(before) || i > 0 && i == s.ended) && before != '_' && !joins(before, s.rune(i-2)) &&
		!word(after) && !joins(after, s.rune(i+2)) && !s.inPath(i, -1) && !s.inPath(i, 1)
}

// inPath reports whether a slash joins character i to a word on its left (side −1) or
// right (side 1).
func (s *splitter) inPath(i, side int) bool {
	further := s.rune(i + 3*side)
	return s.rune(i+side) == '/' && word(s.rune(i+2*side)) && (word(further) || further == '/')
}

// word reports whether r is part of a word. Raised letters, as in Aᵀ and ζⁿ, are not.
func word(r rune) bool {
	return unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) || r >= '0' && r <= '9'
}
