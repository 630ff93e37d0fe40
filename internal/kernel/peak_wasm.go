//go:build js && wasmkernel

package kernel

// peakFast runs the loop of PeakLoop in WebAssembly: twelve independent multiply-adds on
// vectors in each round.
func peakFast(rounds int) (flops int, ok bool) {
	if isa == generic {
		return 0, false
	}
	const vectors, width = 12, 4
	peakLoopWasm(isa.number(), int32(rounds))
	return 2 * vectors * width * rounds, true
}

//go:wasmimport foretell peakLoop
//go:noescape
func peakLoopWasm(set, rounds int32)
