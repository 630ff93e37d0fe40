package kernel

// listedDotsFast runs the loop of listedDots in assembly if it can, and reports whether
// it did.
func listedDotsFast(y, x, b []float32, ldb int, rows []int32, scale float32) bool {
	if isa == generic || len(rows) == 0 {
		return false
	}
	listedDotsNEON(&y[0], &x[0], &b[0], ldb, &rows[0], len(rows), len(x), scale)
	return true
}

// listedSumFast runs the loop of listedSum in assembly if it can, and reports whether it
// did.
func listedSumFast(y, a, b []float32, ldb int, rows []int32) bool {
	if isa == generic || len(rows) == 0 {
		return false
	}
	listedSumNEON(&y[0], len(y), &a[0], &b[0], ldb, &rows[0], len(rows))
	return true
}

// listedAddFast runs the loop of listedAdd in assembly if it can, and reports whether it
// did.
func listedAddFast(b []float32, ldb int, rows []int32, a, x []float32) bool {
	if isa == generic || len(rows) == 0 {
		return false
	}
	listedAddNEON(&b[0], ldb, &rows[0], len(rows), &a[0], &x[0], len(x))
	return true
}

// listedDotsNEON, for t > 0 rows of n > 0 elements, is
//
//	for j := range t {
//		s := 0
//		for p := range n { s = fma(x[p], b[rows[j]*ldb+p], s) }
//		y[j] = s·scale
//	}
//
//go:noescape
func listedDotsNEON(y, x, b *float32, ldb int, rows *int32, t, n int, scale float32)

// listedSumNEON, for t > 0 rows, is
//
//	for p := range n {
//		s := 0
//		for j := range t { s = fma(a[j], b[rows[j]*ldb+p], s) }
//		y[p] = s
//	}
//
//go:noescape
func listedSumNEON(y *float32, n int, a, b *float32, ldb int, rows *int32, t int)

// listedAddNEON, for t > 0 rows, is
//
//	for j := range t {
//		for p := range n { b[rows[j]*ldb+p] = fma(a[j], x[p], b[rows[j]*ldb+p]) }
//	}
//
//go:noescape
func listedAddNEON(b *float32, ldb int, rows *int32, t int, a, x *float32, n int)
