package kernel

import (
	"fmt"
	"math"
)

// Σw·z and Σw·zᵀz, the ingredients of the second moments in an analysis. Rows are
// collected in panels of 8 columns; a panel stores its rows consecutively: element (r,j)
// of Z (depth,n) is z[(j/8)·8·depth + 8·r + j%8]. A kernel therefore reads a panel
// sequentially. In a wide row-major matrix each row would be on a different page.

// panelWidth is the number of columns of a panel, and the number of rows of Gram's tiles.
const panelWidth = 8

// PanelsLen returns the length of a slice for the panels of depth rows of n elements.
func PanelsLen(depth, n int) int { return (n + panelWidth - 1) / panelWidth * panelWidth * depth }

// GramRow stores √w·x in row r of the panels z (depth,n), and adds w·x to sum (n), where
// x has n elements:
//
//	Z[r,j] = √w·x[j];  sum[j] += w·x[j]
func GramRow(z []float64, depth, r int, sum, x []float64, w float64) {
	if r < 0 || r >= depth {
		panic(fmt.Sprintf("kernel: GramRow: row %d is outside the panels, which have %d rows", r, depth))
	}
	checkSame("GramRow: sum", len(sum), len(x))
	checkLen("GramRow: Z", len(z), PanelsLen(depth, len(x)))
	root := math.Sqrt(w)
	for j := gramRowFast(z, depth, r, sum, x, root, w); j < len(x); j++ {
		z[j/panelWidth*panelWidth*depth+panelWidth*r+j%panelWidth] = root * x[j]
		sum[j] += float64(w * x[j])
	}
}

// Gram adds Zᵀ·Z to the upper triangle of C (n,n). Z consists of the first rows of the
// panels z (depth,n); their number is the argument rows. Each element is one chain
//
//	c = C[i,j];  for r = 0 … rows−1:  c = fma(Z[r,i], Z[r,j], c)
//
// The bits do not depend on how rows are divided among calls. Unlike other float64
// kernels, a multiply-add rounds once: rounding twice would halve the speed. In 8×8
// blocks on the diagonal, the elements below the diagonal are computed, too.
func Gram(c []float64, ldc int, z []float64, depth, rows, n int) {
	if rows < 0 || rows > depth {
		panic(fmt.Sprintf("kernel: Gram: cannot add %d rows: the panels have %d", rows, depth))
	}
	if rows == 0 || n == 0 {
		return
	}
	checkMatrix("Gram: C", len(c), n, n, ldc)
	checkLen("Gram: Z", len(z), PanelsLen(depth, n))
	if widest := gramWidest(); widest > 0 {
		gramTiles(widest, c, ldc, z, depth, rows, n)
		return
	}
	for i := 0; i < n; i += panelWidth {
		for j := i; j < n; j += panelWidth {
			gramLoop(min(panelWidth, n-i), min(panelWidth, n-j), rows, z[i*depth:], z[j*depth:], c[i*ldc+j:], ldc)
		}
	}
}

// gramLoop is the loop that defines the result of Gram for the block of C from the panels
// a and b.
func gramLoop(m, n, rows int, a, b, c []float64, ldc int) {
	for i := range m {
		ci := c[i*ldc : i*ldc+n]
		for r := range rows {
			f := a[panelWidth*r+i]
			for j, v := range b[panelWidth*r:][:n] {
				ci[j] = math.FMA(f, v, ci[j])
			}
		}
	}
}

// gramTiles computes Gram in tiles of 8 rows by the columns of one or more panels. The
// largest number of panels is widest.
func gramTiles(widest int, c []float64, ldc int, z []float64, depth, rows, n int) {
	panel, whole := panelWidth*depth, n/panelWidth
	for p := 0; p < whole; p += widest {
		end := min(p+widest, whole)
		for i := range end {
			from := max(i, p)
			gramTile(end-from, rows, &z[i*panel], &z[from*panel], panel, &c[panelWidth*(i*ldc+from)], ldc)
		}
	}
	if n%panelWidth != 0 {
		gramEdge(c, ldc, z, panel, rows, n)
	}
}

// gramEdge computes Gram for the last, incomplete panel. Its tiles are computed outside C
// and then copied.
func gramEdge(c []float64, ldc int, z []float64, panel, rows, n int) {
	var tile [panelWidth * panelWidth]float64
	last := n / panelWidth
	width := n - panelWidth*last
	for i := range last + 1 {
		height := min(panelWidth, n-panelWidth*i)
		block := c[panelWidth*(i*ldc+last):]
		for r := range height {
			copy(tile[panelWidth*r:][:width], block[r*ldc:])
		}
		gramTile(1, rows, &z[i*panel], &z[last*panel], panel, &tile[0], panelWidth)
		for r := range height {
			copy(block[r*ldc:][:width], tile[panelWidth*r:])
		}
	}
}
