package strict

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// digits finds what may be an escape by a character's number.
var digits = regexp.MustCompile(`\\[xuU]`)

// escape is an escape in double quotes.
var escape = regexp.MustCompile(`^\\([0abtnvfre "/\\N_LP]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})`)

// replacement is U+FFFD, which an escape gives that stands for no character.
var replacement = regexp.MustCompile(`(?i)\x{fffd}|\\u(0000)?fffd`)

// misreads returns an error about a token that the library takes for something else than
// YAML does. Its scanner takes any letters for the digits of an escape, loses or adds
// blanks and line breaks where a text goes on in another line, and its parser takes a key
// below an empty item for the item's.
func (s *survey) misreads(t *token.Token) error {
	switch {
	case t.Type == token.FoldedType:
		return s.errorf(t, "folded text (>) is not read here; write it in double quotes")
	case s.follows(token.LiteralType):
		return s.misreadsLines(s.last(1), t)
	case s.follows(token.SequenceEntryType) && s.brackets == 0 && t.Type != token.SequenceEntryType &&
		t.Position.Line != s.last(1).Position.Line && t.Position.Column == s.last(1).Position.Column:
		return s.errorf(s.last(1), "an item without a value; write null")
	}
	origin := strings.TrimSpace(t.Origin)
	switch {
	case strings.Contains(origin, "\n"):
		return s.errorf(t, "a text over several lines is not read here; write it on one, in double quotes, "+
			`with \n for a line break`)
	case t.Type == token.DoubleQuoteType:
		return s.misreadsEscape(t)
	case s.brackets > 0 && strings.HasSuffix(origin, ":") && t.Type == token.StringType:
		return s.errorf(t, "%s ends in a colon; write a space behind it, or the text in quotes", quote(origin))
	}
	return nil
}

// tabs refuses a tab within a text. The library drops one within a plain text, and behind
// a text in double quotes that has one it drops a character.
func (s *survey) tabs(t *token.Token) error {
	if s.follows(token.LiteralType) || !strings.Contains(strings.TrimSpace(t.Origin), "\t") {
		return nil
	}
	return s.errorf(t, `a tab in a text; write \t in double quotes`)
}

// follows says whether the token before is of some type.
func (s *survey) follows(before token.Type) bool {
	return len(s.tokens) > 1 && s.last(1).Type == before
}

// misreadsEscape returns an error if in a text in double quotes an escape is none. A
// token keeps no digits of its escapes, so the line is looked at.
func (s *survey) misreadsEscape(t *token.Token) error {
	source, ok := s.source(t)
	if !ok {
		return s.errorf(t, "a tab before this text, on a line with a character's number; write a space")
	}
	if source == "" {
		return nil
	}
	end := 0
	for ; end < len(source) && source[end] != '"'; end++ {
		if source[end] != '\\' {
			continue
		}
		sequence := escape.FindString(source[end:min(end+10, len(source))])
		if sequence == "" {
			return s.errorf(t, `%s is no escape; write a backslash as \\ in double quotes`, quote(shorten(source[end:], 10)))
		}
		end += len(sequence) - 1
	}
	if strings.ContainsRune(t.Value, utf8.RuneError) && !replacement.MatchString(source[:end]) {
		return s.errorf(t, "an escape in this text stands for no character")
	}
	return nil
}

// cursor is a place in a line, for which a line is gone through once.
type cursor struct {
	line, column, at int
	tab              int  // where the first is, or the line's end
	digits           bool // whether there may be a character's number
}

// source returns what stands behind the opening quote of a token, up to its line's end;
// it is empty where no character's number can be in it. A line with a tab before the
// token is not ok: columns count some tabs, and others not.
func (s *survey) source(t *token.Token) (source string, ok bool) {
	line := s.lines[t.Position.Line-1]
	c := &s.cursor
	if c.line != t.Position.Line {
		*c = cursor{line: t.Position.Line, column: 1, digits: digits.MatchString(line), tab: len(line)}
		if tab := strings.IndexByte(line, '\t'); tab >= 0 {
			c.tab = tab
		}
	}
	if !c.digits {
		return "", true
	}
	for ; c.column < t.Position.Column && c.at < len(line); c.column++ {
		_, size := utf8.DecodeRuneInString(line[c.at:])
		c.at += size
	}
	source, begins := strings.CutPrefix(line[c.at:], `"`)
	return source, begins && c.at <= c.tab
}

// misreadsLines returns an error about the lines that follow |, if the library may have
// read them otherwise.
func (s *survey) misreadsLines(header, t *token.Token) error {
	text, ok := readLines(strings.TrimPrefix(header.Value, "|"), t.Origin)
	if ok && text == t.Value && t.Type == token.StringType {
		return nil
	}
	return s.errorf(header, `this text in lines (|) is not read here; write it in double quotes, with \n for a line break`)
}

// readLines returns what lines say below a header (YAML 1.2.2, 8.1), or false if that is
// a header with a digit, or the lines hold nothing, a tab or what is not indented.
func readLines(header, origin string) (text string, ok bool) {
	if header != "" && header != "-" && header != "+" || strings.Contains(origin, "\t") {
		return "", false
	}
	lines := strings.Split(origin, "\n")
	indent := ""
	for _, line := range lines {
		if first := strings.TrimLeft(line, " "); first != "" {
			indent = line[:len(line)-len(first)]
			break
		}
	}
	if indent == "" {
		return "", false
	}
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, indent)
		if len(line) < len(indent) {
			lines[i] = ""
		}
	}
	text = strings.Join(lines, "\n")
	trimmed := strings.TrimRight(text, "\n")
	switch {
	case header == "+":
		return text, true
	case header == "-" || len(trimmed) == len(text) || trimmed == "":
		return trimmed, true
	}
	return trimmed + "\n", true
}
