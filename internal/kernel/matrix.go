package kernel

import "math/bits"

// Transpose writes the (rows,cols) matrix src to dst as (cols,rows):
// dst[j*ldd+i] = src[i*lds+j].
func Transpose[F Float](dst []F, ldd int, src []F, lds, rows, cols int) {
	checkMatrix("Transpose: src", len(src), rows, cols, lds)
	checkMatrix("Transpose: dst", len(dst), cols, rows, ldd)
	if rows == 0 || cols == 0 {
		return
	}
	if single[F]() && transposeFast(f32(dst), ldd, f32(src), lds, rows, cols) {
		return
	}
	transposeLoop(dst, ldd, src, lds, rows, cols)
}

func transposeLoop[F Float](dst []F, ldd int, src []F, lds, rows, cols int) {
	for i := range rows {
		for j, v := range src[i*lds : i*lds+cols] {
			dst[j*ldd+i] = v
		}
	}
}

// Copy writes the (rows,cols) matrix src to dst: dst[i*ldd+j] = src[i*lds+j].
func Copy[F Float](dst []F, ldd int, src []F, lds, rows, cols int) {
	checkMatrix("Copy: src", len(src), rows, cols, lds)
	checkMatrix("Copy: dst", len(dst), rows, cols, ldd)
	if rows == 0 || cols == 0 || single[F]() && copyFast(f32(dst), ldd, f32(src), lds, rows, cols) {
		return
	}
	for i := range rows {
		copy(dst[i*ldd:i*ldd+cols], src[i*lds:])
	}
}

// ColumnSums adds the column sums of dy (rows,n) to db (n), row by row. It is the
// backward pass of GemmBias's bias.
func ColumnSums[F Float](db []F, dy []F, ldy, rows, n int) {
	checkMatrix("ColumnSums: dy", len(dy), rows, n, ldy)
	checkSame("ColumnSums: db", len(db), n)
	if rows == 0 || n == 0 {
		return
	}
	if single[F]() && columnSumsFast(f32(db), f32(dy), ldy, rows, n) {
		return
	}
	for i := range rows {
		Add(db, dy[i*ldy:i*ldy+n])
	}
}

// Add sets dst[i] += src[i]. The slices have equal lengths and may be the same.
func Add[F Float](dst, src []F) { Sum(dst, dst, src) }

// Sum sets dst[i] = x[i] + y[i]. The slices have equal lengths; any may be the same.
func Sum[F Float](dst, x, y []F) {
	checkSame("Sum: x", len(x), len(dst))
	checkSame("Sum: y", len(y), len(dst))
	if single[F]() && sumFast(f32(dst), f32(x), f32(y)) {
		return
	}
	for i, v := range x {
		dst[i] = v + y[i]
	}
}

// Product sets dst[i] = x[i]·y[i]. The slices have equal lengths; any may be the same.
func Product[F Float](dst, x, y []F) {
	checkSame("Product: x", len(x), len(dst))
	checkSame("Product: y", len(y), len(dst))
	if single[F]() && productFast(f32(dst), f32(x), f32(y)) {
		return
	}
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// AddTree adds slices of equal length to the first of them in a binary tree: first slices
// at distance 1, then 2, 4 and so on,
//
//	for d := 1; d < len(x); d *= 2 { for j := 0; j+d < len(x); j += 2*d { x[j] += x[j+d] } }
//
// The contents of the other slices are unspecified afterwards.
func AddTree[F Float](x [][]F) {
	for i := range x {
		checkSame("AddTree: a slice", len(x[i]), len(x[0]))
	}
	addTree(x)
}

func addTree[F Float](x [][]F) {
	if len(x) < 2 || single[F]() && addTreeFast(x) {
		return
	}
	half := 1 << (bits.Len(uint(len(x)-1)) - 1) // the largest power of two below the number of slices
	addTree(x[:half])
	addTree(x[half:])
	Add(x[0], x[half])
}
