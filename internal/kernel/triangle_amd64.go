package kernel

// triangleFast is the loop of lower, or else of upper, unless it returns false.
func triangleFast(isLower bool, m, n int, a []float32, ras, cas int, b []float32, ldb int, c []float32, ldc int) bool {
	if isa == generic || m == 0 || n == 0 {
		return false
	}
	var two, twoTail, one func(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)
	switch {
	case isa == avx512 && isLower:
		two, twoTail, one = lower32AVX512, lower32AVX512, lower16AVX512
	case isa == avx512:
		two, twoTail, one = upper32AVX512, upper32AVX512, upper16AVX512
	case isLower:
		two, twoTail, one = lower16AVX2, lowerTail16AVX2, lowerTail8AVX2
	default:
		two, twoTail, one = upper16AVX2, upperTail16AVX2, upperTail8AVX2
	}
	width := 8
	if isa == avx512 {
		width = 16
	}
	j := 0
	for ; n-j >= 2*width; j += 2 * width {
		two(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc, 2*width)
	}
	switch {
	case n-j > width:
		twoTail(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc, n-j)
	case n-j > 0:
		one(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc, n-j)
	}
	return true
}

// The panel kernels: lower and upper of triangle.go for the number n of columns
// that each is made for, at most 32, 16 or 8:
//
//	for i := range m {
//		for j := range n {
//			s := 0
//			for p := 0; p <= i; p++ {       // lower
//			for p := i; p < m; p++ {        // upper
//				s = fma(a[i*ras+p*cas], b[p*ldb+j], s)
//			}
//			c[i*ldc+j] = s
//		}
//	}

//go:noescape
func lower32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lower16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

// lower16AVX2 is for n = 16, the tails for n ≤ 16 and n ≤ 8.
//
//go:noescape
func lower16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerTail16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerTail8AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperTail16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperTail8AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)
