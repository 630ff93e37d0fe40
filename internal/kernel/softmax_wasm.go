//go:build js && wasmkernel

package kernel

// softmaxRowFast runs softmaxRowLoop in WebAssembly; ok reports whether it did.
func softmaxRowFast(y, x []float32, weight float32) (m, s float32, ok bool) {
	if isa == generic || len(x) == 0 {
		return 0, 0, false
	}
	var result [2]float32
	softmaxRowWasm(isa.number(), &y[0], &x[0], int32(len(x)), weight, &result[0])
	return result[0], result[1], true
}

// causalSoftmaxFast runs the loop of causalSoftmax in WebAssembly, and reports whether it
// did.
func causalSoftmaxFast(y []float32, ldy int, x []float32, ldx, first, rows int, scale float32) bool {
	if isa == generic || rows == 0 {
		return false
	}
	causalSoftmaxWasm(isa.number(), &y[0], int32(ldy), &x[0], int32(ldx), int32(first), int32(rows), scale)
	return true
}

// causalSoftmaxBackwardFast runs the loop of causalSoftmaxBackward in WebAssembly, and
// reports whether it did.
func causalSoftmaxBackwardFast(ds []float32, ldds int, p []float32, ldp, first, rows int, scale float32) bool {
	if isa == generic || rows == 0 {
		return false
	}
	causalSoftmaxBackwardWasm(isa.number(), &ds[0], int32(ldds), &p[0], int32(ldp), int32(first), int32(rows), scale)
	return true
}

// softmaxRowBackwardFast runs softmaxRowBackwardLoop in WebAssembly, and reports whether
// it did.
func softmaxRowBackwardFast(ds, p []float32, scale float32) bool {
	if len(ds) == 0 {
		return false
	}
	return causalSoftmaxBackwardFast(ds, 0, p, 0, len(ds)-1, 1, scale)
}

// softmaxRowWasm is softmaxRowLoop for n > 0, whose results m and s it writes to result.
//
//go:wasmimport foretell softmaxRow
//go:noescape
func softmaxRowWasm(set int32, y, x *float32, n int32, weight float32, result *float32)

// The loops of causalSoftmax and causalSoftmaxBackward.

//go:wasmimport foretell causalSoftmax
//go:noescape
func causalSoftmaxWasm(set int32, y *float32, ldy int32, x *float32, ldx, first, rows int32, scale float32)

//go:wasmimport foretell causalSoftmaxBackward
//go:noescape
func causalSoftmaxBackwardWasm(set int32, ds *float32, ldds int32, p *float32, ldp, first, rows int32, scale float32)
