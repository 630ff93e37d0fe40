//go:build js && wasmkernel

package kernel

import "unsafe"

// normFast runs the loop of LayerNorm in WebAssembly, and reports whether it did.
func normFast(y, mean, rstd, x, w, b []float32, rows, n int, eps float32) bool {
	if isa == generic || rows == 0 || n == 0 {
		return false
	}
	layerNormWasm(isa.number(), &y[0], &mean[0], &rstd[0], &x[0], unsafe.SliceData(w), unsafe.SliceData(b),
		int32(rows), int32(n), float32(n), eps)
	return true
}

// normBackwardFast runs the loop of LayerNormBackward in WebAssembly, and reports whether
// it did.
func normBackwardFast(dx, dw, db, dy, x, mean, rstd, w []float32, rows, n int) bool {
	if isa == generic || rows == 0 || n == 0 {
		return false
	}
	layerNormBackwardWasm(isa.number(), &dx[0], unsafe.SliceData(dw), unsafe.SliceData(db), &dy[0], &x[0], &mean[0],
		&rstd[0], unsafe.SliceData(w), int32(rows), int32(n), float32(n))
	return true
}

// The kernels of layer norm, where count is n as a float32, w and b may both be nil, and
// dw and db may both be nil. They are the loops over rows of normRow and normRowBackward.

//go:wasmimport foretell layerNorm
//go:noescape
func layerNormWasm(set int32, y, mean, rstd, x, w, b *float32, rows, n int32, count, eps float32)

//go:wasmimport foretell layerNormBackward
//go:noescape
func layerNormBackwardWasm(set int32, dx, dw, db, dy, x, mean, rstd, w *float32, rows, n int32, count float32)
