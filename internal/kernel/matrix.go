package kernel

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

// ColumnSums adds the sums of the columns of dy (rows,n) to db (n), one row
// after the other: it is the backward of the bias of GemmBias.
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

// Add is dst[i] += src[i]. The two have one length; they may be the same slice.
func Add[F Float](dst, src []F) {
	checkSame("Add: src", len(src), len(dst))
	if single[F]() && addFast(f32(dst), f32(src)) {
		return
	}
	for i, v := range src {
		dst[i] += v
	}
}
