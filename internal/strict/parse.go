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

const (
	maxBytes = 256 << 10 // no configuration is longer; the parser is quadratic in the number of keys
	maxDepth = 64        // nor nested more deeply; the parser is quadratic in the depth too
)

// Parse reads one YAML document; name, the file's name, begins each error and each
// [Position]. An empty document is an empty mapping.
func Parse(name string, data []byte) (*Document, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%s: %d bytes; a configuration has at most %d", name, len(data), maxBytes)
	}
	b := builder{name: name, inFile: true}
	root, err := b.parse(string(data))
	if err != nil {
		return nil, err
	}
	if root == nil {
		root = &node{kind: mapping, at: Position{Name: name, Line: 1, Column: 1}}
	}
	return &Document{root: root}, nil
}

// builder turns the parser's tree into ours.
type builder struct {
	name   string // of the file or flag
	inFile bool   // positions have a line and a column
}

// position returns where t stands.
func (b builder) position(t *token.Token) Position {
	if !b.inFile {
		return Position{Name: b.name}
	}
	if t == nil || t.Position == nil {
		return Position{Name: b.name, Line: 1, Column: 1}
	}
	return Position{Name: b.name, Line: max(t.Position.Line, 1), Column: max(t.Position.Column, 1)}
}

// errorf returns an error at t, kept on one line whatever the parser's message holds.
func (b builder) errorf(t *token.Token, format string, arguments ...any) error {
	message := strings.Join(strings.Fields(fmt.Sprintf(format, arguments...)), " ")
	return &locatedError{at: b.position(t), message: message}
}

// parse returns the tree of the only document in text, or nil when it is empty.
func (b builder) parse(text string) (*node, error) {
	if line, ok := invalidLine(text); ok {
		return nil, b.errorf(&token.Token{Position: &token.Position{Line: line}}, "not UTF-8 text")
	}
	tokens := lexer.Tokenize(strings.TrimPrefix(text, "\ufeff"))
	if err := b.checkDepth(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, b.syntax(err)
	}
	var body ast.Node
	for _, document := range file.Docs {
		if document.Body == nil || document.Body.Type() == ast.DirectiveType {
			continue
		}
		if body != nil {
			return nil, b.errorf(document.Start, "a second document begins here; one is expected")
		}
		body = document.Body
	}
	if body == nil {
		return nil, nil
	}
	return b.build(body, b.position(startToken(body)), "", 0)
}

// invalidLine returns the first line that is not UTF-8, if there is one.
func invalidLine(text string) (line int, ok bool) {
	for i, l := range strings.Split(text, "\n") {
		if !utf8.ValidString(l) {
			return i + 1, true
		}
	}
	return 0, false
}

// startToken returns the first token of a node; the one that the parser keeps for a
// block mapping is its first colon.
func startToken(n ast.Node) *token.Token {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken()
	}
	return n.GetToken()
}

// checkDepth refuses text that nests too deeply before the parser sees it.
func (b builder) checkDepth(tokens token.Tokens) error {
	flow, entries := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		}
		// "- - -" opens a list for each dash, and so does "? ? ?" a mapping for each
		// question mark.
		if t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType {
			entries++
		} else {
			entries = 0
		}
		if flow > maxDepth || entries > maxDepth {
			return b.errorf(t, "nested more than %d levels deep", maxDepth)
		}
	}
	return nil
}

// syntax rewords an error of the parser.
func (b builder) syntax(err error) error {
	var positioned yaml.Error
	if !errors.As(err, &positioned) {
		return b.errorf(nil, "%v", err)
	}
	message := positioned.GetMessage()
	if strings.Contains(message, "character '\t'") {
		message = "indented with a tab; YAML wants spaces"
	}
	return b.errorf(positioned.GetToken(), "%s", message)
}

// build converts the node at path, which is said to stand at at.
func (b builder) build(n ast.Node, at Position, path string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, b.errorf(n.GetToken(), "nested more than %d levels deep", maxDepth)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &node{kind: null, at: at}, nil
	case *ast.LiteralNode:
		return &node{kind: quoted, at: at, text: n.Value.Value}, nil
	case *ast.StringNode:
		if t := n.GetToken().Type; t == token.SingleQuoteType || t == token.DoubleQuoteType {
			return &node{kind: quoted, at: at, text: n.Value}, nil
		}
		return &node{kind: plain, at: at, text: n.Value}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return &node{kind: plain, at: at, text: n.GetToken().Value}, nil
	case *ast.SequenceNode:
		return b.buildSequence(n, at, path, depth)
	case *ast.MappingNode:
		return b.buildMapping(n.Values, at, path, depth)
	case *ast.MappingValueNode:
		return b.buildMapping([]*ast.MappingValueNode{n}, at, path, depth)
	case *ast.AnchorNode, *ast.AliasNode:
		return nil, b.errorf(n.GetToken(), "anchors and aliases (& and *) are not read here; write the value out, "+
			"or quote it when it is text")
	case *ast.TagNode:
		return nil, b.errorf(n.GetToken(), "tags (!) are not read here; write the value alone, or quote it when it is text")
	case nil:
		return &node{kind: null, at: at}, nil
	default:
		return nil, b.errorf(n.GetToken(), "%s is not read here", n.Type())
	}
}

func (b builder) buildSequence(n *ast.SequenceNode, at Position, path string, depth int) (*node, error) {
	list := &node{kind: sequence, at: at}
	for i, value := range n.Values {
		item, err := b.build(value, b.position(startToken(value)), joinIndex(path, i), depth+1)
		if err != nil {
			return nil, err
		}
		list.items = append(list.items, item)
	}
	return list, nil
}

func (b builder) buildMapping(values []*ast.MappingValueNode, at Position, path string, depth int) (*node, error) {
	m := &node{kind: mapping, at: at}
	first := map[string]Position{} // where each key was given
	for _, value := range values {
		key, err := b.key(value.Key)
		if err != nil {
			return nil, err
		}
		keyPath, keyAt := joinKey(path, key), b.position(value.Key.GetToken())
		if before, ok := first[key]; ok {
			where := ""
			if b.inFile {
				where = fmt.Sprintf("; the first is on line %d", before.Line)
			}
			return nil, b.errorf(value.Key.GetToken(), "%s: given twice%s", keyPath, where)
		}
		first[key] = keyAt
		child, err := b.build(value.Value, keyAt, keyPath, depth+1)
		if err != nil {
			return nil, err
		}
		m.entries = append(m.entries, entry{key, child})
	}
	return m, nil
}

// key returns the text of a mapping's key.
func (b builder) key(n ast.MapKeyNode) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	case *ast.MergeKeyNode:
		return "", b.errorf(n.GetToken(), "merge keys (<<) are not read here; write the keys out")
	default:
		return "", b.errorf(n.GetToken(), "a key is plain text, not %s", n.Type())
	}
}
