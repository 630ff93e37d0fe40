package model

import "foretell/internal/kernel"

// norm normalises each row of the residual stream to mean 0 and variance 1,
//
//	y = (x − mean)/scale,  scale = √(Σ (x − mean)²/d + eps)
//
// LN then applies a weight and a bias, LNPre does not. With normalization_type none the
// output is the input.
type norm struct {
	none      bool
	eps       float64
	scaleHook string
	hook      string
}

func newNorm(c Config, name string) norm {
	return norm{
		none: c.NormalizationType == "none", eps: c.Eps,
		scaleHook: name + ".hook_scale", hook: name + ".hook_normalized",
	}
}

// normForward returns the normalised x, (B,T,d).
func normForward[F Float](n norm, w *Workspace[F], p normWeights[F], a *normActivations[F], x []F) []F {
	if n.none {
		return x
	}
	y := a.out[:w.rows*w.d]
	if w.tabled {
		return y
	}
	kernel.LayerNorm(y, a.mean[:w.rows], a.rstd[:w.rows], x, p.w, p.b, w.rows, w.d, F(n.eps))
	a.frozen = nil
	if w.hooked(n.scaleHook) {
		hookScale(n, w, p, a, x, y)
	}
	w.hook(n.hook, y, w.batch, w.length, w.d)
	return y
}

// hookScale passes the scales (B,T,1) to the hook. It normalises again the rows whose
// scale the hook changed; that scale is then a constant that does not depend on x.
func hookScale[F Float](n norm, w *Workspace[F], p normWeights[F], a *normActivations[F], x, y []F) {
	scales := make([]F, w.rows)
	for row, rstd := range a.rstd[:w.rows] {
		scales[row] = 1 / rstd
	}
	w.hook(n.scaleHook, scales, w.batch, w.length, 1)
	for row, scale := range scales {
		if scale == 1/a.rstd[row] {
			continue
		}
		if a.frozen == nil {
			a.frozen = make([]bool, w.rows)
		}
		a.frozen[row], a.rstd[row] = true, 1/scale
		for j := row * w.d; j < (row+1)*w.d; j++ {
			y[j] = F((x[j] - a.mean[row]) * a.rstd[row])
			if p.w != nil {
				y[j] = F(y[j]*p.w[j-row*w.d]) + p.b[j-row*w.d]
			}
		}
	}
}

// normBackward adds to dx the gradient of the norm's input x, given the gradient dy of
// its output; all are (B,T,d).
func normBackward[F Float](n norm, w *Workspace[F], p, g normWeights[F], a *normActivations[F], x, dy, dx []F) {
	if n.none {
		kernel.Add(dx, dy)
		return
	}
	w.gradient(n.hook, dy, w.batch, w.length, w.d)
	scaleGradient(n, w, p, a, x, dy)
	if a.frozen == nil {
		kernel.LayerNormBackward(dx, g.w, g.b, dy, x, a.mean[:w.rows], a.rstd[:w.rows], p.w, w.rows, w.d)
		return
	}
	for row, frozen := range a.frozen {
		from, to := row*w.d, (row+1)*w.d
		if frozen {
			frozenBackward(dx[from:to], dy[from:to], x[from:to], a.mean[row], a.rstd[row], p, g)
			continue
		}
		kernel.LayerNormBackward(dx[from:to], g.w, g.b, dy[from:to], x[from:to],
			a.mean[row:row+1], a.rstd[row:row+1], p.w, 1, w.d)
	}
}

// frozenBackward is the backward pass of a row whose scale does not depend on x:
//
//	dx += (g − Σ g/d)/scale with g = dy·w;  dw += dy·(x − mean)/scale;  db += dy
func frozenBackward[F Float](dx, dy, x []F, mean, rstd F, p, g normWeights[F]) {
	sum := F(0)
	for j, d := range dy {
		sum += p.times(d, j)
	}
	for j, d := range dy {
		dx[j] += F((p.times(d, j) - sum/F(len(dy))) * rstd)
		if g.w != nil {
			g.w[j] += F(F(d*rstd) * (x[j] - mean))
			g.b[j] += d
		}
	}
}

// times returns d multiplied by weight j of the norm, or d if the norm has no weight.
func (p normWeights[F]) times(d F, j int) F {
	if p.w == nil {
		return d
	}
	return F(d * p.w[j])
}

// scaleGradient passes the gradients of the scales, (B,T,1), to the hook: −Σ g·(x −
// mean)/scale² with g = dy·w.
func scaleGradient[F Float](n norm, w *Workspace[F], p normWeights[F], a *normActivations[F], x, dy []F) {
	if !w.showsGradient(n.scaleHook) {
		return
	}
	d := make([]F, w.rows)
	for row := range d {
		for j := range w.d {
			i := row*w.d + j
			d[row] -= F(p.times(dy[i], j) * (x[i] - a.mean[row]))
		}
		d[row] *= F(a.rstd[row] * a.rstd[row])
	}
	w.gradient(n.scaleHook, d, w.batch, w.length, 1)
}
