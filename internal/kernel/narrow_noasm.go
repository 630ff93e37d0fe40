//go:build !amd64

package kernel

// Narrow heads have kernels on amd64 only.

func copyFast(dst []float32, ldd int, src []float32, lds, rows, cols int) bool { return false }

func headsFast(z []float32, ldz int, pattern, q, k, v []float32, ld int, scratch []float32,
	s Heads, first, n int, scale float32,
) bool {
	return false
}

func headsBackwardFast(dq, dk, dv, dz []float32, ldz int, pattern, q, k, v []float32, ld int,
	scratch []float32, s Heads, first, n int, scale float32,
) bool {
	return false
}
