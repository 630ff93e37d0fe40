//go:build js && wasmkernel

package kernel

import "unsafe"

// gemmFast is gemmFrom in WebAssembly, and reports whether it computed the product.
func gemmFast(m, n, k int, a []float32, ras, cas int, b []float32, ldb int, c []float32,
	ldc int, s start[float32], x []float32,
) bool {
	if isa == generic || k == 0 {
		return false
	}
	gemmWasm(isa.number(), int32(m), int32(n), int32(k), &a[0], int32(ras), int32(cas), &b[0], int32(ldb),
		&c[0], int32(ldc), unsafe.SliceData(s.s), int32(s.ld), unsafe.SliceData(x))
	return true
}

// gemmWasm computes gemmLoop(m, n, k, a, ras, cas, b, ldb, c, ldc, start{s, lds}), and
// then adds x unless it is nil; m, n and k are positive.
//
//go:wasmimport foretell gemm
//go:noescape
func gemmWasm(set, m, n, k int32, a *float32, ras, cas int32, b *float32, ldb int32, c *float32, ldc int32,
	s *float32, lds int32, x *float32)
