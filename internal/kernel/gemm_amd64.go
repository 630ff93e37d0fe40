package kernel

// gemmPanels computes a product by panels of columns. A panel is a few registers wide.
func gemmPanels(m, n, k int, a *float32, ras, cas int, b []float32, ldb int, c []float32, ldc int,
	s start[float32], x []float32,
) {
	for j := 0; j < n; {
		j += gemmPanel(m, n-j, k, a, ras, cas, &b[j], ldb, &c[j], ldc, s.column(j), s.ld, orNil(x, j))
	}
}

// gemmPanel computes the next panel, given the number of remaining columns, and returns
// the number of columns that it computed. It calls kernels directly rather than through
// variables, which keeps its arguments from escaping.
func gemmPanel(m, columns, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32,
) (width int) {
	switch {
	case columns <= 8: // half of an AVX-512 register would be idle
		gemmTail8AVX2(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
		return columns
	case isa == avx512:
		return gemmPanelAVX512(m, columns, k, a, ras, cas, b, ldb, c, ldc, s, lds, x)
	case isa == avx512half && columns > 16:
		width = min(32, columns)
		gemmHalved32AVX512(m, k, a, ras, cas, b, ldb, c, ldc, width, s, lds, x)
		return width
	case isa == avx512half:
		gemmHalved16AVX512(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
		return columns
	case columns >= 16:
		gemm16AVX2(m, k, a, ras, cas, b, ldb, c, ldc, 16, s, lds, x)
		return 16
	}
	gemmTail16AVX2(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
	return columns
}

// gemmPanelAVX512 computes 64 columns if 0 or at least 32 columns then remain, and
// otherwise 48 or 32. Therefore the last panel has more than 16 columns, if there are
// more than 32 in all; with narrower tiles a multiplication unit would wait for loads.
func gemmPanelAVX512(m, columns, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int,
	s *float32, lds int, x *float32,
) (width int) {
	switch {
	case columns == 64 || columns >= 64+32:
		gemm64AVX512(m, k, a, ras, cas, b, ldb, c, ldc, 64, s, lds, x)
		return 64
	case columns == 48 || columns > 64: // 64 + (1 … 31) columns are divided as 48 + (17 … 47)
		gemm48AVX512(m, k, a, ras, cas, b, ldb, c, ldc, 48, s, lds, x)
		return 48
	case columns == 32 || columns > 48: // 48 + (1 … 15) columns are divided as 32 + (17 … 31)
		gemm32AVX512(m, k, a, ras, cas, b, ldb, c, ldc, 32, s, lds, x)
		return 32
	case columns > 32:
		gemmTail48AVX512(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
	case columns > 16:
		gemmTail32AVX512(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
	case columns == 16:
		gemm16AVX512(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
	default:
		gemmTail16AVX512(m, k, a, ras, cas, b, ldb, c, ldc, columns, s, lds, x)
	}
	return columns
}

// The panel kernels. Each computes gemmLoop(m, n, k, a, ras, cas, b, ldb, c, ldc,
// start{s, lds}), and then adds x, for k > 0 and the number n of columns that it
// supports:
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
//
// A kernel whose name has the number 32 takes exactly 32 columns. A tail kernel of that
// name takes at most 32, and more than 32 minus the width of a register.

// gemm64AVX512: tiles of 6×64.
//
//go:noescape
func gemm64AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemm48AVX512: tiles of 8×48.
//
//go:noescape
func gemm48AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmTail48AVX512: tiles of 8×48.
//
//go:noescape
func gemmTail48AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemm32AVX512: tiles of 14×32.
//
//go:noescape
func gemm32AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmTail32AVX512: tiles of 14×32.
//
//go:noescape
func gemmTail32AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemm16AVX512: tiles of 15×16.
//
//go:noescape
func gemm16AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmTail16AVX512: tiles of 15×16.
//
//go:noescape
func gemmTail16AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmHalved32AVX512: 16 < n ≤ 32, tiles of 8×32.
//
//go:noescape
func gemmHalved32AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmHalved16AVX512: n ≤ 16, tiles of 12×16.
//
//go:noescape
func gemmHalved16AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemm16AVX2: tiles of 6×16.
//
//go:noescape
func gemm16AVX2(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmTail16AVX2: tiles of 4×16.
//
//go:noescape
func gemmTail16AVX2(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)

// gemmTail8AVX2: tiles of 8×8.
//
//go:noescape
func gemmTail8AVX2(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int, x *float32)
