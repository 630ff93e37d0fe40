package kernel

import "fmt"

// Products with listed rows of a matrix, for the attention of a single query. Row j of
// the list is b[rows[j]*ldb : rows[j]*ldb+n].

// checkListed panics unless a slice of n elements contains all listed rows, each with
// cols elements.
func checkListed(what string, n, cols, ld int, rows []int32) {
	if ld < cols {
		panic(fmt.Sprintf("kernel: %s has leading dimension %d, less than its %d columns", what, ld, cols))
	}
	last := n - cols // offset of the last possible row
	for _, row := range rows {
		if row < 0 || int(row)*ld > last {
			panic(fmt.Sprintf("kernel: %s has %d elements, which is too few for row %d of leading dimension %d",
				what, n, row, ld))
		}
	}
}

// listedDots writes y[j] = scale·Σ_p x[p]·b[rows[j],p], one chain over p.
func listedDots[F Float](y, x, b []F, ldb int, rows []int32, scale F) {
	if single[F]() && listedDotsFast(f32(y), f32(x), f32(b), ldb, rows, float32(scale)) {
		return
	}
	for j, row := range rows {
		s := F(0)
		for p, v := range b[int(row)*ldb : int(row)*ldb+len(x)] {
			s = fma(x[p], v, s)
		}
		y[j] = F(s * scale)
	}
}

// listedSum writes y[p] = Σ_j a[j]·b[rows[j],p], one chain over j.
func listedSum[F Float](y, a, b []F, ldb int, rows []int32) {
	if single[F]() && listedSumFast(f32(y), f32(a), f32(b), ldb, rows) {
		return
	}
	clear(y)
	for j, row := range rows {
		axpy(a[j], b[int(row)*ldb:int(row)*ldb+len(y)], y)
	}
}

// listedAdd sets b[rows[j],p] += a[j]·x[p], row by row.
func listedAdd[F Float](b []F, ldb int, rows []int32, a, x []F) {
	if single[F]() && listedAddFast(f32(b), ldb, rows, f32(a), f32(x)) {
		return
	}
	for j, row := range rows {
		axpy(a[j], x, b[int(row)*ldb:int(row)*ldb+len(x)])
	}
}
