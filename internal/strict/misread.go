package strict

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// digits matches the beginning of an escape with a character code.
var digits = regexp.MustCompile(`\\[xuU]`)

// escape matches an escape in double quotes.
var escape = regexp.MustCompile(`^\\([0abtnvfre "/\\N_LP]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})`)

// replacement matches U+FFFD, the result of an escape with an invalid character code.
var replacement = regexp.MustCompile(`(?i)\x{fffd}|\\u(0000)?fffd`)

// misreads returns an error for a token that the parser library reads differently from
// YAML. Its scanner accepts letters as digits of an escape, and loses or adds spaces and
// line breaks in texts over several lines; its parser assigns a key below an empty list
// item to the item.
func (s *survey) misreads(t *token.Token) error {
	switch {
	case t.Type == token.FoldedType:
		return s.errorf(t, "folded text (>) is not supported; write it in double quotes")
	case s.follows(token.LiteralType):
		return s.misreadsLines(s.last(1), t)
	case s.follows(token.SequenceEntryType) && s.brackets == 0 && t.Type != token.SequenceEntryType &&
		t.Position.Line != s.last(1).Position.Line && t.Position.Column == s.last(1).Position.Column:
		return s.errorf(s.last(1), "an item without a value; write null")
	}
	origin := strings.TrimSpace(t.Origin)
	switch {
	case strings.Contains(origin, "\n"):
		return s.errorf(t, "a text over several lines is not supported; write it on one line, in double quotes,  "+
			`with \n for a line break`)
	case t.Type == token.DoubleQuoteType:
		return s.misreadsEscape(t)
	case s.brackets > 0 && strings.HasSuffix(origin, ":") && t.Type == token.StringType:
		return s.errorf(t, "%s ends in a colon; write a space after it, or quote the text", quote(origin))
	}
	return nil
}

// tabs returns an error for a tab in a text. The library drops a tab in a plain text, and
// drops a character after a double-quoted text with a tab.
func (s *survey) tabs(t *token.Token) error {
	if s.follows(token.LiteralType) || !strings.Contains(strings.TrimSpace(t.Origin), "\t") {
		return nil
	}
	return s.errorf(t, `a tab in a text; write \t in double quotes`)
}

// follows reports whether the previous token has a given type.
func (s *survey) follows(before token.Type) bool {
	return len(s.tokens) > 1 && s.last(1).Type == before
}

// misreadsEscape returns an error for an invalid escape in a double-quoted text. Tokens
// do not keep the digits of escapes; therefore it examines the source line.
func (s *survey) misreadsEscape(t *token.Token) error {
	source, ok := s.source(t)
	if !ok {
		return s.errorf(t, "a tab before this text, on a line with a character code; write a space")
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
			return s.errorf(t, `%s is not an escape; write a backslash as \\ in double quotes`,
				quote(shorten(source[end:], 10)))
		}
		end += len(sequence) - 1
	}
	if strings.ContainsRune(t.Value, utf8.RuneError) && !replacement.MatchString(source[:end]) {
		return s.errorf(t, "an escape in this text is not a valid character")
	}
	return nil
}

// cursor is a position in a line; it ensures that each line is scanned only once.
type cursor struct {
	line, column int  // both from 1; column counts characters
	at           int  // offset in the line, in bytes
	tab          int  // offset of the first tab, or of the end of the line
	digits       bool // whether the line may contain a character code, as in \u0041
}

// source returns the text after the opening quote of a token, up to the end of the line;
// it is empty if the line cannot contain a character code. ok is false for a line with a
// tab before the token, because the scanner counts some tabs as columns and others not.
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

// misreadsLines returns an error about the lines after a |, if the library may have
// misread them.
func (s *survey) misreadsLines(header, t *token.Token) error {
	text, ok := readLines(strings.TrimPrefix(header.Value, "|"), t.Origin)
	if ok && text == t.Value && t.Type == token.StringType {
		return nil
	}
	return s.errorf(header, "this text in lines (|) is not supported; write it in double quotes, "+
		`with \n for a line break`)
}

// readLines returns the text that YAML reads from the lines in origin (YAML 1.2.2, 8.1).
// header is what follows the | above them. ok is false if the header contains a digit, or
// if the lines are empty, contain a tab or are not indented.
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
