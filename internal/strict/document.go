package strict

import (
	"fmt"
	"strconv"
	"strings"
)

// Position is where a value was given: a place in a file, or an assignment.
type Position struct {
	Name   string // the file's name, or the whole assignment: train.lr=1e-3
	Line   int    // from 1; 0 for an assignment
	Column int    // from 1, in characters; 0 for an assignment
}

// String returns name:line:column, or the assignment.
func (p Position) String() string {
	if p.Line == 0 {
		return p.Name
	}
	return fmt.Sprintf("%s:%d:%d", p.Name, p.Line, p.Column)
}

// Document is a parsed configuration that still knows where each of its values was given.
type Document struct {
	root *node
}

// node is a value of the document. Its position is that of its key when it has one.
type node struct {
	kind    kind
	at      Position
	text    string  // of plain and quoted scalars
	entries []entry // of a mapping, in the order given
	items   []*node // of a sequence
}

type entry struct {
	key   string
	value *node
}

type kind int

const (
	null     kind = iota // nothing, ~ or null
	plain                // a scalar without quotes, whose meaning depends on the type wanted
	quoted               // a scalar that can only be text
	mapping              // key: value
	sequence             // a list
)

// describe names the node in an error message.
func (n *node) describe() string {
	switch n.kind {
	case null:
		return "nothing"
	case mapping:
		return "a mapping"
	case sequence:
		return "a list"
	default:
		return quote(n.text)
	}
}

// quote quotes s on one line and shortens it when it is long.
func quote(s string) string {
	const longest = 60
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest]) + "…"
	}
	return strconv.Quote(s)
}

// child returns the value of key in a mapping, or nil.
func (n *node) child(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// Unmarshal reads the YAML document data into v, a pointer, whose present contents are
// the defaults. It is [Parse] followed by [Document.Decode]; name, the file's name,
// begins each error.
func Unmarshal(name string, data []byte, v any) error {
	document, err := Parse(name, data)
	if err != nil {
		return err
	}
	return document.Decode(v)
}

// Locate returns where the value at path was given, or, when it was not given, the
// innermost value around its place. A path is written as in the error messages:
// train.lr, train.betas[1]. What is no path is located at the document's beginning.
func (d *Document) Locate(path string) Position {
	n := d.root
	steps, err := splitPath(path)
	if err != nil {
		return n.at
	}
	for _, s := range steps {
		next := s.in(n)
		if next == nil {
			break
		}
		n = next
	}
	return n.at
}

// step is one part of a path: a key or an index.
type step struct {
	key   string
	index int // −1 for a key
}

// in returns what the step leads to from n, or nil.
func (s step) in(n *node) *node {
	switch {
	case s.index < 0:
		return n.child(s.key)
	case s.index < len(n.items):
		return n.items[s.index]
	default:
		return nil
	}
}

// splitPath reads a path such as a.b[1].c.
func splitPath(path string) ([]step, error) {
	invalid := fmt.Errorf("%s is not a path; write train.lr or train.betas[1]", quote(path))
	var steps []step
	for _, part := range strings.Split(path, ".") {
		key, indices, indexed := strings.Cut(part, "[")
		if key == "" {
			return nil, invalid
		}
		steps = append(steps, step{key: key, index: -1})
		if !indexed {
			continue
		}
		indices, closed := strings.CutSuffix(indices, "]")
		if !closed {
			return nil, invalid
		}
		for _, digits := range strings.Split(indices, "][") {
			index, err := strconv.ParseUint(digits, 10, 31)
			if err != nil {
				return nil, invalid
			}
			steps = append(steps, step{index: int(index)})
		}
	}
	return steps, nil
}

// joinKey extends the path by a key, quoting a key that would not read as one.
func joinKey(path, key string) string {
	special := func(r rune) bool { return !strconv.IsPrint(r) || strings.ContainsRune(".[] \"", r) }
	if key == "" || strings.ContainsFunc(key, special) {
		key = quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// joinIndex extends the path by an index.
func joinIndex(path string, index int) string {
	return fmt.Sprintf("%s[%d]", path, index)
}
