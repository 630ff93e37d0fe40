package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The sums of rows that come in blocks are those of the textbook, and those of blocks
// of another depth to the bit.
func TestGramAgainstTextbook(t *testing.T) {
	for _, n := range []int{1, 7, 8, 31, 67} {
		const rows = 50
		r := newRand(5)
		x, weights := normals[float64](r, rows*n), make([]float64, rows)
		wantSum, want := make([]float64, n), make([]float64, n*n)
		for k := range rows {
			weights[k] = r.Float64()
			for i, xi := range x[k*n:][:n] {
				wantSum[i] += weights[k] * xi
				for j, xj := range x[k*n:][:n] {
					want[i*n+j] += weights[k] * xi * xj
				}
			}
		}
		var first []float64
		for _, depth := range []int{1, 8, 13, rows} {
			sum, c, z := make([]float64, n), make([]float64, n*n), make([]float64, PanelsLen(depth, n))
			for k := range rows {
				GramRow(z, depth, k%depth, sum, x[k*n:][:n], weights[k])
				if k%depth == depth-1 || k == rows-1 {
					Gram(c, n, z, depth, k%depth+1, n)
				}
			}
			if first == nil {
				first = slices.Clone(c)
			}
			for i := range n {
				wantClose(t, fmt.Sprintf("row %d of n = %d", i, n), c[i*n+i:(i+1)*n], want[i*n+i:(i+1)*n], 1e-13)
				if !slices.Equal(c[i*n+i:(i+1)*n], first[i*n+i:(i+1)*n]) {
					t.Errorf("n = %d: blocks of %d rows have other bits", n, depth)
				}
			}
			wantClose(t, "sum", sum, wantSum, 1e-13)
		}
	}
}

// A multiply-add rounds once: 1 − 2⁻⁶⁰ is neither 1 nor lost beside −1.
func TestGramRoundsOnce(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, isa = range isas {
		z, c := make([]float64, PanelsLen(1, 16)), make([]float64, 16*16)
		z[0], z[8], c[8] = 1+0x1p-30, 1-0x1p-30, -1
		Gram(c, 16, z, 1, 1, 16)
		if c[8] != -0x1p-60 || math.Signbit(c[0]) {
			t.Errorf("on %v: %g, want %g", isa, c[8], -0x1p-60)
		}
	}
}

func TestGramPanics(t *testing.T) {
	x := make([]float64, 64)
	wantPanic(t, "rows", func() { Gram(x, 2, x, 3, 4, 2) })
	wantPanic(t, "C", func() { Gram(x[:3], 2, x, 3, 3, 2) })
	wantPanic(t, "Z", func() { Gram(x, 2, x[:23], 3, 3, 2) })
	wantPanic(t, "row", func() { GramRow(x, 3, 3, x[:2], x[2:4], 1) })
	wantPanic(t, "sum", func() { GramRow(x, 3, 1, x[:3], x[2:4], 1) })
	wantPanic(t, "short Z", func() { GramRow(x[:23], 3, 1, x[:2], x[2:4], 1) })
}

// BenchmarkGram's share is of the peak of float64, half of that of float32.
func BenchmarkGram(b *testing.B) {
	for _, n := range []int{67, 131, 576, 579} {
		const rows = 96
		z, c := normals[float64](newRand(1), PanelsLen(rows, n)), make([]float64, n*n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				for b.Loop() {
					Gram(c, n, z, rows, rows, n)
				}
				reportRate(b, rows*float64(n)*float64(n+1), peak(b)/2)
			})
		})
	}
}
