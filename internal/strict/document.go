package strict

import (
	"fmt"
	"strconv"
)

// Position is where a value was given: a place in a file, or an assignment.
type Position struct {
	Name   string // the file's name, or the assignment: train.lr=1e-3
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
func quote(s string) string { return strconv.Quote(shorten(s, 60)) }

// shorten cuts s after so many characters, and says so.
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
