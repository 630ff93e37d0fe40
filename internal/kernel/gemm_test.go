package kernel

import (
	"fmt"
	"slices"
	"testing"
)

// gemmNaive is the textbook product in float64.
func gemmNaive[F Float](m, n, k int, a []F, ras, cas int, b []F, ldb int, c []F, ldc int, accumulate bool) []float64 {
	out := make([]float64, len(c))
	for i, v := range c {
		out[i] = float64(v)
	}
	for i := range m {
		for j := range n {
			s := 0.0
			if accumulate {
				s = out[i*ldc+j]
			}
			for p := range k {
				s += float64(a[i*ras+p*cas]) * float64(b[p*ldb+j])
			}
			out[i*ldc+j] = s
		}
	}
	return out
}

func testGemm[F Float](t *testing.T, tol float64) {
	r := newRand(1)
	for _, s := range [][3]int{{0, 3, 2}, {3, 0, 2}, {2, 3, 0}, {1, 1, 1}, {5, 3, 7}, {10, 64, 64}, {13, 33, 20}, {100, 5, 9}, {7, 130, 3}} {
		m, n, k := s[0], s[1], s[2]
		for _, transposed := range []bool{false, true} {
			for _, accumulate := range []bool{false, true} {
				ras, cas := k+2, 1
				if transposed {
					ras, cas = 1, m+3
				}
				ldb, ldc := n+1, n+4
				a := normals[F](r, m*ras+k*cas+1)
				b, c := normals[F](r, k*ldb+n), normals[F](r, m*ldc+n)
				want := gemmNaive(m, n, k, a, ras, cas, b, ldb, c, ldc, accumulate)
				Gemm(m, n, k, a, ras, cas, b, ldb, c, ldc, accumulate)
				wantClose(t, fmt.Sprint("C of ", m, n, k, transposed, accumulate), c, want, tol)

				bias := normals[F](r, n)
				biased := slices.Clone(c)
				for i := range m {
					copy(biased[i*ldc:], bias)
				}
				want = gemmNaive(m, n, k, a, ras, cas, b, ldb, biased, ldc, true)
				GemmBias(m, n, k, a, ras, cas, b, ldb, c, ldc, bias)
				wantClose(t, fmt.Sprint("C with bias of ", m, n, k, transposed), c, want, tol)

				x, sum := normals[F](r, len(c)), slices.Clone(c)
				for i := range m {
					Add(sum[i*ldc:i*ldc+n], x[i*ldc:i*ldc+n])
				}
				GemmAdd(m, n, k, a, ras, cas, b, ldb, c, ldc, bias, x)
				wantClose(t, fmt.Sprint("X + C of ", m, n, k, transposed), c, sum, 0)
			}
		}
	}
}

func TestGemmAgainstTextbook(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testGemm[float32](t, 1e-5) })
	t.Run("float64", func(t *testing.T) { testGemm[float64](t, 1e-13) })
}

func TestGemmPanics(t *testing.T) {
	x := make([]float32, 12)
	wantPanic(t, "short A", func() { Gemm(4, 1, 4, x, 4, 1, x, 1, x, 1, false) })
	wantPanic(t, "short B", func() { Gemm(1, 4, 4, x, 4, 1, x, 4, x, 4, false) })
	wantPanic(t, "short C", func() { Gemm(4, 4, 1, x, 1, 1, x, 4, x, 4, false) })
	wantPanic(t, "ldc", func() { Gemm(2, 3, 1, x, 1, 1, x, 3, x, 2, false) })
	wantPanic(t, "X", func() { GemmAdd(2, 3, 1, x, 1, 1, x, 3, make([]float32, 6), 3, nil, x[:5]) })
	wantPanic(t, "in common", func() { GemmAdd(2, 3, 1, x, 1, 1, x, 3, x, 3, nil, x[5:]) })
	wantPanic(t, "bias", func() { GemmBias(2, 3, 1, x, 1, 1, x, 3, x, 3, x[:2]) })
	wantPanic(t, "negative", func() { Gemm(-1, 3, 1, x, 1, 1, x, 3, x, 3, false) })
}
