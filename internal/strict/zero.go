package strict

import "foretell/internal/decimal"

// GivesZero says whether the document gives a number at path, written as in the error
// messages, and that is 0: what a struct with defaults takes for left out.
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
