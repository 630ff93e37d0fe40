package kernel

// gramWidest returns the largest number of panels that a tile covers, or 0 if the
// instruction set has no tiles.
func gramWidest() int {
	switch isa {
	case generic:
		return 0
	case avx512half, avx512:
		return 3
	default:
		return 1
	}
}

// gramTile is gramLoop for 8 rows and all columns of one or more panels. b is the first
// panel, and panel the distance in elements from one to the next.
func gramTile(panels, rows int, a, b *float64, panel int, c *float64, ldc int) {
	switch {
	case !isa.has512():
		gram8AVX2(rows, a, b, panel, c, ldc)
	case panels == 1:
		gram8AVX512(rows, a, b, panel, c, ldc)
	case panels == 2:
		gram16AVX512(rows, a, b, panel, c, ldc)
	default:
		gram24AVX512(rows, a, b, panel, c, ldc)
	}
}

// gramRowFast runs the loop of GramRow in assembly for the first elements, and returns
// their number, which is 0 if it cannot.
func gramRowFast(z []float64, depth, r int, sum, x []float64, root, w float64) (done int) {
	panels := len(x) / panelWidth
	switch {
	case isa == generic || panels == 0:
		return 0
	case isa.has512():
		gramRowAVX512(panels, &z[panelWidth*r], panelWidth*depth, &sum[0], &x[0], root, w)
	default:
		gramRowAVX2(panels, &z[panelWidth*r], panelWidth*depth, &sum[0], &x[0], root, w)
	}
	return panels * panelWidth
}

// The tiles, with 8 rows and the number n of columns in their names, for rows > 0:
//
//	for i := range 8 {
//		for j := range n {
//			for r := range rows {
//				c[i*ldc+j] = fma(a[8*r+i], b[(j/8)*panel+8*r+j%8], c[i*ldc+j])
//			}
//		}
//	}

//go:noescape
func gram24AVX512(rows int, a, b *float64, panel int, c *float64, ldc int)

//go:noescape
func gram16AVX512(rows int, a, b *float64, panel int, c *float64, ldc int)

//go:noescape
func gram8AVX512(rows int, a, b *float64, panel int, c *float64, ldc int)

//go:noescape
func gram8AVX2(rows int, a, b *float64, panel int, c *float64, ldc int)

// gramRow, for panels > 0, is
//
//	for j := range 8*panels {
//		z[(j/8)*panel+j%8] = root·x[j]
//		sum[j] += w·x[j]
//	}

//go:noescape
func gramRowAVX512(panels int, z *float64, panel int, sum, x *float64, root, w float64)

//go:noescape
func gramRowAVX2(panels int, z *float64, panel int, sum, x *float64, root, w float64)
