package strict

import "foretell/internal/decimal"

// GivesZero reports whether the document has a number at path, in the syntax of error
// messages, that is 0. A struct with defaults cannot distinguish it from a missing value.
func (d *Document) GivesZero(path string) bool {
	steps, err := splitPath(path)
	if err != nil {
		return false
	}
	n := d.root
	for _, s := range steps {
		if n = s.in(n); n == nil {
			return false
		}
	}
	x, err := decimal.Parse(n.text, 64)
	return n.kind == plain && err == nil && x == 0
}
