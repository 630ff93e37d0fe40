package kernel

// transposeFast is transposeLoop, unless it returns false: squares of 8×8 in
// registers. The last rows and columns are covered by squares that overlap
// those before them.
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

// columnSumsFast is the loop of ColumnSums, unless it returns false.
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

// addFast is the loop of Add, unless it returns false.
func addFast(dst, src []float32) bool {
	switch {
	case isa == generic || len(dst) == 0:
		return false
	case isa.has512():
		addAVX512(&dst[0], &src[0], len(dst))
	default:
		addAVX2(&dst[0], &src[0], len(dst))
	}
	return true
}

// transpose8AVX2 transposes 8 rows of 8·blocks columns, blocks > 0:
//
//	for i := range 8 { for j := range 8*blocks { dst[j*ldd+i] = src[i*lds+j] } }
//
//go:noescape
func transpose8AVX2(dst *float32, ldd int, src *float32, lds, blocks int)

// columnSums, for rows > 0, is
//
//	for i := range rows { for j := range n { db[j] += dy[i*ldy+j] } }

//go:noescape
func columnSumsAVX512(db, dy *float32, ldy, rows, n int)

//go:noescape
func columnSumsAVX2(db, dy *float32, ldy, rows, n int)

// add is
//
//	for i := range n { dst[i] += src[i] }

//go:noescape
func addAVX512(dst, src *float32, n int)

//go:noescape
func addAVX2(dst, src *float32, n int)
