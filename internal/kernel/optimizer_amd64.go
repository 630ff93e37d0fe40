package kernel

import "unsafe"

// adamFast runs adamLoop in assembly if it can, and reports whether it did.
func adamFast(w, g, m, v []float32, s *adamScalars[float32]) bool {
	switch {
	case isa == generic || len(w) == 0:
		return false
	case isa.has512():
		adamAVX512(&w[0], &g[0], &m[0], &v[0], len(w), &s.shrink)
	default:
		adamAVX2(&w[0], &g[0], &m[0], &v[0], len(w), &s.shrink)
	}
	return true
}

// sgdFast runs sgdLoop in assembly if it can, and reports whether it did.
func sgdFast(w, g, v []float32, lr, momentum, decay float32) bool {
	switch {
	case isa == generic || len(w) == 0:
		return false
	case isa.has512():
		sgdAVX512(&w[0], &g[0], unsafe.SliceData(v), len(w), lr, momentum, decay)
	default:
		sgdAVX2(&w[0], &g[0], unsafe.SliceData(v), len(w), lr, momentum, decay)
	}
	return true
}

// adam is adamLoop, where s points to the nine fields of adamScalars in order.

//go:noescape
func adamAVX512(w, grad, m, v *float32, n int, s *float32)

//go:noescape
func adamAVX2(w, grad, m, v *float32, n int, s *float32)

// sgd is sgdLoop; v may be nil.

//go:noescape
func sgdAVX512(w, grad, v *float32, n int, lr, momentum, decay float32)

//go:noescape
func sgdAVX2(w, grad, v *float32, n int, lr, momentum, decay float32)
