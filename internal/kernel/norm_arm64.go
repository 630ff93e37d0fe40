package kernel

import "unsafe"

// normFast runs the loop of LayerNorm in assembly if it can, and reports whether it did.
func normFast(y, mean, rstd, x, w, b []float32, rows, n int, eps float32) bool {
	if isa == generic || rows == 0 || n == 0 {
		return false
	}
	layerNormNEON(&y[0], &mean[0], &rstd[0], &x[0], unsafe.SliceData(w), unsafe.SliceData(b), rows, n, float32(n), eps)
	return true
}

// normBackwardFast runs the loop of LayerNormBackward in assembly if it can, and reports
// whether it did.
func normBackwardFast(dx, dw, db, dy, x, mean, rstd, w []float32, rows, n int) bool {
	if isa == generic || rows == 0 || n == 0 {
		return false
	}
	layerNormBackwardNEON(&dx[0], unsafe.SliceData(dw), unsafe.SliceData(db), &dy[0], &x[0], &mean[0], &rstd[0],
		unsafe.SliceData(w), rows, n, float32(n))
	return true
}

// The kernels of layer norm, where count is n as a float32, w and b may both be
// nil, and dw and db may both be nil:
//
//	for i := range rows { mean[i], rstd[i] = normRow(y row i, x row i, w, b, eps) }
//	for i := range rows { normRowBackward(dx row i, dw, db, dy row i, x row i, mean[i], rstd[i], w) }

//go:noescape
func layerNormNEON(y, mean, rstd, x, w, b *float32, rows, n int, count, eps float32)

//go:noescape
func layerNormBackwardNEON(dx, dw, db, dy, x, mean, rstd, w *float32, rows, n int, count float32)
