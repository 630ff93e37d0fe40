package kernel

import "fmt"

// Gemm computes C = A·B, or C += A·B when accumulate is set, for A (m,k),
// B (k,n) and C (m,n).
//
// Element (i,p) of A is a[i*ras+p*cas]: a row-major A has (ras, cas) = (lda, 1), and a
// transposed one has (1, lda), without additional cost. B and C are row-major with
// leading dimensions ldb and ldc. Each element of C is one chain
//
//	c = 0 or C[i,j];  for p = 0 … k−1:  c = fma(A[i,p], B[p,j], c)
//
// The bits of an element do not depend on m, n or its position.
func Gemm[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, accumulate bool) {
	s := start[F]{}
	if accumulate {
		s = start[F]{c, ldc}
	}
	gemmFrom(m, n, k, a, ras, cas, b, ldb, c, ldc, s, nil)
}

// GemmBias computes C = A·B with the vector bias (n) added to each row: it is Gemm with
// chains that start at c = bias[j].
func GemmBias[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, bias []F) {
	checkSame("GemmBias: bias", len(bias), n)
	gemmFrom(m, n, k, a, ras, cas, b, ldb, c, ldc, start[F]{bias, 0}, nil)
}

// GemmAdd computes C = X + (A·B + bias). X has the shape and leading dimension of C and
// must not overlap it; bias and X may be nil, which means zeros. The chains are the same
// as in Gemm or GemmBias, and X is added to their results.
func GemmAdd[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, bias, x []F) {
	if bias != nil {
		checkSame("GemmAdd: bias", len(bias), n)
	}
	if x != nil {
		checkMatrix("GemmAdd: X", len(x), m, n, ldc)
		checkApart("GemmAdd: X and C", x, c)
	}
	gemmFrom(m, n, k, a, ras, cas, b, ldb, c, ldc, start[F]{bias, 0}, x)
}

// start is a matrix of initial values for a product C = A·B: the sum for C[i,j] starts
// from s[i*ld+j], or from 0 if s is nil. It may be C itself, or a single row with ld = 0.
type start[F Float] struct {
	s  []F
	ld int
}

// column returns the address of column j, or nil if the initial values are zeros.
func (s start[F]) column(j int) *F { return orNil(s.s, j) }

// orNil returns the address of x[j], or nil if x is nil.
func orNil[F Float](x []F, j int) *F {
	if x == nil {
		return nil
	}
	return &x[j]
}

// gemmFrom is Gemm with chains that start from s, which has the shape of C. It adds x,
// which has the leading dimension of C, to their results unless x is nil.
func gemmFrom[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, s start[F], x []F) {
	if m < 0 || n < 0 || k < 0 || ras < 0 || cas < 0 {
		panic(fmt.Sprintf("kernel: Gemm of m, n, k = %d, %d, %d with strides %d, %d of A: none may be negative",
			m, n, k, ras, cas))
	}
	if m == 0 || n == 0 {
		return
	}
	if k > 0 {
		checkLen("Gemm: A", len(a), (m-1)*ras+(k-1)*cas+1)
	}
	checkMatrix("Gemm: B", len(b), k, n, ldb)
	checkMatrix("Gemm: C", len(c), m, n, ldc)
	if single[F]() &&
		gemmFast(m, n, k, f32(a), ras, cas, f32(b), ldb, f32(c), ldc, start[float32]{f32(s.s), s.ld}, f32(x)) {
		return
	}
	gemmLoop(m, n, k, a, ras, cas, b, ldb, c, ldc, s)
	if x == nil {
		return
	}
	for i := range m {
		Add(c[i*ldc:i*ldc+n], x[i*ldc:i*ldc+n])
	}
}

// gemmLoop is the loop that defines the results of all matrix products.
func gemmLoop[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, s start[F]) {
	for i := range m {
		ci := c[i*ldc : i*ldc+n]
		if s.s == nil {
			clear(ci)
		} else {
			copy(ci, s.s[i*s.ld:i*s.ld+n])
		}
		for p := range k {
			aip := a[i*ras+p*cas]
			bp := b[p*ldb : p*ldb+n]
			axpy(aip, bp, ci)
		}
	}
}
