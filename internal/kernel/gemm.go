package kernel

import "fmt"

// Gemm computes C = A·B, or C += A·B when accumulate is set, for A (m,k),
// B (k,n) and C (m,n).
//
// Element (i,p) of A is a[i*ras+p*cas]: a row-major A has (ras, cas) = (lda, 1)
// and a transposed one (1, lda), at no cost. B and C are row-major with leading
// dimensions ldb and ldc. Each element of C is one chain
//
//	c = 0 or C[i,j];  for p = 0 … k−1:  c = fma(A[i,p], B[p,j], c)
//
// so its bits do not depend on m, n or the position of the element.
func Gemm[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, accumulate bool) {
	if m < 0 || n < 0 || k < 0 || ras < 0 || cas < 0 {
		panic(fmt.Sprintf("kernel: Gemm of m, n, k = %d, %d, %d with strides %d, %d of A: none may be negative", m, n, k, ras, cas))
	}
	if m == 0 || n == 0 {
		return
	}
	if k > 0 {
		checkLen("Gemm: A", len(a), (m-1)*ras+(k-1)*cas+1)
	}
	checkMatrix("Gemm: B", len(b), k, n, ldb)
	checkMatrix("Gemm: C", len(c), m, n, ldc)
	if single[F]() && gemmFast(m, n, k, f32(a), ras, cas, f32(b), ldb, f32(c), ldc, accumulate) {
		return
	}
	gemmLoop(m, n, k, a, ras, cas, b, ldb, c, ldc, accumulate)
}

// gemmLoop is the loop that every Gemm equals.
func gemmLoop[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, accumulate bool) {
	for i := range m {
		ci := c[i*ldc : i*ldc+n]
		if !accumulate {
			clear(ci)
		}
		for p := range k {
			aip := a[i*ras+p*cas]
			bp := b[p*ldb : p*ldb+n]
			axpy(aip, bp, ci)
		}
	}
}
