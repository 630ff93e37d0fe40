package kernel

import "math"

// LayerNorm normalises each row of x (rows,n) to mean 0 and variance 1, as
// PyTorch does (biased variance), then scales by w and shifts by b:
//
//	mean = Σ x/n;  rstd = 1/√(Σ (x−mean)²/n + eps);  y = fma((x−mean)·rstd, w, b)
//
// Matrices are contiguous. w and b have n elements, or both are nil for the form without
// parameters (LNPre). mean and rstd have one element for each row; the backward pass
// needs them, and x. y may be x.
func LayerNorm[F Float](y, mean, rstd []F, x []F, w, b []F, rows, n int, eps F) {
	checkMatrix("LayerNorm: x", len(x), rows, n, n)
	checkMatrix("LayerNorm: y", len(y), rows, n, n)
	checkLen("LayerNorm: mean", len(mean), rows)
	checkLen("LayerNorm: rstd", len(rstd), rows)
	if w != nil || b != nil {
		checkSame("LayerNorm: w", len(w), n)
		checkSame("LayerNorm: b", len(b), n)
	}
	if single[F]() && normFast(f32(y), f32(mean), f32(rstd), f32(x), f32(w), f32(b), rows, n, float32(eps)) {
		return
	}
	for i := range rows {
		mean[i], rstd[i] = normRow(y[i*n:i*n+n], x[i*n:i*n+n], w, b, eps)
	}
}

func normRow[F Float](y, x, w, b []F, eps F) (mean, rstd F) {
	n := F(len(x))
	mean = sum(x) / n
	for j, v := range x {
		y[j] = v - mean
	}
	rstd = 1 / F(math.Sqrt(float64(dot(y, y)/n+eps)))
	for j, c := range y {
		y[j] = F(c * rstd)
	}
	for j := range w {
		y[j] = fma(y[j], w[j], b[j])
	}
	return mean, rstd
}

// LayerNormBackward adds to dx (rows,n) the gradient with respect to the input x of
// LayerNorm, and to dw and db (n) the gradients of its parameters, given the gradient dy
// (rows,n) of its output. With x̂ = (x−mean)·rstd and g = dy·w,
//
//	dx += rstd·(g − Σ g/n − x̂·Σ g·x̂/n);  dw += dy·x̂;  db += dy
//
// Rows are added in order. dw and db, and also w, may be nil.
func LayerNormBackward[F Float](dx, dw, db []F, dy, x, mean, rstd, w []F, rows, n int) {
	checkMatrix("LayerNormBackward: dx", len(dx), rows, n, n)
	checkMatrix("LayerNormBackward: dy", len(dy), rows, n, n)
	checkMatrix("LayerNormBackward: x", len(x), rows, n, n)
	checkLen("LayerNormBackward: mean", len(mean), rows)
	checkLen("LayerNormBackward: rstd", len(rstd), rows)
	if w != nil {
		checkSame("LayerNormBackward: w", len(w), n)
	}
	if dw != nil || db != nil {
		checkSame("LayerNormBackward: dw", len(dw), n)
		checkSame("LayerNormBackward: db", len(db), n)
	}
	if single[F]() && normBackwardFast(f32(dx), f32(dw), f32(db), f32(dy),
		f32(x), f32(mean), f32(rstd), f32(w), rows, n) {
		return
	}
	for i := range rows {
		normRowBackward(dx[i*n:i*n+n], dw, db, dy[i*n:i*n+n], x[i*n:i*n+n], mean[i], rstd[i], w)
	}
}

func normRowBackward[F Float](dx, dw, db []F, dy, x []F, mean, rstd F, w []F) {
	var sumG, sumGX [lanes]F
	gradient := func(j int) (g, xhat F) {
		if j >= len(x) {
			return 0, 0
		}
		g, xhat = dy[j], (x[j]-mean)*rstd
		if w != nil {
			g = F(g * w[j])
		}
		return g, xhat
	}
	for j := 0; j < len(x); j += lanes {
		for l := range lanes {
			g, xhat := gradient(j + l)
			sumG[l] += g
			sumGX[l] = fma(g, xhat, sumGX[l])
		}
	}
	n := F(len(x))
	m1, m2 := reduce(&sumG)/n, reduce(&sumGX)/n
	for j := range x {
		g, xhat := gradient(j)
		dx[j] = fma(rstd, fma(-xhat, m2, g-m1), dx[j])
		if dw != nil {
			dw[j] = fma(dy[j], xhat, dw[j])
			db[j] += dy[j]
		}
	}
}
