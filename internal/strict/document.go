package strict

import (
	"fmt"
	"strconv"
)

// Position is the origin of a value: a place in a file, or an assignment from a command
// line.
type Position struct {
	Name   string // name of the file, or the assignment, such as train.lr=1e-3
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

// Document is a parsed configuration that records the position of each value.
type Document struct {
	root *node
}

// node is a value of the document. Its position is the position of its key, if it has
// one.
type node struct {
	kind    kind
	at      Position
	text    string  // text of a plain or quoted scalar
	entries []entry // entries of a mapping, in the order given
	items   []*node // items of a sequence
}

type entry struct {
	key   string
	value *node
}

type kind int

const (
	null     kind = iota // nothing, ~ or null
	plain                // a scalar without quotes; its meaning depends on the wanted type
	quoted               // a scalar that is always text
	mapping              // key: value
	sequence             // a list
)

// describe returns a description of the node for an error message.
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

// quote quotes s on one line, shortened if it is long.
func quote(s string) string { return strconv.Quote(shorten(s, 60)) }

// shorten cuts s after the given number of characters and marks the cut.
func shorten(s string, most int) string {
	for at := range s {
		if most == 0 {
			return s[:at] + "…"
		}
		most--
	}
	return s
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

// Unmarshal reads the YAML document data into v, a pointer to the defaults. It is [Parse]
// followed by [Document.Decode]. Errors begin with name, the file's name.
func Unmarshal(name string, data []byte, v any) error {
	document, err := Parse(name, data)
	if err != nil {
		return err
	}
	return document.Decode(v)
}

// Locate returns the position of the value at path. If the document does not have this
// value, it returns the position of the innermost mapping or list that would contain it.
// A path is written as in error messages: train.lr, train.betas[1]. For an invalid path,
// Locate returns the beginning of the document.
func (d *Document) Locate(path string) Position {
	n, _ := d.find(path)
	return n.at
}

// find returns the innermost value on a path, and whether the path ends there.
func (d *Document) find(path string) (n *node, ends bool) {
	n = d.root
	steps, err := splitPath(path)
	for _, s := range steps {
		next := s.in(n)
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, err == nil
}
