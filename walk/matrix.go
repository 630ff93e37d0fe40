package walk

import (
	"fmt"
	"math"
)

// Matrix is a Rows×Columns matrix, stored row by row. A vector is a matrix of one row.
type Matrix struct {
	Rows, Columns int
	Data          []float64
}

// newMatrix returns a matrix with the given numbers. It panics if their count does not
// match the shape.
func newMatrix(rows, columns int, data []float64) Matrix {
	if len(data) != rows*columns {
		panic(fmt.Sprintf("walk: %d numbers do not fill a %d×%d matrix", len(data), rows, columns))
	}
	return Matrix{rows, columns, data}
}

// zeros returns a matrix of zeros.
func zeros(rows, columns int) Matrix {
	return Matrix{rows, columns, make([]float64, rows*columns)}
}

// scalar returns a matrix of one number.
func scalar(x float64) Matrix { return Matrix{1, 1, []float64{x}} }

// At returns the number in row i and column j.
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Columns+j] }

// Row returns row i, which shares memory with m.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Columns : (i+1)*m.Columns] }

// Norm returns the Frobenius norm. It ignores the −∞ entries of a mask.
func (m Matrix) Norm() float64 {
	norm := 0.0
	for _, x := range m.Data {
		if !math.IsInf(x, -1) {
			norm = math.Hypot(norm, x)
		}
	}
	return norm
}

// rowsFrom returns the rows [from, to), which share memory with m.
func (m Matrix) rowsFrom(from, to int) Matrix {
	return Matrix{to - from, m.Columns, m.Data[from*m.Columns : to*m.Columns]}
}

// transpose returns mᵀ.
func (m Matrix) transpose() Matrix {
	t := zeros(m.Columns, m.Rows)
	for i := range m.Rows {
		for j := range m.Columns {
			t.Data[j*m.Rows+i] = m.At(i, j)
		}
	}
	return t
}

// apply applies f to each number.
func (m Matrix) apply(f func(float64) float64) Matrix {
	out := zeros(m.Rows, m.Columns)
	for i, x := range m.Data {
		out.Data[i] = f(x)
	}
	return out
}

// reduce returns a column with f of each row.
func (m Matrix) reduce(f func(row []float64) float64) Matrix {
	out := zeros(m.Rows, 1)
	for i := range m.Rows {
		out.Data[i] = f(m.Row(i))
	}
	return out
}

// combine applies f to corresponding numbers of a and b. A single row or column is
// repeated to match the other matrix.
func combine(a, b Matrix, f func(x, y float64) float64) Matrix {
	out := zeros(max(a.Rows, b.Rows), max(a.Columns, b.Columns))
	for _, m := range []Matrix{a, b} {
		if m.Rows != 1 && m.Rows != out.Rows || m.Columns != 1 && m.Columns != out.Columns {
			panic(fmt.Sprintf("walk: cannot combine a %d×%d and a %d×%d matrix", a.Rows, a.Columns, b.Rows, b.Columns))
		}
	}
	for i := range out.Rows {
		for j := range out.Columns {
			out.Data[i*out.Columns+j] = f(
				a.At(min(i, a.Rows-1), min(j, a.Columns-1)),
				b.At(min(i, b.Rows-1), min(j, b.Columns-1)))
		}
	}
	return out
}

// multiply returns a·b.
func multiply(a, b Matrix) Matrix {
	if a.Columns != b.Rows {
		panic(fmt.Sprintf("walk: cannot multiply a %d×%d by a %d×%d matrix", a.Rows, a.Columns, b.Rows, b.Columns))
	}
	out := zeros(a.Rows, b.Columns)
	for i := range a.Rows {
		row := out.Row(i)
		for k, x := range a.Row(i) {
			for j, y := range b.Row(k) {
				row[j] += x * y
			}
		}
	}
	return out
}

// The result is one matrix with the given matrices side by side.
func beside(list []Matrix) Matrix {
	columns := 0
	for _, m := range list {
		columns += m.Columns
	}
	out := zeros(list[0].Rows, columns)
	for i := range out.Rows {
		row := out.Row(i)[:0]
		for _, m := range list {
			row = append(row, m.Row(i)...)
		}
	}
	return out
}
