package model

import (
	"math"

	"foretell/internal/kernel"
)

// attention is causal multi-head attention: for each head
//
//	q = x·W_Q + b_Q, k = x·W_K + b_K, v = x·W_V + b_V
//	pattern = softmax(q·kᵀ/√h) over the sources s ≤ d, q and k turned by rotary positions
//	out = Σ_heads (pattern·v)·W_O + b_O
//
// q, k and v of all heads stand side by side in a row of qkv (B,T,3,H,h).
type attention struct {
	heads, width int // H and h
	scale        float64
	hooks        attnHooks
}

type attnHooks struct{ q, k, v, rotQ, rotK, scores, pattern, z string }

func newAttention(c Config, name string, heads int) attention {
	return attention{
		heads: heads, width: c.DHead, scale: 1 / math.Sqrt(float64(c.DHead)),
		hooks: attnHooks{
			name + ".hook_q", name + ".hook_k", name + ".hook_v", name + ".hook_rot_q", name + ".hook_rot_k",
			name + ".hook_attn_scores", name + ".hook_pattern", name + ".hook_z",
		},
	}
}

// attnForward writes the attention's output into out, (B,T,d), given the input x
// of every source, (B,T,d). In a narrowed pass out is (B,1,d).
func attnForward[F Float](at attention, w *Workspace[F], p attnWeights[F], a *attnActivations[F], r *rotary[F], x, out []F) {
	n := at.heads * at.width
	a.in = x
	qkv := a.qkv[:w.sources*3*n]
	for _, c := range projections(at, w, p) {
		step := w.stepOf(c)
		kernel.GemmBias(w.sources/step, c.n, w.d, x[(step-1)*w.d:], step*w.d, 1, c.w, c.ldw, qkv[(step-1)*3*n+c.at:], step*3*n, c.bias)
	}
	hookHeads(at, w, qkv, at.hooks.q, at.hooks.k, at.hooks.v)
	if r != nil {
		rotate(at, w, r, qkv, false)
		hookHeads(at, w, qkv, at.hooks.rotQ, at.hooks.rotK)
	}
	switch {
	case w.paths != nil:
		attendTree(at, w, a, qkv)
	case w.step() > 1:
		attendLast(at, w, a, qkv)
	default:
		attendAll(at, w, a, qkv)
	}
	z := a.z[:w.rows*n]
	w.hook(at.hooks.z, z, w.batch, w.length, at.heads, at.width)
	kernel.GemmBias(w.rows, w.d, n, z, n, 1, p.wo, w.d, out, w.d, p.bo)
}

// attendAll writes the pattern (B,H,T,T) and z (B,T,H,h), where every position
// attends to those up to it.
func attendAll[F Float](at attention, w *Workspace[F], a *attnActivations[F], qkv []F) {
	T, h, n := w.length, at.width, at.heads*at.width
	pattern := a.pattern[:w.batch*at.heads*T*T]
	var scores []F
	if w.hooked(at.hooks.scores) {
		scores = w.room(len(pattern))
	}
	for i := range w.batch * at.heads {
		q := qkv[i/at.heads*T*3*n+i%at.heads*h:]
		var s []F
		if scores != nil {
			s = scores[i*T*T:]
		}
		kernel.AttentionPattern(pattern[i*T*T:], s, q, q[n:], 3*n, w.attnScratch, T, h, F(at.scale))
	}
	if scores != nil {
		hookScores(at, w, pattern, scores)
	}
	w.hook(at.hooks.pattern, pattern, w.batch, at.heads, T, T)
	for i := range w.batch * at.heads {
		from := i/at.heads*T*n + i%at.heads*h
		v := qkv[i/at.heads*T*3*n+2*n+i%at.heads*h:]
		kernel.AttentionMix(a.z[from:], n, pattern[i*T*T:], v, 3*n, T, h)
	}
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
	w.hook(at.hooks.scores, scores, w.batch, at.heads, T, T)
	for row := 0; row < len(scores); row += T {
		unmasked := row/T%T + 1
		kernel.Softmax(pattern[row:row+unmasked], scores[row:row+unmasked], 1, unmasked)
	}
}

// attendLast writes the pattern (B,H,1,T) and z (B,1,H,h) of the last positions.
func attendLast[F Float](at attention, w *Workspace[F], a *attnActivations[F], qkv []F) {
	T, h, n := w.step(), at.width, at.heads*at.width
	pattern := a.pattern[:w.batch*at.heads*T]
	for i := range w.batch * at.heads {
		k := qkv[i/at.heads*T*3*n+n+i%at.heads*h:]
		q := k[(T-1)*3*n-n:]
		kernel.AttentionRowPattern(pattern[i*T:(i+1)*T], q[:h], k, 3*n, w.identity[:T], F(at.scale))
	}
	w.hook(at.hooks.pattern, pattern, w.batch, at.heads, 1, T)
	for i := range w.batch * at.heads {
		v := qkv[i/at.heads*T*3*n+2*n+i%at.heads*h:]
		kernel.AttentionRowMix(a.z[i*h:(i+1)*h], pattern[i*T:(i+1)*T], v, 3*n, w.identity[:T])
	}
}

// attendTree writes the pattern (N,H,1,n_ctx) and z (N,1,H,h) of the nodes of a
// tree, each of which attends to its ancestors and itself.
func attendTree[F Float](at attention, w *Workspace[F], a *attnActivations[F], qkv []F) {
	T, h, n := w.treeDepth, at.width, at.heads*at.width
	pattern := a.pattern[:w.rows*at.heads*T]
	for node := range w.rows {
		path := w.path(node)
		for i := node * at.heads; i < (node+1)*at.heads; i++ {
			q := qkv[node*3*n+i%at.heads*h:]
			p := pattern[i*T : (i+1)*T]
			kernel.AttentionRowPattern(p[:len(path)], q[:h], qkv[n+i%at.heads*h:], 3*n, path, F(at.scale))
			clear(p[len(path):])
		}
	}
	w.hook(at.hooks.pattern, pattern, w.rows, at.heads, 1, T)
	for node := range w.rows {
		path := w.path(node)
		for i := node * at.heads; i < (node+1)*at.heads; i++ {
			kernel.AttentionRowMix(a.z[i*h:(i+1)*h], pattern[i*T:i*T+len(path)], qkv[2*n+i%at.heads*h:], 3*n, path)
		}
	}
}

// attnBackward writes the gradient of the input of every source into dIn, given
// that of the output, dy; both are (B,T,d), dy (B,1,d) in a narrowed pass. t
// holds the weights transposed.
func attnBackward[F Float](at attention, w *Workspace[F], t, g attnWeights[F], a *attnActivations[F], r *rotary[F], dy, dIn []F) {
	n, T := at.heads*at.width, w.sources/w.batch
	dz, dqkv := w.dz[:w.rows*n], w.dqkv[:w.sources*3*n]

	// out = z·W_O + b_O
	kernel.ColumnSums(g.bo, dy, w.d, w.rows, w.d)
	kernel.Gemm(n, w.d, w.rows, a.z, 1, n, dy, w.d, g.wo, w.d, true)
	kernel.Gemm(w.rows, n, w.d, dy, w.d, 1, t.wo, n, dz, n, false)

	for i := range w.batch * at.heads {
		from := i/at.heads*T*3*n + i%at.heads*at.width
		q, dq := a.qkv[from:], dqkv[from:]
		if w.step() > 1 {
			attendLastBackward(at, w, a, i, dq, dz, q)
			continue
		}
		kernel.AttentionBackward(dq, dq[n:], dq[2*n:], dz[i/at.heads*T*n+i%at.heads*at.width:], n, a.pattern[i*T*T:],
			q, q[n:], q[2*n:], 3*n, w.attnScratch, T, at.width, F(at.scale))
	}

	if r != nil {
		rotate(at, w, r, dqkv, true)
	}

	// qkv = x·[W_Q W_K W_V] + [b_Q b_K b_V]
	for _, c := range projections(at, w, g) {
		step := w.stepOf(c)
		rows, dy := w.sources/step, dqkv[(step-1)*3*n+c.at:]
		kernel.Gemm(w.d, c.n, rows, a.in[(step-1)*w.d:], 1, step*w.d, dy, step*3*n, c.w, c.ldw, true)
		kernel.ColumnSums(c.bias, dy, step*3*n, rows, c.n)
	}
	keepProjections(at, w, g)
	if step := w.step(); step > 1 {
		clear(dIn)
		kernel.Gemm(w.rows, w.d, n, dqkv[(step-1)*3*n:], step*3*n, 1, t.wq, w.d, dIn[(step-1)*w.d:], step*w.d, false)
		kernel.Gemm(w.sources, w.d, 2*n, dqkv[n:], 3*n, 1, t.wk[:2*n*w.d], w.d, dIn, w.d, true)
		return
	}
	kernel.Gemm(w.sources, w.d, 3*n, dqkv, 3*n, 1, t.wq[:3*n*w.d], w.d, dIn, w.d, false)
}

// attendLastBackward is the backward pass of attendLast for sequence and head i.
func attendLastBackward[F Float](at attention, w *Workspace[F], a *attnActivations[F], i int, dq, dz, q []F) {
	T, h, n := w.step(), at.width, at.heads*at.width
	for t := range T {
		clear(dq[t*3*n+n : t*3*n+n+h])
		clear(dq[t*3*n+2*n : t*3*n+2*n+h])
	}
	last := (T - 1) * 3 * n
	kernel.AttentionRowBackward(dq[last:last+h], dq[n:], dq[2*n:], dz[i*h:(i+1)*h], a.pattern[i*T:(i+1)*T],
		q[last:last+h], q[n:], q[2*n:], 3*n, w.identity[:T], w.attnScratch, F(at.scale))
}
