//go:build !amd64 && !arm64 && !(js && wasmkernel)

package kernel

// Without kernels for the architecture the Go loops run, because each of these functions
// returns a result that says it did nothing.

func detect() []instructionSet { return nil }

func gemmFast(m, n, k int, a []float32, ras, cas int, b []float32, ldb int, c []float32,
	ldc int, s start[float32], x []float32,
) bool {
	return false
}

func activateFast(act Activation, y, x []float32) bool              { return false }
func activateSlopeFast(act Activation, y, slope, x []float32) bool  { return false }
func activateBackwardFast(act Activation, dx, dy, x []float32) bool { return false }

func softmaxRowFast(y, x []float32, weight float32) (m, s float32, ok bool) { return 0, 0, false }
func causalSoftmaxFast(y []float32, ldy int, x []float32, ldx, first, rows int, scale float32) bool {
	return false
}

func softmaxRowBackwardFast(ds, p []float32, scale float32) bool { return false }
func causalSoftmaxBackwardFast(ds []float32, ldds int, p []float32, ldp, first, rows int, scale float32) bool {
	return false
}

func normFast(y, mean, rstd, x, w, b []float32, rows, n int, eps float32) bool      { return false }
func normBackwardFast(dx, dw, db, dy, x, mean, rstd, w []float32, rows, n int) bool { return false }

func transposeFast(dst []float32, ldd int, src []float32, lds, rows, cols int) bool { return false }
func columnSumsFast(db, dy []float32, ldy, rows, n int) bool                        { return false }
func sumFast(dst, x, y []float32) bool                                              { return false }
func productFast(dst, x, y []float32) bool                                          { return false }
func addTreeFast[F Float](x [][]F) bool                                             { return false }

func adamFast(w, g, m, v []float32, s *adamScalars[float32]) bool { return false }
func sgdFast(w, g, v []float32, lr, momentum, decay float32) bool { return false }

func triangleFast(isLower bool, m, n int, a []float32, ras, cas int, b []float32, ldb int, c []float32, ldc int) bool {
	return false
}

func listedDotsFast(y, x, b []float32, ldb int, rows []int32, scale float32) bool { return false }
func listedSumFast(y, a, b []float32, ldb int, rows []int32) bool                 { return false }
func listedAddFast(b []float32, ldb int, rows []int32, a, x []float32) bool       { return false }

func peakFast(rounds int) (flops int, ok bool) { return 0, false }
