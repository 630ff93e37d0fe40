package strict

import "foretell/internal/decimal"

// GivesZero reports whether the value at path is a number equal to 0. A decoded struct
// does not show whether a 0 was given or the value was missing. The path is written as in
// error messages.
func (d *Document) GivesZero(path string) bool {
	n, ends := d.find(path)
	x, err := decimal.Parse(n.text, 64)
	return ends && n.kind == plain && err == nil && x == 0
}
