package kernel

// gramWidest returns the largest number of panels that a tile covers, or 0 if the
// instruction set has no tiles.
func gramWidest() int {
	if isa == generic {
		return 0
	}
	return 1
}

// gramTile is gramLoop for 8 rows and the columns of one panel b.
func gramTile(_, rows int, a, b *float64, _ int, c *float64, ldc int) {
	gram8NEON(rows, a, b, c, ldc)
}

// gramRowFast runs the loop of GramRow in assembly for the first elements, and returns
// their number, which is 0 if it cannot.
func gramRowFast(z []float64, depth, r int, sum, x []float64, root, w float64) (done int) {
	panels := len(x) / panelWidth
	if isa == generic || panels == 0 {
		return 0
	}
	gramRowNEON(panels, &z[panelWidth*r], panelWidth*depth, &sum[0], &x[0], root, w)
	return panels * panelWidth
}

// gram8NEON, for rows > 0, is
//
//	for i := range 8 {
//		for j := range 8 {
//			for r := range rows { c[i*ldc+j] = fma(a[8*r+i], b[8*r+j], c[i*ldc+j]) }
//		}
//	}
//
//go:noescape
func gram8NEON(rows int, a, b, c *float64, ldc int)

// gramRowNEON, for panels > 0, is
//
//	for j := range 8*panels {
//		z[(j/8)*panel+j%8] = root·x[j]
//		sum[j] += w·x[j]
//	}
//
//go:noescape
func gramRowNEON(panels int, z *float64, panel int, sum, x *float64, root, w float64)
