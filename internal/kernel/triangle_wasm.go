//go:build js && wasmkernel

package kernel

// triangleFast runs the loop of lower or, if isLower is false, of upper in WebAssembly,
// and reports whether it did.
func triangleFast(isLower bool, m, n int, a []float32, ras, cas int, b []float32, ldb int, c []float32, ldc int) bool {
	switch {
	case isa == generic || m == 0 || n == 0:
		return false
	case isLower:
		lowerWasm(isa.number(), int32(m), int32(n), &a[0], int32(ras), int32(cas), &b[0], int32(ldb), &c[0], int32(ldc))
	default:
		upperWasm(isa.number(), int32(m), int32(n), &a[0], int32(ras), int32(cas), &b[0], int32(ldb), &c[0], int32(ldc))
	}
	return true
}

// lower and upper of triangle.go, for positive m and n.

//go:wasmimport foretell lower
//go:noescape
func lowerWasm(set, m, n int32, a *float32, ras, cas int32, b *float32, ldb int32, c *float32, ldc int32)

//go:wasmimport foretell upper
//go:noescape
func upperWasm(set, m, n int32, a *float32, ras, cas int32, b *float32, ldb int32, c *float32, ldc int32)
