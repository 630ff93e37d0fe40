package strict

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// build converts a node of the library's tree. path leads to the node, at is the position
// that errors report for it, and depth is its nesting depth.
func (b builder) build(n *yaml.Node, at Position, path *trail, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, b.errorf(n.Line, n.Column, "%s", tooDeep)
	}
	if err := b.unread(n); err != nil {
		return nil, err
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		return b.buildSequence(n, at, path, depth)
	case n.Kind == yaml.MappingNode:
		return b.buildMapping(n, at, path, depth)
	case n.Style != 0:
		return &node{kind: quoted, at: at, text: n.Value}, nil
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return &node{kind: null, at: at}, nil
	}
	return &node{kind: plain, at: at, text: n.Value}, nil
}

// unread returns an error for a construct that this package does not support.
func (b builder) unread(n *yaml.Node) error {
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return b.errorf(n.Line, n.Column, noAnchors)
	case n.Style&yaml.TaggedStyle != 0 || n.Tag == "!": // a ! alone has no style
		return b.errorf(n.Line, n.Column, noTags)
	}
	return nil
}

func (b builder) buildSequence(n *yaml.Node, at Position, path *trail, depth int) (*node, error) {
	list := &node{kind: sequence, at: at}
	for i, value := range n.Content {
		item, err := b.build(value, b.position(value.Line, value.Column), path.item(i), depth+1)
		if err != nil {
			return nil, err
		}
		list.items = append(list.items, item)
	}
	return list, nil
}

func (b builder) buildMapping(n *yaml.Node, at Position, path *trail, depth int) (*node, error) {
	m := &node{kind: mapping, at: at}
	first := map[string]Position{} // first position of each key
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if err := b.checkKey(key); err != nil {
			return nil, err
		}
		if n.Style&yaml.FlowStyle != 0 && key.Style == 0 && isEmpty(value) && strings.Contains(key.Value, ":") {
			return nil, b.errorf(key.Line, key.Column,
				"%s has no value; write a space after the colon, or quote the key", quote(key.Value))
		}
		keyPath, keyAt := path.key(key.Value), b.position(key.Line, key.Column)
		if before, ok := first[key.Value]; ok {
			where := ""
			if b.inFile {
				where = fmt.Sprintf("; the first is on line %d", before.Line)
			}
			return nil, b.errorf(key.Line, key.Column, "%s: given twice%s", keyPath, where)
		}
		first[key.Value] = keyAt
		child, err := b.build(value, keyAt, keyPath, depth+1)
		if err != nil {
			return nil, err
		}
		m.entries = append(m.entries, entry{key.Value, child})
	}
	return m, nil
}

// checkKey returns an error for a key that is missing, not a scalar, or not supported.
func (b builder) checkKey(key *yaml.Node) error {
	if err := b.unread(key); err != nil {
		return err
	}
	switch {
	case key.Kind != yaml.ScalarNode:
		return b.errorf(key.Line, key.Column, "a key is plain text, not a mapping or a list")
	case key.Style == 0 && key.Value == "<<":
		return b.errorf(key.Line, key.Column, "merge keys (<<) are not supported; write the keys out")
	case isEmpty(key):
		return b.errorf(key.Line, key.Column, "a key is missing before the colon")
	case b.afterQuestionMark(key):
		return b.errorf(key.Line, key.Column, "a key must be plain text, without a question mark before it")
	}
	return nil
}

// afterQuestionMark reports whether a question mark precedes a key on its line.
func (b builder) afterQuestionMark(key *yaml.Node) bool {
	column := key.Column - 1
	for c := b.character(key.Line, column); c == ' ' || c == '\t'; c = b.character(key.Line, column) {
		column--
	}
	return b.character(key.Line, column) == '?'
}

// isEmpty reports whether nothing is written where a key or a value should be.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == ""
}
