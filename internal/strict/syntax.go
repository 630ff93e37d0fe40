package strict

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// syntax converts an error of the library to an error with a position on one line.
func (b builder) syntax(load *yaml.LoadError) error {
	at, load := b.place(load)
	message := load.Message + " " + load.ContextMsg
	switch {
	case load.Message == tooDeep:
		message = tooDeep
	case strings.HasPrefix(load.Message, "unknown anchor"):
		message = noAnchors
	case b.character(at.Line, at.Column) == '\t':
		message = "indented with a tab; YAML needs spaces"
	case strings.HasPrefix(load.ContextMsg, "while parsing a flow") && b.character(at.Line, at.Column-1) == ':':
		message = "a space is missing after the colon"
	}
	return b.errorf(at.Line, at.Column, "%s", message)
}

// place returns the position of a mistake and the error that describes it best. The
// position is the beginning of a key without its colon, or of a text, list or mapping
// without its end, rather than the place where the library noticed it.
func (b builder) place(load *yaml.LoadError) (yaml.Mark, *yaml.LoadError) {
	above, unfinished := b.above(load.Mark.Line)
	switch {
	case b.isOpen(load, load.Mark.Line):
		return load.ContextMark, load
	case unfinished != nil && b.isOpen(unfinished, load.Mark.Line):
		return unfinished.ContextMark, unfinished
	case b.atEnd(load.Mark):
		return b.end(), load
	case load.Message != "mapping values are not allowed in this context":
		return load.Mark, load
	}
	before := string(b.lines[load.Mark.Line-1][:load.Mark.Column-1])
	if text := lastText(above); text != nil && !strings.Contains(before, ": ") {
		return yaml.Mark{Line: text.Line, Column: text.Column}, load // it continues until this colon
	}
	return load.Mark, load
}

// above returns the document in the lines above a line as the library reads it, and its
// error.
func (b builder) above(line int) (*yaml.Node, *yaml.LoadError) {
	var text strings.Builder
	for _, above := range b.lines[:min(line-1, len(b.lines))] {
		text.WriteString(string(above))
		text.WriteByte('\n')
	}
	document, err := b.load(text.String())
	var load *yaml.LoadError
	errors.As(err, &load)
	return document, load
}

// lastText returns the text without quotes or brackets at the end of a document, or nil.
func lastText(n *yaml.Node) *yaml.Node {
	for n != nil && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0 {
		n = n.Content[len(n.Content)-1]
	}
	if n == nil || n.Kind != yaml.ScalarNode || n.Style != 0 || isEmpty(n) {
		return nil
	}
	return n
}

// isOpen reports whether an error is about a key without a colon, or about a text in
// quotes or something in brackets that has no end, because the lines until another line
// cannot belong to it.
func (b builder) isOpen(load *yaml.LoadError, line int) bool {
	switch load.ContextMsg {
	case "while scanning a simple key":
		return true
	case "while scanning a quoted scalar", "while parsing a flow sequence", "while parsing a flow mapping":
		return b.atEnd(load.Mark) || b.leaves(load.ContextMark.Line, line)
	}
	return false
}

// atEnd reports whether a position is behind the last character.
func (b builder) atEnd(at yaml.Mark) bool {
	end := b.end()
	return at.Line > end.Line || at.Line == end.Line && at.Column > end.Column
}

// leaves reports whether something that begins on one line and lasts until another has
// lines that are not indented further than the first, as lines within it should be.
func (b builder) leaves(from, to int) bool {
	for line := from + 1; line <= min(to, len(b.lines)); line++ {
		column := b.indentation(line) + 1
		switch b.character(line, column) {
		case 0, '#', ']', '}':
			continue
		}
		if column <= b.indentation(from)+1 {
			return true
		}
	}
	return false
}

// indentation returns the number of spaces at the beginning of a line.
func (b builder) indentation(line int) int {
	spaces := 0
	for b.character(line, spaces+1) == ' ' {
		spaces++
	}
	return spaces
}

// end returns the position of the last character that is not blank.
func (b builder) end() yaml.Mark {
	for line := len(b.lines); line > 0; line-- {
		for column := len(b.lines[line-1]); column > 0; column-- {
			if c := b.character(line, column); c != ' ' && c != '\t' {
				return yaml.Mark{Line: line, Column: column}
			}
		}
	}
	return yaml.Mark{Line: 1, Column: 1}
}

// character returns the character at a line and a column, or 0 outside the text.
func (b builder) character(line, column int) rune {
	if line < 1 || line > len(b.lines) || column < 1 || column > len(b.lines[line-1]) {
		return 0
	}
	return b.lines[line-1][column-1]
}
