package strict

import (
	"strconv"
	"strings"
)

// Value is a value of any form, kept as YAML on one line. Assigning the text by
// [Document.Set] gives an equal value. A field of this type accepts any value.
type Value struct {
	Text string
	Form Form
}

// Values reads a list of values separated by commas, such as 1e-3, 3e-3 or [1, 2], [3],
// from the right side of an assignment. The errors of the list begin with name.
func Values(name, list string) ([]Value, error) {
	if strings.HasPrefix(list, "@") { // the name of a file, as in Document.Set
		list = strconv.Quote(list)
	}
	parsed, err := builder{name: nameOf(name)}.parse("[" + list + "]")
	if err != nil {
		return nil, err
	}
	values := []Value{}
	for _, item := range parsed.items {
		values = append(values, item.value())
	}
	return values, nil
}

func (n *node) value() Value {
	var text strings.Builder
	n.writeFlow(&text)
	return Value{text.String(), n.form()}
}

// writeFlow writes a node as YAML on one line. Numbers are in Go's shortest form, as in
// [Document.Settings].
func (n *node) writeFlow(out *strings.Builder) {
	switch n.kind {
	case mapping:
		out.WriteByte('{')
		for i, e := range n.entries {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(strconv.Quote(e.key) + ": ")
			e.value.writeFlow(out)
		}
		out.WriteByte('}')
	case sequence:
		out.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				out.WriteString(", ")
			}
			item.writeFlow(out)
		}
		out.WriteByte(']')
	case quoted:
		out.WriteString(strconv.Quote(n.text))
	case null:
		out.WriteString("null")
	default:
		if isText, bare := n.form() == Text, bareText(n.text); isText && !bare {
			out.WriteString(strconv.Quote(n.text))
			return
		}
		out.WriteString(n.plainText())
	}
}

// bareText reports whether a text needs no quotes anywhere in YAML.
func bareText(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./") == ""
}

// Clone returns a copy of the document; [Document.Set] on one does not affect the other.
func (d *Document) Clone() *Document { return &Document{d.root.clone()} }

func (n *node) clone() *node {
	copied := *n
	if n.entries != nil {
		copied.entries = make([]entry, len(n.entries))
		for i, e := range n.entries {
			copied.entries[i] = entry{e.key, e.value.clone()}
		}
	}
	if n.items != nil {
		copied.items = make([]*node, len(n.items))
		for i, item := range n.items {
			copied.items[i] = item.clone()
		}
	}
	return &copied
}

// Take removes a key from the document's outer mapping and returns its value as
// another document, whose positions are still in the file. It returns nil if the
// document does not have the key.
func (d *Document) Take(key string) *Document {
	for i, e := range d.root.entries {
		if e.key == key {
			rest := append([]entry(nil), d.root.entries[:i]...)
			d.root.entries = append(rest, d.root.entries[i+1:]...)
			return &Document{e.value}
		}
	}
	return nil
}
