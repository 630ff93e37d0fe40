package kernel

// triangleFast runs the loop of lower or, if isLower is false, of upper in assembly if it
// can, by panels of columns as in gemmPanels, and reports whether it did.
func triangleFast(isLower bool, m, n int, a []float32, ras, cas int, b []float32, ldb int, c []float32, ldc int) bool {
	if isa == generic || m == 0 || n == 0 {
		return false
	}
	j := 0
	for _, p := range trianglePanels {
		kernel := p.upper
		if isLower {
			kernel = p.lower
		}
		for ; n-j >= p.columns; j += p.columns {
			kernel(m, &a[0], ras, cas, &b[j], ldb, &c[j], ldc)
		}
	}
	return true
}

// trianglePanels lists the kernels and their numbers of columns, largest first.
var trianglePanels = [...]struct {
	columns      int
	lower, upper func(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)
}{
	{16, lower16NEON, upper16NEON},
	{8, lower8NEON, upper8NEON},
	{4, lower4NEON, upper4NEON},
	{3, lower3NEON, upper3NEON},
	{2, lower2NEON, upper2NEON},
	{1, lower1NEON, upper1NEON},
}

// The panel kernels: lower and upper of triangle.go for the number n of columns in the
// name:
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
func lower16NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func lower8NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func lower4NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func lower3NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func lower2NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func lower1NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func upper16NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func upper8NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func upper4NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func upper3NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func upper2NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func upper1NEON(m int, a *float32, ras, cas int, b *float32, ldb int, c *float32, ldc int)
