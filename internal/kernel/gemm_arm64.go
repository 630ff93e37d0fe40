package kernel

// gemmPanels computes a product by panels of 16 columns, and the remaining columns by
// panels of 8, 4 and fewer.
func gemmPanels(m, n, k int, a *float32, ras, cas int, b []float32, ldb int, c []float32, ldc int,
	s start[float32], x []float32,
) {
	j := 0
	for ; n-j >= 16; j += 16 {
		gemm16NEON(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
	}
	if n-j >= 8 {
		gemm8NEON(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
		j += 8
	}
	if n-j >= 4 {
		gemm4NEON(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
		j += 4
	}
	switch n - j {
	case 3:
		gemm3NEON(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
	case 2:
		gemm2NEON(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
	case 1:
		gemm1NEON(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
	}
}

// The panel kernels. Each computes gemmLoop(m, n, k, a, ras, cas, b, ldb, c, ldc,
// start{s, lds}), and then adds x, for k > 0 and the number n of columns in its name:
//
//	for i := range m {
//		for j := range n {
//			sum := s == nil ? 0 : s[i*lds+j]
//			for p := range k {
//				sum = fma(a[i*ras+p*cas], b[p*ldb+j], sum)
//			}
//			c[i*ldc+j] = x == nil ? sum : x[i*ldc+j] + sum
//		}
//	}

// gemm16NEON works in tiles of 6×16.
//
//go:noescape
func gemm16NEON(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32)

// gemm8NEON works in tiles of 12×8, gemm4NEON in tiles of 12×4, and the kernels for n < 4
// columns in tiles of 8×n.
//
//go:noescape
func gemm8NEON(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32)

//go:noescape
func gemm4NEON(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32)

//go:noescape
func gemm3NEON(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32)

//go:noescape
func gemm2NEON(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32)

//go:noescape
func gemm1NEON(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32)
