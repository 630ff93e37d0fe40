package kernel

import (
	"fmt"
	"math"
)

// Σw·z and Σw·zᵀz, of which the second moments of an analysis are made. Rows are
// collected in panels of 8 columns, each with its rows one after the other: of
// Z (depth,n) element (r,j) is z[(j/8)·8·depth + 8·r + j%8]. So a kernel reads
// them from the beginning to the end, where each row of a wide row-major matrix
// would be on a page of its own.

// panelWidth is the number of columns of a panel, and of rows of Gram's tiles.
const panelWidth = 8

// PanelsLen is the length of a slice for the panels of depth rows of n elements.
func PanelsLen(depth, n int) int { return (n + panelWidth - 1) / panelWidth * panelWidth * depth }

// GramRow puts √w·x in row r of the panels z (depth,n), and adds w·x to sum (n),
// where x has n elements:
//
//	Z[r,j] = √w·x[j];  sum[j] += w·x[j]
func GramRow(z []float64, depth, r int, sum, x []float64, w float64) {
	if r < 0 || r >= depth {
		panic(fmt.Sprintf("kernel: GramRow of row %d, of %d", r, depth))
	}
	checkSame("GramRow: sum", len(sum), len(x))
	checkLen("GramRow: Z", len(z), PanelsLen(depth, len(x)))
	root := math.Sqrt(w)
	for j := gramRowFast(z, depth, r, sum, x, root, w); j < len(x); j++ {
		z[j/panelWidth*panelWidth*depth+panelWidth*r+j%panelWidth] = root * x[j]
		sum[j] += float64(w * x[j])
	}
}

// Gram adds Zᵀ·Z to the upper triangle of C (n,n), for the first rows of the
// panels z (depth,n). Each element is one chain
//
//	c = C[i,j];  for r = 0 … rows−1:  c = fma(Z[r,i], Z[r,j], c)
//
// so its bits do not depend on how rows are divided among calls. A multiply-add
// rounds once, unlike those of other float64 here: twice would be half the speed.
// Where the diagonal crosses a block of 8×8, the elements below it are computed, too.
func Gram(c []float64, ldc int, z []float64, depth, rows, n int) {
	if rows < 0 || rows > depth {
		panic(fmt.Sprintf("kernel: Gram of %d rows, of %d", rows, depth))
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

// gramLoop is the loop that every block of Gram equals, for panels a and b.
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

// gramTiles is Gram by tiles of 8 rows and up to widest panels.
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

// gramEdge is Gram for the last, incomplete panel, whose tiles are computed beside C.
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
