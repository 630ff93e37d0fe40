package kernel

import "math"

// Softmax writes exp(x)/Σ exp(x) for each contiguous row of V elements:
//
//	e[j] = exp(x[j] − max x);  dst[j] = e[j]·(1/Σ e)
//
// dst may be src. A row whose maximum is −Inf or NaN becomes NaN.
func Softmax[F Float](dst, src []F, rows, V int) {
	checkMatrix("Softmax: src", len(src), rows, V, V)
	checkMatrix("Softmax: dst", len(dst), rows, V, V)
	for i := range rows {
		softmaxRow(dst[i*V:i*V+V], src[i*V:i*V+V], 1)
	}
}

// SoftmaxBackward is the backward pass of p = Softmax(x·scale), for contiguous rows of V
// elements. It overwrites ds, the gradient of p, by the gradient of x,
//
//	(p·(ds − Σ p·ds))·scale          the sum on 16 virtual lanes
func SoftmaxBackward[F Float](ds, p []F, rows, V int, scale F) {
	checkMatrix("SoftmaxBackward: ds", len(ds), rows, V, V)
	checkMatrix("SoftmaxBackward: p", len(p), rows, V, V)
	for i := range rows {
		softmaxRowBackward(ds[i*V:i*V+V], p[i*V:i*V+V], scale)
	}
}

// CausalSoftmax writes the softmax of x·scale over the first i+1 elements of each row i
// to y (rows,ldy), and sets the other elements of y to 0. ldy is at least rows. x is
// overwritten with unspecified values; its rows need at least one spare element (ldx >
// rows).
func CausalSoftmax[F Float](y []F, ldy int, x []F, ldx, rows int, scale F) {
	checkMatrix("CausalSoftmax: y", len(y), rows, ldy, ldy)
	checkMatrix("CausalSoftmax: y", len(y), rows, rows, ldy)
	checkMatrix("CausalSoftmax: x", len(x), rows, rows+1, ldx)
	causalSoftmax(y, ldy, x, ldx, 0, rows, scale)
	for i := range rows {
		clear(y[i*ldy+i+1 : (i+1)*ldy])
	}
}

// CausalSoftmaxBackward is SoftmaxBackward for CausalSoftmax, over the first i+1 elements
// of each row i. It does not change the other elements.
func CausalSoftmaxBackward[F Float](ds []F, ldds int, p []F, ldp, rows int, scale F) {
	checkMatrix("CausalSoftmaxBackward: ds", len(ds), rows, rows, ldds)
	checkMatrix("CausalSoftmaxBackward: p", len(p), rows, rows, ldp)
	causalSoftmaxBackward(ds, ldds, p, ldp, 0, rows, scale)
}

// causalSoftmax is CausalSoftmax for a band of rows: the slices y and x begin at the row
// of their matrices whose index is the argument first. For each row i of the matrices it
// writes the softmax of x·scale over the first i+1 elements to y, and does not change the
// other elements of y. x is overwritten with unspecified values; its rows need at least
// one spare element.
func causalSoftmax[F Float](y []F, ldy int, x []F, ldx, first, rows int, scale F) {
	if single[F]() && causalSoftmaxFast(f32(y), ldy, f32(x), ldx, first, rows, float32(scale)) {
		return
	}
	for i := range rows {
		row := y[i*ldy:][:first+i+1]
		for j := range row {
			row[j] = F(x[i*ldx+j] * scale)
		}
		softmaxRowLoop(row, row, 1)
	}
}

// causalSoftmaxBackward is the backward pass of causalSoftmax for a band of rows: the
// slices ds and p begin at the row of their matrices whose index is the argument first.
// For each row i of the matrices it applies softmaxRowBackward to the first i+1 elements
// and does not change the others.
func causalSoftmaxBackward[F Float](ds []F, ldds int, p []F, ldp, first, rows int, scale F) {
	if single[F]() && causalSoftmaxBackwardFast(f32(ds), ldds, f32(p), ldp, first, rows, float32(scale)) {
		return
	}
	for i := range rows {
		n := first + i + 1
		softmaxRowBackwardLoop(ds[i*ldds:i*ldds+n], p[i*ldp:i*ldp+n], scale)
	}
}

// softmaxRowBackward is the backward pass of p = softmax(scores·scale). It replaces ds,
// the gradient of p, by the gradient of the scores, (p·(ds − Σ p·ds))·scale, with the sum
// on 16 virtual lanes.
func softmaxRowBackward[F Float](ds, p []F, scale F) {
	if single[F]() && softmaxRowBackwardFast(f32(ds), f32(p), float32(scale)) {
		return
	}
	softmaxRowBackwardLoop(ds, p, scale)
}

func softmaxRowBackwardLoop[F Float](ds, p []F, scale F) {
	mean := dot(p, ds)
	for j, v := range ds {
		ds[j] = F(F(p[j]*(v-mean)) * scale)
	}
}

// softmaxRow writes y = (exp(x − m)·(1/s))·weight and returns m, the maximum of x, and s
// = Σ exp(x − m) on 16 virtual lanes. y may be x.
func softmaxRow[F Float](y, x []F, weight F) (m, s F) {
	if single[F]() {
		if m, s, ok := softmaxRowFast(f32(y), f32(x), float32(weight)); ok {
			return F(m), F(s)
		}
	}
	return softmaxRowLoop(y, x, weight)
}

func softmaxRowLoop[F Float](y, x []F, weight F) (m, s F) {
	m = maximum(x)
	var acc [lanes]F
	for j, v := range x {
		y[j] = exp(v - m)
		acc[j%lanes] += y[j]
	}
	s = reduce(&acc)
	inv := 1 / s
	for j, e := range y {
		y[j] = F(F(e*inv) * weight)
	}
	return m, s
}

// maximum returns the largest element of x that is not NaN, or −Inf if all are NaN. If
// the maximum is a zero and x contains zeros of both signs, the sign of the result is
// unspecified; no caller depends on it.
func maximum[F Float](x []F) F {
	m := F(math.Inf(-1))
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m
}
