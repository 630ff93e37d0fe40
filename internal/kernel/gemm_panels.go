//go:build amd64 || arm64

package kernel

// gemmDepth is the number of steps along the inner dimension after which a kernel moves
// to the next columns, which keeps the rows of B that it reads in the cache. In between,
// the unfinished sums are stored in C, which does not change their bits.
const gemmDepth = 256

// gemmFast is gemmFrom in assembly, if there are suitable kernels. It reports whether it
// computed the product.
func gemmFast(m, n, k int, a []float32, ras, cas int, b []float32, ldb int, c []float32,
	ldc int, s start[float32], x []float32,
) bool {
	if isa == generic || k == 0 {
		return false
	}
	for p := 0; p < k; p += gemmDepth {
		depth := min(gemmDepth, k-p)
		added := x
		if p+depth < k {
			added = nil
		}
		gemmPanels(m, n, depth, &a[p*cas], ras, cas, b[p*ldb:], ldb, c, ldc, s, added)
		s = start[float32]{c, ldc}
	}
	return true
}
