package kernel

// Products with a triangular matrix, for causal attention. A is (m,m) with strides as in
// Gemm; its other half is not read. B and C are row-major (m,n).

// lower computes C[i,:] = Σ_{p≤i} A[i,p]·B[p,:], each element one chain over p.
func lower[F Float](m, n int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int) {
	if single[F]() && triangleFast(true, m, n, f32(a), ras, cas, f32(b), ldb, f32(c), ldc) {
		return
	}
	for i := range m {
		gemmLoop(1, n, i+1, a[i*ras:], ras, cas, b, ldb, c[i*ldc:], ldc, start[F]{})
	}
}

// upper computes C[i,:] = Σ_{p≥i} A[i,p]·B[p,:], each element one chain over p.
func upper[F Float](m, n int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int) {
	if single[F]() && triangleFast(false, m, n, f32(a), ras, cas, f32(b), ldb, f32(c), ldc) {
		return
	}
	for i := range m {
		gemmLoop(1, n, m-i, a[i*(ras+cas):], ras, cas, b[i*ldb:], ldb, c[i*ldc:], ldc, start[F]{})
	}
}
