package strict

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxBytes is the largest length of a configuration.
const MaxBytes = 1 << 20

// maxDepth is the largest nesting depth of mappings and lists.
const maxDepth = 64

// Parse parses a YAML document. Errors and [Position]s begin with name, the file's name.
// An empty document is an empty mapping.
func Parse(name string, data []byte) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: %d bytes; a configuration has at most %d", name, len(data), MaxBytes)
	}
	root, err := builder{name: name, inFile: true}.parse(string(data))
	if err != nil {
		return nil, err
	}
	if root == nil {
		root = &node{kind: mapping, at: Position{Name: name, Line: 1, Column: 1}}
	}
	return &Document{root: root}, nil
}

// builder converts the parser's tree to nodes.
type builder struct {
	name   string // name of the file, or the assignment
	inFile bool   // whether positions have a line and a column
	depth  int    // depth at which the value will be inserted in another document, else 0
}

// position returns the position of a token.
func (b builder) position(t *token.Token) Position {
	if !b.inFile {
		return Position{Name: b.name}
	}
	if t == nil || t.Position == nil {
		return Position{Name: b.name, Line: 1, Column: 1}
	}
	return Position{Name: b.name, Line: max(t.Position.Line, 1), Column: max(t.Position.Column, 1)}
}

// errorf returns an error at the position of a token. It puts the message on one line.
func (b builder) errorf(t *token.Token, format string, arguments ...any) error {
	message := strings.Join(strings.Fields(fmt.Sprintf(format, arguments...)), " ")
	return &locatedError{at: b.position(t), message: message}
}

// errorInLine returns an error about a line.
func (b builder) errorInLine(line int, format string, arguments ...any) error {
	return b.errorf(&token.Token{Position: &token.Position{Line: line}}, format, arguments...)
}

// parse returns the tree of the only document in text, or nil if it is empty.
func (b builder) parse(text string) (*node, error) {
	if line, ok := invalidLine(text); ok {
		return nil, b.errorInLine(line, "not UTF-8 text")
	}
	text = lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff"))
	s := survey{builder: b, lines: strings.Split(text, "\n")}
	if err := b.checkLines(s.lines, len(text)); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(text)
	if err := s.check(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, b.syntax(err)
	}
	if s.misread != nil {
		return nil, s.misread
	}
	for _, document := range file.Docs { // at most one of them is not empty
		if body := document.Body; body != nil && body.Type() != ast.DirectiveType {
			return b.build(body, b.position(startToken(body)), nil, b.depth)
		}
	}
	return nil, nil
}

// lineBreaks normalises line breaks to line feeds, as YAML does.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// invalidLine returns the number of the first line that is not UTF-8; ok is false if
// there is no such line.
func invalidLine(text string) (line int, ok bool) {
	if utf8.ValidString(text) {
		return 0, false
	}
	for l := range strings.SplitSeq(text, "\n") {
		line++
		if !utf8.ValidString(l) {
			break
		}
	}
	return line, true
}

// startToken returns the first token of a node. For a block mapping, GetToken would
// return the first colon instead.
func startToken(n ast.Node) *token.Token {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken()
	}
	return n.GetToken()
}

// syntax converts an error of the parser to an error with a position on one line.
func (b builder) syntax(err error) error {
	var positioned yaml.Error
	if !errors.As(err, &positioned) {
		return b.errorf(nil, "%v", err)
	}
	message := positioned.GetMessage()
	if strings.Contains(message, "character '\t'") {
		message = "indented with a tab; YAML needs spaces"
	}
	return b.errorf(positioned.GetToken(), "%s", message)
}
