//go:build js && wasmkernel

package kernel

import "unsafe"

// adamFast runs adamLoop in WebAssembly, and reports whether it did.
func adamFast(w, g, m, v []float32, s *adamScalars[float32]) bool {
	if isa == generic || len(w) == 0 {
		return false
	}
	adamWasm(isa.number(), &w[0], &g[0], &m[0], &v[0], int32(len(w)), &s.shrink)
	return true
}

// sgdFast runs sgdLoop in WebAssembly, and reports whether it did.
func sgdFast(w, g, v []float32, lr, momentum, decay float32) bool {
	if isa == generic || len(w) == 0 {
		return false
	}
	sgdWasm(isa.number(), &w[0], &g[0], unsafe.SliceData(v), int32(len(w)), lr, momentum, decay)
	return true
}

// adamWasm is adamLoop, where s points to the nine fields of adamScalars in order.
//
//go:wasmimport foretell adam
//go:noescape
func adamWasm(set int32, w, grad, m, v *float32, n int32, s *float32)

// sgdWasm is sgdLoop; v may be nil.
//
//go:wasmimport foretell sgd
//go:noescape
func sgdWasm(set int32, w, grad, v *float32, n int32, lr, momentum, decay float32)
