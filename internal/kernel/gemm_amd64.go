package kernel

// gemmDepth is how far a kernel runs along the inner dimension before it moves
// to the next columns, so that the rows of B that it reads stay in the cache.
// The chain of an element of C goes through memory there, with the same bits.
const gemmDepth = 256

// gemmFast is Gemm by panels of columns, as wide as two registers.
func gemmFast(m, n, k int, a []float32, ras, cas int, b []float32, ldb int, c []float32,
	ldc int, s start[float32],
) bool {
	if isa == generic || k == 0 {
		return false
	}
	for p := 0; p < k; p += gemmDepth {
		depth := min(gemmDepth, k-p)
		gemmPanels(m, n, depth, &a[p*cas], ras, cas, b[p*ldb:], ldb, c, ldc, s)
		s = start[float32]{c, ldc}
	}
	return true
}

func gemmPanels(m, n, k int, a *float32, ras, cas int, b []float32, ldb int, c []float32, ldc int, s start[float32]) {
	j := 0
	switch isa {
	case avx512:
		for ; n-j >= 32; j += 32 {
			gemmWhole32AVX512(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, 32, s.column(j), s.ld)
		}
	case avx512half:
		for ; n-j >= 32; j += 32 {
			gemm32AVX512(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, 32, s.column(j), s.ld)
		}
	default:
		for ; n-j >= 16; j += 16 {
			gemm16AVX2(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, 16, s.column(j), s.ld)
		}
	}
	switch rest := n - j; {
	case rest <= 0:
	case rest <= 8: // half a register of AVX-512 would be idle
		gemmTail8AVX2(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, rest, s.column(j), s.ld)
	case !isa.has512():
		gemmTail16AVX2(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, rest, s.column(j), s.ld)
	case rest > 16:
		gemm32AVX512(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, rest, s.column(j), s.ld)
	case rest == 16 && isa == avx512:
		gemmWhole16AVX512(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, rest, s.column(j), s.ld)
	default:
		gemm16AVX512(m, k, a, ras, cas, &b[j], ldb, &c[j], ldc, rest, s.column(j), s.ld)
	}
}

// The panel kernels. Each is gemmLoop(m, n, k, a, ras, cas, b, ldb, c, ldc,
// start{s, lds}) for k > 0 and the number n of columns that it is made for:
//
//	for i := range m {
//		for j := range n {
//			sum := s == nil ? 0 : s[i*lds+j]
//			for p := range k {
//				sum = fma(a[i*ras+p*cas], b[p*ldb+j], sum)
//			}
//			c[i*ldc+j] = sum
//		}
//	}

// gemmWhole32AVX512 is gemmLoop for n = 32: tiles of 14×32.
//
//go:noescape
func gemmWhole32AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int)

// gemmWhole16AVX512 is gemmLoop for n = 16: tiles of 15×16.
//
//go:noescape
func gemmWhole16AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int)

// gemm32AVX512 is gemmLoop for 16 < n ≤ 32: tiles of 8×32.
//
//go:noescape
func gemm32AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int, s *float32, lds int)

// gemm16AVX512 is gemmLoop for n ≤ 16: tiles of 12×16.
//
//go:noescape
func gemm16AVX512(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int, s *float32, lds int)

// gemm16AVX2 is gemmLoop for n = 16: tiles of 6×16.
//
//go:noescape
func gemm16AVX2(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int, s *float32, lds int)

// gemmTail16AVX2 is gemmLoop for 8 < n ≤ 16: tiles of 4×16, masked.
//
//go:noescape
func gemmTail16AVX2(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32,
	ldc, n int, s *float32, lds int)

// gemmTail8AVX2 is gemmLoop for n ≤ 8: tiles of 8×8, masked.
//
//go:noescape
func gemmTail8AVX2(m, k int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int, s *float32, lds int)
