package kernel

// softmaxRowFast runs softmaxRowLoop in assembly if it can; ok reports whether it did.
func softmaxRowFast(y, x []float32, weight float32) (m, s float32, ok bool) {
	if isa == generic || len(x) == 0 {
		return 0, 0, false
	}
	m, s = softmaxRowNEON(&y[0], &x[0], len(x), weight)
	return m, s, true
}

// causalSoftmaxFast runs the loop of causalSoftmax in assembly if it can, and reports
// whether it did.
func causalSoftmaxFast(y []float32, ldy int, x []float32, ldx, first, rows int, scale float32) bool {
	if isa == generic || rows == 0 {
		return false
	}
	causalSoftmaxNEON(&y[0], ldy, &x[0], ldx, first, rows, scale)
	return true
}

// causalSoftmaxBackwardFast runs the loop of causalSoftmaxBackward in assembly if it can,
// and reports whether it did.
func causalSoftmaxBackwardFast(ds []float32, ldds int, p []float32, ldp, first, rows int, scale float32) bool {
	if isa == generic || rows == 0 {
		return false
	}
	causalSoftmaxBackwardNEON(&ds[0], ldds, &p[0], ldp, first, rows, scale)
	return true
}

// softmaxRowBackwardFast runs softmaxRowBackwardLoop in assembly if it can, and reports
// whether it did.
func softmaxRowBackwardFast(ds, p []float32, scale float32) bool {
	if isa == generic || len(ds) == 0 {
		return false
	}
	softmaxRowBackwardNEON(&ds[0], &p[0], len(ds), scale)
	return true
}

// softmaxRowNEON, with lane(j) = j mod 16 and the lanes added pairwise by reduce, is
//
//	m = max x
//	for j := range n { y[j] = exp(x[j] − m);  acc[lane(j)] += y[j] }
//	s = reduce(acc)
//	for j := range n { y[j] = (y[j]·(1/s))·weight }
//
//go:noescape
func softmaxRowNEON(y, x *float32, n int, weight float32) (m, s float32)

// causalSoftmaxNEON, for rows > 0, is
//
//	for i := range rows {
//		n := first + i + 1
//		for j := range n { y[j] = x[j]·scale }
//		softmaxRow(y, y, n, 1)
//		y, x = y[ldy:], x[ldx:]
//	}
//
//go:noescape
func causalSoftmaxNEON(y *float32, ldy int, x *float32, ldx, first, rows int, scale float32)

// softmaxRowBackwardNEON, for n > 0, is
//
//	for j := range n { acc[lane(j)] = fma(p[j], ds[j], acc[lane(j)]) }
//	mean = reduce(acc)
//	for j := range n { ds[j] = (p[j]·(ds[j] − mean))·scale }
//
//go:noescape
func softmaxRowBackwardNEON(ds, p *float32, n int, scale float32)

// causalSoftmaxBackwardNEON, for rows > 0, is
//
//	for i := range rows {
//		softmaxRowBackward(ds, p, first+i+1, scale)
//		ds, p = ds[ldds:], p[ldp:]
//	}
//
//go:noescape
func causalSoftmaxBackwardNEON(ds *float32, ldds int, p *float32, ldp, first, rows int, scale float32)
