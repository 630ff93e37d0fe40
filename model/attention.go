package model

import (
	"math"

	"foretell/internal/kernel"
)

// attention is causal multi-head attention: for each head
//
//	q = x·W_Q + b_Q, k = x·W_K + b_K, v = x·W_V + b_V
//	pattern = softmax(q·kᵀ/√h) over the sources s ≤ d
//	out = Σ_heads (pattern·v)·W_O + b_O
type attention struct {
	heads, width int // H and h
	scale        float64
	hooks        attnHooks
}

type attnHooks struct{ q, k, v, scores, pattern, z string }

func newAttention(c Config, name string, heads int) attention {
	return attention{
		heads: heads, width: c.DHead, scale: 1 / math.Sqrt(float64(c.DHead)),
		hooks: attnHooks{
			name + ".hook_q", name + ".hook_k", name + ".hook_v",
			name + ".hook_attn_scores", name + ".hook_pattern", name + ".hook_z",
		},
	}
}

// attnForward writes the attention's output for x, both (B,T,d).
func attnForward[F Float](at attention, w *Workspace[F], p attnWeights[F], a *attnActivations[F], x, out []F) {
	a.in = x
	each := w.rows * at.width
	q, k, v, z := a.q[:at.heads*each], a.k[:at.heads*each], a.v[:at.heads*each], a.z[:at.heads*each]
	project(at, w, q, x, p.wq, p.bq, at.hooks.q)
	project(at, w, k, x, p.wk, p.bk, at.hooks.k)
	project(at, w, v, x, p.wv, p.bv, at.hooks.v)
	mix(at, w, a, q, k, v, z)
	for h := range at.heads {
		kernel.Gemm(w.rows, w.d, at.width,
			z[h*each:], at.width, 1, p.wo[h*at.width*w.d:], w.d, out, w.d, h > 0)
	}
	kernel.AddBias(out, w.d, w.rows, w.d, p.bo)
}

// project writes x·W + b of each head into y, (H,B,T,h).
func project[F Float](at attention, w *Workspace[F], y, x, weight, bias []F, hook string) {
	each := w.rows * at.width
	for h := range at.heads {
		kernel.Gemm(w.rows, at.width, w.d,
			x, w.d, 1, weight[h*w.d*at.width:], at.width, y[h*each:], at.width, false)
		kernel.AddBias(y[h*each:], at.width, w.rows, at.width, bias[h*at.width:(h+1)*at.width])
	}
	w.hook(hook, y, at.heads, w.batch, w.length, at.width)
}

// mix computes the pattern of each head and the values that it gathers, z.
func mix[F Float](at attention, w *Workspace[F], a *attnActivations[F], q, k, v, z []F) {
	T, h, n := w.length, at.width, at.heads*w.batch
	pattern, scores := a.pattern[:n*T*T], w.scoresOf(n*T*T)
	for i := range n {
		rows, square := i*T*h, i*T*T
		var s []F
		if scores != nil {
			s = scores[square:]
		}
		kernel.AttentionPattern(pattern[square:], s, q[rows:], k[rows:], h, w.attnScratch, T, h, F(at.scale))
	}
	if scores != nil {
		hookScores(at, w, pattern, scores)
	}
	w.hook(at.hooks.pattern, pattern, at.heads, w.batch, T, T)
	for i := range n {
		rows, square := i*T*h, i*T*T
		kernel.AttentionMix(z[rows:], h, pattern[square:], v[rows:], h, T, h)
	}
	w.hook(at.hooks.z, z, at.heads, w.batch, T, h)
}

// hookScores shows the scores to the hook, the masked ones as −∞, and makes the
// pattern anew from what the hook leaves.
func hookScores[F Float](at attention, w *Workspace[F], pattern, scores []F) {
	T := w.length
	for i := range scores {
		if d, s := i/T%T, i%T; s > d {
			scores[i] = F(math.Inf(-1))
		}
	}
	w.hook(at.hooks.scores, scores, at.heads, w.batch, T, T)
	for row := 0; row < len(scores); row += T {
		unmasked := row/T%T + 1
		kernel.Softmax(pattern[row:row+unmasked], scores[row:row+unmasked], 1, unmasked)
	}
}

// attnBackward writes the gradient of the input into dIn, given that of the
// output, dy; both are (B,T,d). t holds the weights transposed.
func attnBackward[F Float](at attention, w *Workspace[F], t, g attnWeights[F], a *attnActivations[F], dy, dIn []F) {
	T, each, area := w.length, w.rows*at.width, w.d*at.width
	kernel.ColumnSums(g.bo, dy, w.d, w.rows, w.d)
	dz, dq, dk, dv := w.dz[:each], w.dq[:each], w.dk[:each], w.dv[:each]
	for h := range at.heads {
		q, k, v, z := a.q[h*each:], a.k[h*each:], a.v[h*each:], a.z[h*each:]
		pattern := a.pattern[h*w.batch*T*T:]

		// out = z·W_O
		kernel.Gemm(at.width, w.d, w.rows, z, 1, at.width, dy, w.d, g.wo[h*area:], w.d, true)
		kernel.Gemm(w.rows, at.width, w.d, dy, w.d, 1, t.wo[h*area:], at.width, dz, at.width, false)

		for b := range w.batch {
			i := b * T * at.width
			kernel.AttentionBackward(dq[i:], dk[i:], dv[i:], dz[i:], at.width, pattern[b*T*T:], q[i:], k[i:], v[i:],
				at.width, w.attnScratch, T, at.width, F(at.scale))
		}

		// q = x·W_Q + b_Q, and so for k and v
		for i, p := range []struct{ dy, g, gb, t []F }{
			{dq, g.wq, g.bq, t.wq}, {dk, g.wk, g.bk, t.wk}, {dv, g.wv, g.bv, t.wv},
		} {
			kernel.Gemm(w.d, at.width, w.rows, a.in, 1, w.d, p.dy, at.width, p.g[h*area:], at.width, true)
			kernel.ColumnSums(p.gb[h*at.width:(h+1)*at.width], p.dy, at.width, w.rows, at.width)
			kernel.Gemm(w.rows, w.d, at.width, p.dy, at.width, 1, p.t[h*area:], w.d, dIn, w.d, h+i > 0)
		}
	}
}
