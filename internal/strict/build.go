package strict

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// build converts a node of the parser's tree. path leads to the node, at is the position
// that errors report for it, and depth is its nesting depth.
func (b builder) build(n ast.Node, at Position, path *trail, depth int) (*node, error) {
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
	case nil:
		return &node{kind: null, at: at}, nil
	default:
		return nil, b.errorf(n.GetToken(), "%s is not supported", n.Type())
	}
}

func (b builder) buildSequence(n *ast.SequenceNode, at Position, path *trail, depth int) (*node, error) {
	list := &node{kind: sequence, at: at}
	for i, value := range n.Values {
		item, err := b.build(value, b.position(startToken(value)), path.item(i), depth+1)
		if err != nil {
			return nil, err
		}
		list.items = append(list.items, item)
	}
	return list, nil
}

func (b builder) buildMapping(values []*ast.MappingValueNode, at Position, path *trail, depth int) (*node, error) {
	m := &node{kind: mapping, at: at}
	first := map[string]Position{} // first position of each key
	for _, value := range values {
		key, err := b.key(value.Key)
		if err != nil {
			return nil, err
		}
		keyPath, keyAt := path.key(key), b.position(value.Key.GetToken())
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
	default:
		return "", b.errorf(n.GetToken(), "a key is plain text, not %s", n.Type())
	}
}
