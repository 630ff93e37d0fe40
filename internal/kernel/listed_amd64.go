package kernel

// listedDotsHeight is the largest number of rows for one call of listedDotsAVX2.
const listedDotsHeight = 12

// listedDotsFast runs the loop of listedDots in assembly if it can, and reports whether
// it did. It divides the rows evenly, because a call takes the same time for a few rows
// as for eight.
func listedDotsFast(y, x, b []float32, ldb int, rows []int32, scale float32) bool {
	if isa == generic || len(rows) == 0 {
		return false
	}
	n := len(rows)
	for calls := (n + listedDotsHeight - 1) / listedDotsHeight; calls > 0; calls-- {
		j, height := len(rows)-n, (n+calls-1)/calls
		listedDotsAVX2(&y[j], &x[0], &b[0], ldb, &rows[j], height, len(x), scale)
		n -= height
	}
	return true
}

// listedSumFast runs the loop of listedSum in assembly if it can, and reports whether it
// did.
func listedSumFast(y, a, b []float32, ldb int, rows []int32) bool {
	switch {
	case isa == generic || len(rows) == 0:
		return false
	case isa.has512():
		listedSumAVX512(&y[0], len(y), &a[0], &b[0], ldb, &rows[0], len(rows))
	default:
		listedSumAVX2(&y[0], len(y), &a[0], &b[0], ldb, &rows[0], len(rows))
	}
	return true
}

// listedAddFast runs the loop of listedAdd in assembly if it can, and reports whether it
// did.
func listedAddFast(b []float32, ldb int, rows []int32, a, x []float32) bool {
	switch {
	case isa == generic || len(rows) == 0:
		return false
	case isa.has512():
		listedAddAVX512(&b[0], ldb, &rows[0], len(rows), &a[0], &x[0], len(x))
	default:
		listedAddAVX2(&b[0], ldb, &rows[0], len(rows), &a[0], &x[0], len(x))
	}
	return true
}

// listedDotsAVX2, for 1 ≤ t ≤ 12 rows of n > 0 elements, is
//
//	for j := range t {
//		s := 0
//		for p := range n { s = fma(x[p], b[rows[j]*ldb+p], s) }
//		y[j] = s·scale
//	}
//
// It works on single elements and would not benefit from AVX-512 registers.
//
//go:noescape
func listedDotsAVX2(y, x, b *float32, ldb int, rows *int32, t, n int, scale float32)

// listedSum, for t > 0 rows, is
//
//	for p := range n {
//		s := 0
//		for j := range t { s = fma(a[j], b[rows[j]*ldb+p], s) }
//		y[p] = s
//	}

//go:noescape
func listedSumAVX512(y *float32, n int, a, b *float32, ldb int, rows *int32, t int)

//go:noescape
func listedSumAVX2(y *float32, n int, a, b *float32, ldb int, rows *int32, t int)

// listedAdd, for t > 0 rows, is
//
//	for j := range t {
//		for p := range n { b[rows[j]*ldb+p] = fma(a[j], x[p], b[rows[j]*ldb+p]) }
//	}

//go:noescape
func listedAddAVX512(b *float32, ldb int, rows *int32, t int, a, x *float32, n int)

//go:noescape
func listedAddAVX2(b *float32, ldb int, rows *int32, t int, a, x *float32, n int)
