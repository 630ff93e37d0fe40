//go:build js && wasmkernel

package kernel

// activateFast runs the loop of Activate in WebAssembly, and reports whether it did.
func activateFast(act Activation, y, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	activateWasm(isa.number(), int32(act), &y[0], &x[0], int32(len(x)))
	return true
}

// activateSlopeFast runs the loop of ActivateSlope in WebAssembly, and reports whether it
// did.
func activateSlopeFast(act Activation, y, slope, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	activateSlopeWasm(isa.number(), int32(act), &y[0], &slope[0], &x[0], int32(len(x)))
	return true
}

// activateBackwardFast runs the loop of ActivateBackward in WebAssembly, and reports
// whether it did.
func activateBackwardFast(act Activation, dx, dy, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	activateBackwardWasm(isa.number(), int32(act), &dx[0], &dy[0], &x[0], int32(len(x)))
	return true
}

// The kernels of the activations: with f one of relu, gelu, geluNew and silu of
// activation.go,
//
//	for i := range n { y[i] = f(x[i]) }
//	for i := range n { y[i], slope[i] = f(x[i]), fBackward(1, x[i]) }
//	for i := range n { dx[i] = fBackward(dy[i], x[i]) }

//go:wasmimport foretell activate
//go:noescape
func activateWasm(set, act int32, y, x *float32, n int32)

//go:wasmimport foretell activateSlope
//go:noescape
func activateSlopeWasm(set, act int32, y, slope, x *float32, n int32)

//go:wasmimport foretell activateBackward
//go:noescape
func activateBackwardWasm(set, act int32, dx, dy, x *float32, n int32)
