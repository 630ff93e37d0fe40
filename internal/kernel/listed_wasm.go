//go:build js && wasmkernel

package kernel

// listedDotsFast runs the loop of listedDots in WebAssembly, and reports whether it did.
func listedDotsFast(y, x, b []float32, ldb int, rows []int32, scale float32) bool {
	if isa == generic || len(rows) == 0 || len(x) == 0 {
		return false
	}
	listedDotsWasm(isa.number(), &y[0], &x[0], &b[0], int32(ldb), &rows[0], int32(len(rows)), int32(len(x)), scale)
	return true
}

// listedSumFast runs the loop of listedSum in WebAssembly, and reports whether it did.
func listedSumFast(y, a, b []float32, ldb int, rows []int32) bool {
	if isa == generic || len(rows) == 0 || len(y) == 0 {
		return false
	}
	listedSumWasm(isa.number(), &y[0], &a[0], &b[0], int32(ldb), &rows[0], int32(len(rows)), int32(len(y)))
	return true
}

// listedAddFast runs the loop of listedAdd in WebAssembly, and reports whether it did.
func listedAddFast(b []float32, ldb int, rows []int32, a, x []float32) bool {
	if isa == generic || len(rows) == 0 || len(x) == 0 {
		return false
	}
	listedAddWasm(isa.number(), &b[0], int32(ldb), &rows[0], int32(len(rows)), &a[0], &x[0], int32(len(x)))
	return true
}

// The loops of listedDots, listedSum and listedAdd, for count > 0 listed rows of n > 0
// elements.

//go:wasmimport foretell listedDots
//go:noescape
func listedDotsWasm(set int32, y, x, b *float32, ldb int32, rows *int32, count, n int32, scale float32)

//go:wasmimport foretell listedSum
//go:noescape
func listedSumWasm(set int32, y, a, b *float32, ldb int32, rows *int32, count, n int32)

//go:wasmimport foretell listedAdd
//go:noescape
func listedAddWasm(set int32, b *float32, ldb int32, rows *int32, count int32, a, x *float32, n int32)
