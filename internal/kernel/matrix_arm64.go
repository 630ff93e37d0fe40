package kernel

// transposeFast runs transposeLoop in assembly if it can, with 4×4 squares in registers,
// and reports whether it did. The last rows and columns are covered by squares that
// overlap earlier ones.
func transposeFast(dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	if isa == generic || rows < 4 || cols < 4 {
		return false
	}
	for row := 0; row < rows; row += 4 {
		i, j := min(row, rows-4), cols-4
		transpose4NEON(&dst[i], ldd, &src[i*lds], lds, cols/4)
		if cols%4 != 0 {
			transpose4NEON(&dst[j*ldd+i], ldd, &src[i*lds+j], lds, 1)
		}
	}
	return true
}

// columnSumsFast runs the loop of ColumnSums in assembly if it can, and reports whether
// it did.
func columnSumsFast(db, dy []float32, ldy, rows, n int) bool {
	if isa == generic {
		return false
	}
	columnSumsNEON(&db[0], &dy[0], ldy, rows, n)
	return true
}

// sumFast runs the loop of Sum in assembly if it can, and reports whether it did.
func sumFast(dst, x, y []float32) bool {
	if isa == generic || len(dst) == 0 {
		return false
	}
	sumNEON(&dst[0], &x[0], &y[0], len(dst))
	return true
}

// productFast runs the loop of Product in assembly if it can, and reports whether it did.
func productFast(dst, x, y []float32) bool {
	if isa == generic || len(dst) == 0 {
		return false
	}
	productNEON(&dst[0], &x[0], &y[0], len(dst))
	return true
}

func addTreeFast[F Float](x [][]F) bool { return false }

// transpose4NEON transposes 4 rows of 4·blocks columns, blocks > 0:
//
//	for i := range 4 { for j := range 4*blocks { dst[j*ldd+i] = src[i*lds+j] } }
//
//go:noescape
func transpose4NEON(dst *float32, ldd int, src *float32, lds, blocks int)

// columnSumsNEON, for rows > 0, is
//
//	for i := range rows { for j := range n { db[j] += dy[i*ldy+j] } }
//
//go:noescape
func columnSumsNEON(db, dy *float32, ldy, rows, n int)

// sumNEON and productNEON are
//
//	for i := range n { dst[i] = x[i] + y[i] }
//	for i := range n { dst[i] = x[i] · y[i] }

//go:noescape
func sumNEON(dst, x, y *float32, n int)

//go:noescape
func productNEON(dst, x, y *float32, n int)
