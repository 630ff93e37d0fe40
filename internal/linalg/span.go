package linalg

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Span is a space of columns of one length, represented by an orthonormal basis. It
// begins as the space of zero.
type Span struct {
	Least float64     // a column is outside if its residual exceeds this fraction of its length
	Basis [][]float64 // orthonormal columns
}

// Add adds a column to the space and reports whether it was outside. It does not keep
// the column.
func (s *Span) Add(column []float64) bool {
	v := slices.Clone(column)
	for range 2 { // twice is enough for orthogonality up to rounding
		for _, b := range s.Basis {
			floats.AddScaled(v, -floats.Dot(b, v), b)
		}
	}
	rest := floats.Norm(v, 2)
	if rest <= s.Least*floats.Norm(column, 2) {
		return false
	}
	floats.Scale(1/rest, v)
	s.Basis = append(s.Basis, v)
	return true
}
