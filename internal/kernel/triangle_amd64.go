package kernel

// triangleFast runs the loop of lower or, if isLower is false, of upper in assembly if it
// can, by panels of columns as in gemmPanels, and reports whether it did.
func triangleFast(isLower bool, m, n int, a []float32, ras, cas int, b []float32, ldb int, c []float32, ldc int) bool {
	if isa == generic || m == 0 || n == 0 {
		return false
	}
	for j := 0; j < n; {
		p, width := trianglePanel(n - j)
		kernel := p.upper
		if isLower {
			kernel = p.lower
		}
		kernel(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc, width)
		j += width
	}
	return true
}

// triangleKernels are the kernels of lower and upper for one number of columns.
type triangleKernels struct {
	lower, upper func(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)
}

var (
	triangle64     = triangleKernels{lower64AVX512, upper64AVX512}
	triangle32     = triangleKernels{lower32AVX512, upper32AVX512}
	triangleTail32 = triangleKernels{lowerTail32AVX512, upperTail32AVX512}
	triangle16     = triangleKernels{lower16AVX512, upper16AVX512}
	triangleTail16 = triangleKernels{lowerTail16AVX512, upperTail16AVX512}

	triangle16AVX2     = triangleKernels{lower16AVX2, upper16AVX2}
	triangleTail16AVX2 = triangleKernels{lowerTail16AVX2, upperTail16AVX2}
	triangleTail8AVX2  = triangleKernels{lowerTail8AVX2, upperTail8AVX2}
)

// trianglePanel returns the kernels for the next panel, given the number of remaining
// columns, and the number of columns that they compute.
func trianglePanel(columns int) (k *triangleKernels, width int) {
	switch wide := isa.has512(); {
	case wide && columns >= 64:
		return &triangle64, 64
	case wide && columns >= 32:
		return &triangle32, 32
	case wide && columns > 16:
		return &triangleTail32, columns
	case wide && columns == 16:
		return &triangle16, 16
	case wide:
		return &triangleTail16, columns
	case columns >= 16:
		return &triangle16AVX2, 16
	case columns > 8:
		return &triangleTail16AVX2, columns
	}
	return &triangleTail8AVX2, columns
}

// The panel kernels: lower and upper of triangle.go for the number n of columns in the
// name. A tail kernel takes at most n columns, and more than n minus the width of a
// register:
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
func lower64AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lower32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerTail32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lower16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerTail16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lower16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerTail16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func lowerTail8AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper64AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperTail32AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperTail16AVX512(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upper16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperTail16AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)

//go:noescape
func upperTail8AVX2(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc, n int)
