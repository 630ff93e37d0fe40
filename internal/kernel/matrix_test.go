package kernel

import (
	"fmt"
	"slices"
	"testing"
)

func TestTranspose(t *testing.T) {
	r := newRand(2)
	for _, s := range [][2]int{{0, 3}, {1, 1}, {5, 3}, {17, 64}, {64, 256}} {
		rows, cols := s[0], s[1]
		src := normals[float32](r, rows*(cols+2))
		dst := make([]float32, cols*(rows+1))
		Transpose(dst, rows+1, src, cols+2, rows, cols)
		for i := range rows {
			for j := range cols {
				if dst[j*(rows+1)+i] != src[i*(cols+2)+j] {
					t.Fatalf("%v: dst[%d,%d] is not src[%d,%d]", s, j, i, i, j)
				}
			}
		}
	}
}

func TestColumnSums(t *testing.T) {
	const rows, n, ld = 3, 2, 4
	y := []float32{11, 22, 9, 9, 13, 24, 9, 9, 15, 26}
	db := []float32{1, 1}
	ColumnSums(db, y, ld, rows, n)
	wantClose(t, "db", db, []float32{1 + 11 + 13 + 15, 1 + 22 + 24 + 26}, 0)
}

// AddTree is the loop of its comment for every number of terms, in either precision.
func TestAddTree(t *testing.T) {
	const n = 19
	for terms := range 20 {
		r := newRand(5)
		x, want := make([][]float32, terms), make([][]float32, terms)
		for i := range x {
			x[i] = normals[float32](r, n)
			want[i] = slices.Clone(x[i])
		}
		for d := 1; d < terms; d *= 2 {
			for j := 0; j+d < terms; j += 2 * d {
				for i := range n {
					want[j][i] += want[j+d][i]
				}
			}
		}
		AddTree(x)
		if terms > 0 {
			sameBits(t, fmt.Sprint(terms, " terms"), x[:1], want[:1])
		}
	}
}

func TestMatrixPanics(t *testing.T) {
	x := make([]float64, 6)
	wantPanic(t, "Add", func() { Add(x, x[1:]) })
	wantPanic(t, "Product", func() { Product(x, x, x[1:]) })
	wantPanic(t, "AddTree", func() { AddTree([][]float64{x, x[1:]}) })
	wantPanic(t, "ColumnSums", func() { ColumnSums(x[:3], x, 3, 3, 3) })
	wantPanic(t, "Transpose", func() { Transpose(x[:5], 2, x, 3, 2, 3) })
}
