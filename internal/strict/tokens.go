package strict

import (
	"strings"

	"github.com/goccy/go-yaml/token"
)

// What the library takes more than proportional time for, and so has a limit: its scanner
// looks at the rest of a line for each tab within quotes, at the rest of a row of < for
// each of them, and copies a text in lines for each empty line behind it; its parser
// copies a mapping by indentation for each of its keys, the tokens to come for each value
// that is left out, and the keys above a value for each value. What is within the limits
// is read or refused in about a second.
const (
	maxTabWork   = 1 << 27 // tabs times the characters of their lines
	maxLess      = 1 << 10 // < in a row
	maxEmptyWork = 1 << 26 // empty lines in a row times the characters of the document
	maxKeys      = 4 << 10 // keys of a mapping by indentation
	maxAllKeys   = 64 << 10
	maxLeftWork  = 1 << 28 // values left out times the tokens of the document
	maxPathWork  = 1 << 27 // tokens times the characters of the keys above
)

// checkLines refuses text over which the scanner would sit for long.
func (b builder) checkLines(lines []string, length int) error {
	work, empty := 0, 0
	less := strings.Repeat("<", maxLess+1)
	for i, line := range lines {
		if empty++; strings.Trim(line, " \t") != "" {
			empty = 0
		}
		tabs := strings.Count(line, "\t")
		work += tabs * len(line)
		switch {
		case work > maxTabWork:
			return b.errorInLine(i+1, `%d tabs in a line of %d bytes; write spaces, or \t within double quotes`, tabs, len(line))
		case empty > 1 && empty*length > maxEmptyWork:
			return b.errorInLine(i+1, "%d empty lines in a row, at most %d in a document of this length",
				empty, maxEmptyWork/length)
		case len(line) > maxLess && strings.Contains(line, less):
			return b.errorInLine(i+1, "more than %d < in a row", maxLess)
		}
	}
	return nil
}

// survey is what is known of a document from its tokens up to one of them.
type survey struct {
	builder
	lines        []string
	cursor       cursor       // in the lines
	tokens       token.Tokens // without comments
	directive    int          // the line of the last one
	begun, ended bool
	dashes       int    // of lists that begin in a row on a line, one in the other
	open         []open // mappings by indentation, and brackets
	brackets     int    // how many of them are brackets
	keys, left   int    // keys by indentation, and values that were left out
	paths        int    // characters of the keys above each of the tokens
	misread      error  // about the first token that is taken for something else than YAML does
}

// check refuses what is not read here and what the parser would sit over for long, and
// notes what the library misreads.
func (s *survey) check(tokens token.Tokens) error {
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType:
			continue
		case token.InvalidType:
			return nil // the parser says so first of all
		}
		s.tokens = append(s.tokens, t)
		for _, check := range []func(t *token.Token) error{s.unread, s.tabs, s.document, s.size, s.nesting} {
			if err := check(t); err != nil {
				return err
			}
		}
		if s.misread == nil {
			s.misread = s.misreads(t)
		}
	}
	if s.misread == nil && len(s.tokens) > 0 && s.last(0).Type == token.LiteralType {
		s.misread = s.misreadsLines(s.last(0), &token.Token{})
	}
	if most := maxLeftWork / max(len(s.tokens), 1); s.left > most {
		return s.errorf(nil, "%d values are left out, at most %d in a document of this length; write null", s.left, most)
	}
	return nil
}

// open is a mapping by indentation or a pair of brackets that has not ended.
type open struct {
	column int  // 0 of brackets
	braces bool // which brackets
	keys   int
	bytes  int // of the present key and those above it
}

// unread refuses what is not read here.
func (s *survey) unread(t *token.Token) error {
	switch t.Type {
	case token.AnchorType, token.AliasType:
		return s.errorf(t, "anchors and aliases (& and *) are not read here; write the value out, "+
			"or quote it when it is text")
	case token.TagType:
		return s.errorf(t, "tags (!) are not read here; write the value alone, or quote it when it is text")
	case token.MergeKeyType:
		return s.errorf(t, "merge keys (<<) are not read here; write the keys out")
	case token.MappingKeyType:
		return s.errorf(t, "a key is plain text, without a question mark before it")
	}
	return nil
}

// document refuses what follows the only document.
func (s *survey) document(t *token.Token) error {
	if s.ended || s.begun && t.Type == token.DocumentHeaderType {
		return s.errorf(t, "a second document begins here; one is expected")
	}
	switch t.Type {
	case token.DirectiveType:
		s.directive = t.Position.Line
	case token.DocumentEndType:
		s.ended = true
	}
	s.begun = s.begun || t.Position.Line != s.directive
	return nil
}

// nesting refuses text that nests too deeply.
func (s *survey) nesting(t *token.Token) error {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		s.open = append(s.open, open{braces: t.Type == token.MappingStartType, bytes: s.top().bytes})
		s.brackets++
	case token.MappingEndType, token.SequenceEndType:
		if s.brackets > 0 {
			s.open = s.open[:len(s.open)-1]
			s.brackets--
		}
	}
	if len(s.tokens) > 1 && (s.last(1).Type != token.SequenceEntryType || s.last(1).Position.Line != t.Position.Line) {
		s.dashes = 0
	}
	if t.Type == token.SequenceEntryType && s.brackets == 0 {
		s.dashes++
		s.close(t.Position.Column)
	}
	if max(s.brackets, s.dashes)+s.depth > maxDepth {
		return s.errorf(t, "nested more than %d levels deep", maxDepth)
	}
	return nil
}

// top is the innermost mapping or pair of brackets.
func (s *survey) top() open {
	if len(s.open) == 0 {
		return open{}
	}
	return s.open[len(s.open)-1]
}

// last is the token so many before the present one.
func (s *survey) last(before int) *token.Token { return s.tokens[len(s.tokens)-1-before] }

// close ends the mappings that stand right of a column.
func (s *survey) close(column int) {
	for s.top().column > column {
		s.open = s.open[:len(s.open)-1]
	}
}

// size counts what takes the parser more than proportional time.
func (s *survey) size(t *token.Token) error {
	if s.leftOut(t) {
		s.left++
	}
	if s.paths += s.top().bytes; s.paths > maxPathWork {
		return s.errorf(t, "the keys above this value and others, of %d bytes, are too long for so many values",
			s.top().bytes)
	}
	if t.Type != token.MappingValueType || len(s.tokens) == 1 {
		return nil
	}
	key := s.last(1)
	if s.brackets == 0 {
		column := max(key.Position.Column, 1)
		s.close(column)
		if s.top().column != column {
			s.open = append(s.open, open{column: column})
		}
		s.keys++
	}
	return s.key(key)
}

// key counts a key of the innermost mapping.
func (s *survey) key(key *token.Token) error {
	above := 0
	if len(s.open) > 1 {
		above = s.open[len(s.open)-2].bytes
	}
	m := &s.open[len(s.open)-1]
	m.bytes = above + len(key.Value) + 1
	if m.column == 0 {
		return nil
	}
	m.keys++
	switch {
	case m.keys > maxKeys:
		return s.errorf(key, "a mapping by indentation has at most %d keys; write it in braces, {a: 1, b: 2}", maxKeys)
	case s.keys > maxAllKeys:
		return s.errorf(key, "mappings by indentation have at most %d keys in all; write some in braces, {a: 1, b: 2}",
			maxAllKeys)
	}
	return nil
}

// leftOut says whether before t a value is missing, which the parser puts in.
func (s *survey) leftOut(t *token.Token) bool {
	if len(s.tokens) < 3 {
		return false
	}
	last, before := s.last(1), s.last(2)
	switch {
	case t.Type == token.CollectEntryType || t.Type == token.MappingEndType:
		empty := last.Type == token.MappingStartType || last.Type == token.CollectEntryType
		return last.Type == token.MappingValueType || s.top().braces && !empty && before.Type != token.MappingValueType
	case last.Type == token.SequenceEntryType:
		return t.Position.Line != last.Position.Line && t.Position.Column <= last.Position.Column
	case last.Type == token.MappingValueType && t.Position.Line != last.Position.Line:
		column := before.Position.Column
		return t.Position.Column < column || t.Position.Column == column && t.Type != token.SequenceEntryType
	}
	return false
}
