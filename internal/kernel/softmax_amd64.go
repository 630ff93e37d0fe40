package kernel

// softmaxRowFast is softmaxRowLoop, unless it returns false.
func softmaxRowFast(y, x []float32, weight float32) (m, s float32, ok bool) {
	switch {
	case isa == generic || len(x) == 0:
		return 0, 0, false
	case isa == avx512:
		m, s = softmaxRowAVX512(&y[0], &x[0], len(x), weight)
	default:
		m, s = softmaxRowAVX2(&y[0], &x[0], len(x), weight)
	}
	return m, s, true
}

// sumExpFast is sumExpLoop, unless it returns false.
func sumExpFast(x []float32) (m, s float32, ok bool) {
	switch {
	case isa == generic || len(x) == 0:
		return 0, 0, false
	case isa == avx512:
		m, s = sumExpAVX512(&x[0], len(x))
	default:
		m, s = sumExpAVX2(&x[0], len(x))
	}
	return m, s, true
}

// softmaxRowsFast is the loop of softmaxRows, unless it returns false.
func softmaxRowsFast(y []float32, ldy int, x []float32, ldx, rows, n, grow int, scale float32) bool {
	switch {
	case isa == generic || rows == 0 || ldy == 0:
		return false
	case isa == avx512:
		softmaxRowsAVX512(&y[0], ldy, &x[0], ldx, rows, n, grow, scale)
	default:
		softmaxRowsAVX2(&y[0], ldy, &x[0], ldx, rows, n, grow, scale)
	}
	return true
}

// softmaxRowsBackwardFast is the loop of softmaxRowsBackward, unless it returns false.
func softmaxRowsBackwardFast(ds []float32, ldds int, p []float32, ldp, rows, n, grow int, scale float32) bool {
	switch {
	case isa == generic || rows == 0 || ldp == 0:
		return false
	case isa == avx512:
		softmaxRowsBackwardAVX512(&ds[0], ldds, &p[0], ldp, rows, n, grow, scale)
	default:
		softmaxRowsBackwardAVX2(&ds[0], ldds, &p[0], ldp, rows, n, grow, scale)
	}
	return true
}

// softmaxRow, with lane(j) = j mod 16 and the lanes added pairwise by reduce, is
//
//	m = max x
//	for j := range n { y[j] = exp(x[j] − m);  acc[lane(j)] += y[j] }
//	s = reduce(acc)
//	for j := range n { y[j] = (y[j]·(1/s))·weight }

//go:noescape
func softmaxRowAVX512(y, x *float32, n int, weight float32) (m, s float32)

//go:noescape
func softmaxRowAVX2(y, x *float32, n int, weight float32) (m, s float32)

// sumExp is softmaxRow without y.

//go:noescape
func sumExpAVX512(x *float32, n int) (m, s float32)

//go:noescape
func sumExpAVX2(x *float32, n int) (m, s float32)

// softmaxRows is
//
//	for range rows {
//		for j := range n { y[j] = x[j]·scale }
//		softmaxRow(y, y, n, 1)
//		clear(y[n:ldy])
//		y, x, n = y[ldy:], x[ldx:], n+grow
//	}

//go:noescape
func softmaxRowsAVX512(y *float32, ldy int, x *float32, ldx, rows, n, grow int, scale float32)

//go:noescape
func softmaxRowsAVX2(y *float32, ldy int, x *float32, ldx, rows, n, grow int, scale float32)

// softmaxRowsBackward is
//
//	for range rows {
//		for j := range n { acc[lane(j)] = fma(p[j], ds[j], acc[lane(j)]) }
//		mean = reduce(acc)
//		for j := range n { ds[j] = (p[j]·(ds[j] − mean))·scale }
//		ds, p, n = ds[ldds:], p[ldp:], n+grow
//	}

//go:noescape
func softmaxRowsBackwardAVX512(ds *float32, ldds int, p *float32, ldp, rows, n, grow int, scale float32)

//go:noescape
func softmaxRowsBackwardAVX2(ds *float32, ldds int, p *float32, ldp, rows, n, grow int, scale float32)
