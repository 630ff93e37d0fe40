package kernel

// triangleFast is the loop of lower, or else of upper, unless it returns false.
func triangleFast(isLower bool, m, n int, a []float32, ras, cas int, b []float32, ldb int, c []float32, ldc int) bool {
	if isa == generic || m == 0 || n == 0 {
		return false
	}
	p := triangles(isLower)
	j := 0
	for ; n-j >= 2*p.width; j += 2 * p.width {
		p.two(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc, 2*p.width)
	}
	last := p.one
	switch {
	case n == j:
		return true
	case n-j > p.width:
		last = p.twoTail
	case n-j < p.width:
		last = p.oneTail
	}
	last(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc, n-j)
	return true
}

// trianglePanels are kernels of one or two registers of so many columns, whole ones and
// those whose last register is partly outside.
type trianglePanels struct {
	width                      int
	two, twoTail, one, oneTail func(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)
}

// triangles returns the kernels of lower, or else of upper.
func triangles(isLower bool) trianglePanels {
	switch {
	case isa == avx512 && isLower:
		return trianglePanels{16, lowerWhole32AVX512, lower32AVX512, lowerWhole16AVX512, lower16AVX512}
	case isa == avx512:
		return trianglePanels{16, upperWhole32AVX512, upper32AVX512, upperWhole16AVX512, upper16AVX512}
	case isa == avx512half && isLower:
		return trianglePanels{16, lower32AVX512, lower32AVX512, lower16AVX512, lower16AVX512}
	case isa == avx512half:
		return trianglePanels{16, upper32AVX512, upper32AVX512, upper16AVX512, upper16AVX512}
	case isLower:
		return trianglePanels{8, lower16AVX2, lowerTail16AVX2, lowerTail8AVX2, lowerTail8AVX2}
	}
	return trianglePanels{8, upper16AVX2, upperTail16AVX2, upperTail8AVX2, upperTail8AVX2}
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
func lowerWhole32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerWhole16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lower32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lower16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperWhole32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperWhole16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

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
