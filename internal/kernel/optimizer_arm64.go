package kernel

import "unsafe"

// adamFast runs adamLoop in assembly if it can, and reports whether it did.
func adamFast(w, g, m, v []float32, s *adamScalars[float32]) bool {
	if isa == generic || len(w) == 0 {
		return false
	}
	adamNEON(&w[0], &g[0], &m[0], &v[0], len(w), &s.shrink)
	return true
}

// sgdFast runs sgdLoop in assembly if it can, and reports whether it did.
func sgdFast(w, g, v []float32, lr, momentum, decay float32) bool {
	if isa == generic || len(w) == 0 {
		return false
	}
	sgdNEON(&w[0], &g[0], unsafe.SliceData(v), len(w), lr, momentum, decay)
	return true
}

// adamNEON is adamLoop, where s points to the nine fields of adamScalars in order.
//
//go:noescape
func adamNEON(w, grad, m, v *float32, n int, s *float32)

// sgdNEON is sgdLoop; v may be nil.
//
//go:noescape
func sgdNEON(w, grad, v *float32, n int, lr, momentum, decay float32)
