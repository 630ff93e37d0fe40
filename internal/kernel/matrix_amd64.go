package kernel

// transposeFast runs transposeLoop in assembly if it can, with 8×8 squares in registers,
// and reports whether it did. The last rows and columns are covered by squares that
// overlap earlier ones.
func transposeFast(dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	if isa == generic || rows < 8 || cols < 8 {
		return false
	}
	for row := 0; row < rows; row += 8 {
		i, j := min(row, rows-8), cols-8
		transpose8AVX2(&dst[i], ldd, &src[i*lds], lds, cols/8)
		if cols%8 != 0 {
			transpose8AVX2(&dst[j*ldd+i], ldd, &src[i*lds+j], lds, 1)
		}
	}
	return true
}

// copyFast runs the loop of Copy in assembly if it can, and reports whether it did. For
// wide rows the function copy is faster.
func copyFast(dst []float32, ldd int, src []float32, lds, rows, cols int) bool {
	if isa == generic || cols%4 != 0 || cols >= 32 {
		return false
	}
	copy4AVX2(&dst[0], ldd, &src[0], lds, rows, cols/4)
	return true
}

// columnSumsFast runs the loop of ColumnSums in assembly if it can, and reports whether
// it did.
func columnSumsFast(db, dy []float32, ldy, rows, n int) bool {
	switch {
	case isa == generic:
		return false
	case isa.has512():
		columnSumsAVX512(&db[0], &dy[0], ldy, rows, n)
	default:
		columnSumsAVX2(&db[0], &dy[0], ldy, rows, n)
	}
	return true
}

// sumFast runs the loop of Sum in assembly if it can, and reports whether it did.
func sumFast(dst, x, y []float32) bool {
	switch {
	case isa == generic || len(dst) == 0:
		return false
	case isa.has512():
		sumAVX512(&dst[0], &x[0], &y[0], len(dst))
	default:
		sumAVX2(&dst[0], &x[0], &y[0], len(dst))
	}
	return true
}

// productFast runs the loop of Product in assembly if it can, and reports whether it did.
func productFast(dst, x, y []float32) bool {
	switch {
	case isa == generic || len(dst) == 0:
		return false
	case isa.has512():
		productAVX512(&dst[0], &x[0], &y[0], len(dst))
	default:
		productAVX2(&dst[0], &x[0], &y[0], len(dst))
	}
	return true
}

// addTreeFast runs addTree in assembly if it can, which it can for four and eight slices
// only. It reports whether it did.
func addTreeFast[F Float](x [][]F) bool {
	if isa == generic || len(x) != 4 && len(x) != 8 || len(x[0]) == 0 {
		return false
	}
	var terms [8]*float32
	for i := range x {
		terms[i] = &f32(x[i])[0]
	}
	switch n := len(x[0]); {
	case len(x) == 4 && isa.has512():
		addTree4AVX512(&terms[0], n)
	case len(x) == 4:
		addTree4AVX2(&terms[0], n)
	case isa.has512():
		addTree8AVX512(&terms[0], n)
	default:
		addTree8AVX2(&terms[0], n)
	}
	return true
}

// transpose8AVX2 transposes 8 rows of 8·blocks columns, blocks > 0:
//
//	for i := range 8 { for j := range 8*blocks { dst[j*ldd+i] = src[i*lds+j] } }
//
//go:noescape
func transpose8AVX2(dst *float32, ldd int, src *float32, lds, blocks int)

// copy4AVX2 copies rows of 4·blocks columns, rows > 0 and blocks > 0:
//
//	for i := range rows { copy(dst[i*ldd:][:4*blocks], src[i*lds:]) }
//
//go:noescape
func copy4AVX2(dst *float32, ldd int, src *float32, lds, rows, blocks int)

// columnSums, for rows > 0, is
//
//	for i := range rows { for j := range n { db[j] += dy[i*ldy+j] } }

//go:noescape
func columnSumsAVX512(db, dy *float32, ldy, rows, n int)

//go:noescape
func columnSumsAVX2(db, dy *float32, ldy, rows, n int)

// sum and product are
//
//	for i := range n { dst[i] = x[i] + y[i] }
//	for i := range n { dst[i] = x[i] · y[i] }

//go:noescape
func sumAVX512(dst, x, y *float32, n int)

//go:noescape
func sumAVX2(dst, x, y *float32, n int)

//go:noescape
func productAVX512(dst, x, y *float32, n int)

//go:noescape
func productAVX2(dst, x, y *float32, n int)

// addTree4 and addTree8, for 4 and 8 terms x of n elements, are
//
//	for i := range n { x[0][i] = (x[0][i] + x[1][i]) + (x[2][i] + x[3][i]) }
//
// and the sum of two such sums.

//go:noescape
func addTree4AVX512(terms **float32, n int)

//go:noescape
func addTree4AVX2(terms **float32, n int)

//go:noescape
func addTree8AVX512(terms **float32, n int)

//go:noescape
func addTree8AVX2(terms **float32, n int)
