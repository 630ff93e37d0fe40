package model

import "foretell/internal/kernel"

// norm normalises each row of the residual stream to mean 0 and variance 1;
// LN then applies a weight and a bias, LNPre does not, none passes its input on.
type norm struct {
	none bool
	eps  float64
	hook string
}

func newNorm(c Config, name string) norm {
	return norm{none: c.NormalizationType == "none", eps: c.Eps, hook: name + ".hook_normalized"}
}

// normForward returns the normalised x, (B,T,d).
func normForward[F Float](n norm, w *Workspace[F], p normWeights[F], a *normActivations[F], x []F) []F {
	if n.none {
		return x
	}
	y := a.out[:w.rows*w.d]
	kernel.LayerNorm(y, a.mean[:w.rows], a.rstd[:w.rows], x, p.w, p.b, w.rows, w.d, F(n.eps))
	w.hook(n.hook, y, w.batch, w.length, w.d)
	return y
}

// normBackward adds to dx the gradient of the norm's input x, given that of its
// output, dy; all are (B,T,d).
func normBackward[F Float](n norm, w *Workspace[F], p, g normWeights[F], a *normActivations[F], x, dy, dx []F) {
	if n.none {
		kernel.Add(dx, dy)
		return
	}
	w.gradient(n.hook, dy, w.batch, w.length, w.d)
	kernel.LayerNormBackward(dx, g.w, g.b, dy, x, a.mean[:w.rows], a.rstd[:w.rows], p.w, w.rows, w.d)
}
