package linalg

import "testing"

// A space has as many dimensions as columns were outside it, and columns of zeros and
// sums of earlier ones are inside.
func TestSpan(t *testing.T) {
	s := Span{Least: 1e-12}
	for i, c := range []struct {
		column  []float64
		outside bool
	}{
		{[]float64{0, 0, 0}, false},
		{[]float64{1, 1, 0}, true},
		{[]float64{-2, -2, 0}, false},
		{[]float64{1, 0, 1e-9}, true},
		{[]float64{5, 3, 2e-9}, false},
		{[]float64{0, 0, 7}, true},
		{[]float64{1, 2, 3}, false},
	} {
		if got := s.Add(c.column); got != c.outside {
			t.Errorf("column %d, %v, is outside: %v", i, c.column, got)
		}
	}
	for i, a := range s.Basis {
		for j, b := range s.Basis {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := VecMul([]float64{0}, a, b)[0]; got < want-1e-15 || got > want+1e-15 {
				t.Errorf("columns %d and %d of the basis have the product %g", i, j, got)
			}
		}
	}
}

// A product with a column is that of a row with the transposed matrix.
func TestMulVec(t *testing.T) {
	a, v := numbers(9), numbers(12)[9:]
	transposed := make([]float64, 9)
	for k, x := range a {
		transposed[k%3*3+k/3] = x
	}
	want := VecMul(make([]float64, 3), v, transposed)
	for i, x := range MulVec(a, v) {
		if x != want[i] {
			t.Errorf("entry %d is %g, want %g", i, x, want[i])
		}
	}
}
