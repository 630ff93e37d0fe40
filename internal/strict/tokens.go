package strict

import (
	"strings"

	"github.com/goccy/go-yaml/token"
)

// Limits on constructs for which the parser library needs superlinear time. Its scanner
// searches the rest of the line for each tab in quotes, searches the rest of the row for
// each < in a row of them, and copies a block text for each empty line after it. Its
// parser copies the mapping for each key of a block mapping, copies the remaining tokens
// for each missing value, and copies the keys above each value. Within these limits, a
// document is read or refused in about a second.
const (
	maxTabWork   = 1 << 27  // tabs times the length of their lines in characters
	maxLess      = 1 << 10  // consecutive <
	maxEmptyWork = 1 << 26  // consecutive empty lines times the length of the document in characters
	maxKeys      = 4 << 10  // keys of one block mapping
	maxAllKeys   = 64 << 10 // keys of all block mappings
	maxLeftWork  = 1 << 28  // missing values times the tokens of the document
	maxPathWork  = 1 << 27  // tokens times the length of the keys above them in characters
)

// checkLines refuses text that would keep the scanner busy for long.
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
			return b.errorInLine(i+1, `%d tabs in a line of %d bytes; write spaces, or \t within double quotes`,
				tabs, len(line))
		case empty > 1 && empty*length > maxEmptyWork:
			return b.errorInLine(i+1, "%d empty lines in a row, at most %d in a document of this length",
				empty, maxEmptyWork/length)
		case len(line) > maxLess && strings.Contains(line, less):
			return b.errorInLine(i+1, "more than %d < in a row", maxLess)
		}
	}
	return nil
}

// survey collects facts about a document from its tokens, up to the current one.
type survey struct {
	builder
	lines        []string
	cursor       cursor       // position in the lines
	tokens       token.Tokens // without comments
	directive    int          // the line of the last directive
	begun, ended bool         // whether the first document has begun, or ended
	dashes       int          // consecutive nested lists that begin on a line
	open         []open       // block mappings and brackets
	brackets     int          // number of brackets in open
	keys, left   int          // keys of block mappings, and missing values
	paths        int          // total length of the keys above each token
	misread      error        // error about the first token that the library misreads
}

// check refuses constructs that are unsupported or would keep the parser busy for long,
// and records what the library misreads.
func (s *survey) check(tokens token.Tokens) error {
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType:
			continue
		case token.InvalidType:
			return nil // the parser reports that first
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
		return s.errorf(nil, "%d values are missing, at most %d in a document of this length; write null", s.left, most)
	}
	return nil
}

// open is a block mapping or a pair of brackets that has not ended.
type open struct {
	column int  // 0 for brackets
	braces bool // whether the brackets are braces
	keys   int  // number of keys so far
	bytes  int  // length of the current key and the keys above it
}

// unread returns an error for a construct that this package does not support.
func (s *survey) unread(t *token.Token) error {
	switch t.Type {
	case token.AnchorType, token.AliasType:
		return s.errorf(t, "anchors and aliases (& and *) are not supported; write the value out, "+
			"or quote it when it is text")
	case token.TagType:
		return s.errorf(t, "tags (!) are not supported; write the value alone, or quote it when it is text")
	case token.MergeKeyType:
		return s.errorf(t, "merge keys (<<) are not supported; write the keys out")
	case token.MappingKeyType:
		return s.errorf(t, "a key must be plain text, without a question mark before it")
	}
	return nil
}

// document returns an error for anything after the first document.
func (s *survey) document(t *token.Token) error {
	if s.ended || s.begun && t.Type == token.DocumentHeaderType {
		return s.errorf(t, "a second document begins here; only one is allowed")
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

// nesting returns an error for text that is nested too deeply.
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

// top returns the innermost open block mapping or pair of brackets, or a zero value.
func (s *survey) top() open {
	if len(s.open) == 0 {
		return open{}
	}
	return s.open[len(s.open)-1]
}

// last returns the token at the given distance before the current one.
func (s *survey) last(before int) *token.Token { return s.tokens[len(s.tokens)-1-before] }

// close removes the mappings that begin to the right of a column from s.open.
func (s *survey) close(column int) {
	for s.top().column > column {
		s.open = s.open[:len(s.open)-1]
	}
}

// size counts constructs for which the parser needs superlinear time, and returns an
// error if there are too many.
func (s *survey) size(t *token.Token) error {
	if s.leftOut(t) {
		s.left++
	}
	if s.paths += s.top().bytes; s.paths > maxPathWork {
		return s.errorf(t, "the keys that enclose this value have %d bytes in total, "+
			"too many for a document with many values", s.top().bytes)
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

// key counts a key of the innermost mapping, and returns an error if there are too many.
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
		return s.errorf(key, "a mapping by indentation has at most %d keys; write it in braces, {a: 1, b: 2}",
			maxKeys)
	case s.keys > maxAllKeys:
		return s.errorf(key, "mappings by indentation have at most %d keys in all; write some in braces, {a: 1, b: 2}",
			maxAllKeys)
	}
	return nil
}

// leftOut reports whether a value is missing before t; the parser then inserts null.
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
