package strict

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/decimal"
)

// Setting is a value of a document: its path, such as train.lr, and its text.
type Setting struct{ Path, Text string }

// Settings returns the values of a document in order. Values in mappings are listed one
// by one; a list is one value, such as [1, 3]. Numbers are in Go's shortest form, which
// makes 1e-3 and 0.001 equal.
func (d *Document) Settings() []Setting { return d.root.settings(nil, "") }

func (n *node) settings(list []Setting, path string) []Setting {
	if n.kind != mapping {
		return append(list, Setting{path, n.plainText()})
	}
	for _, e := range n.entries {
		below := e.key
		if path != "" {
			below = path + "." + e.key
		}
		list = e.value.settings(list, below)
	}
	return list
}

// plainText returns a value on one line.
func (n *node) plainText() string {
	var parts []string
	switch n.kind {
	case mapping:
		for _, e := range n.entries {
			parts = append(parts, fmt.Sprintf("%s: %s", e.key, e.value.plainText()))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case sequence:
		for _, item := range n.items {
			parts = append(parts, item.plainText())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case plain:
		if x, err := decimal.Parse(n.text, 64); err == nil {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return n.text
}
