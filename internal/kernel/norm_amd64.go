package kernel

import "unsafe"

// normFast runs the loop of LayerNorm in assembly if it can, and reports whether it did.
func normFast(y, mean, rstd, x, w, b []float32, rows, n int, eps float32) bool {
	switch {
	case isa == generic || rows == 0 || n == 0:
		return false
	case isa.has512():
		layerNormAVX512(&y[0], &mean[0], &rstd[0], &x[0], unsafe.SliceData(w), unsafe.SliceData(b),
			rows, n, float32(n), eps)
	default:
		layerNormAVX2(&y[0], &mean[0], &rstd[0], &x[0], unsafe.SliceData(w), unsafe.SliceData(b),
			rows, n, float32(n), eps)
	}
	return true
}

// normBackwardFast runs the loop of LayerNormBackward in assembly if it can, and reports
// whether it did.
func normBackwardFast(dx, dw, db, dy, x, mean, rstd, w []float32, rows, n int) bool {
	switch {
	case isa == generic || rows == 0 || n == 0:
		return false
	case isa.has512():
		layerNormBackwardAVX512(&dx[0], unsafe.SliceData(dw), unsafe.SliceData(db), &dy[0], &x[0], &mean[0], &rstd[0],
			unsafe.SliceData(w), rows, n, float32(n))
	default:
		layerNormBackwardAVX2(&dx[0], unsafe.SliceData(dw), unsafe.SliceData(db), &dy[0], &x[0], &mean[0], &rstd[0],
			unsafe.SliceData(w), rows, n, float32(n))
	}
	return true
}

// The kernels of layer norm, where count is n as a float32, w and b may both be
// nil, and dw and db may both be nil:
//
//	for i := range rows { mean[i], rstd[i] = normRow(y row i, x row i, w, b, eps) }
//	for i := range rows { normRowBackward(dx row i, dw, db, dy row i, x row i, mean[i], rstd[i], w) }

//go:noescape
func layerNormAVX512(y, mean, rstd, x, w, b *float32, rows, n int, count, eps float32)

//go:noescape
func layerNormAVX2(y, mean, rstd, x, w, b *float32, rows, n int, count, eps float32)

//go:noescape
func layerNormBackwardAVX512(dx, dw, db, dy, x, mean, rstd, w *float32, rows, n int, count float32)

//go:noescape
func layerNormBackwardAVX2(dx, dw, db, dy, x, mean, rstd, w *float32, rows, n int, count float32)
