package model

import (
	"math"

	"foretell/internal/kernel"
)

// attention is causal multi-head attention. For each head,
//
//	q = x·W_Q + b_Q, k = x·W_K + b_K, v = x·W_V + b_V
//	pattern = softmax(q·kᵀ/√h) over sources up to the destination; rotary rotates q, k
//	out = Σ_heads (pattern·v)·W_O + b_O
//
// A row of qkv (B,T,3,H,h) holds q of all heads, then k, then v.
type attention struct {
	heads, width int // the number of heads H and their width h
	scale        float64
	hooks        attnHooks
}

// attnHooks are the hook names of an attention layer. No hook is called under the name
// `result`: [Transformer.HeadResults] gives it to the tensor that it computes from z.
type attnHooks struct{ q, k, v, rotQ, rotK, scores, pattern, z, result string }

func newAttention(c Config, name string, heads int) attention {
	return attention{
		heads: heads, width: c.DHead, scale: 1 / math.Sqrt(float64(c.DHead)),
		hooks: attnHooks{
			name + ".hook_q", name + ".hook_k", name + ".hook_v", name + ".hook_rot_q", name + ".hook_rot_k",
			name + ".hook_attn_scores", name + ".hook_pattern", name + ".hook_z", name + ".hook_result",
		},
	}
}

// offsets are the indices at which the numbers of one head and sequence start: in qkv
// (B,T,3,H,h), whose rows are 3·H·h apart, in z (B,D,H,h) and in the pattern (B,H,D,T),
// for D destinations and T sources.
type offsets struct{ q, k, v, z, pattern int }

// offsets returns the offsets for the i-th (sequence, head) pair, ordered by sequence,
// then by head. Each sequence has D destinations and T sources.
func (at *attention) offsets(i, D, T int) offsets {
	b, head := i/at.heads, i%at.heads*at.width
	n := at.heads * at.width
	q := b*T*3*n + head
	return offsets{q: q, k: q + n, v: q + 2*n, z: b*D*n + head, pattern: i * D * T}
}

// shape returns the shape of the attention of a number of sequences of length T.
func (at *attention) shape(sequences, T int) kernel.Heads {
	return kernel.Heads{Sequences: sequences, Heads: at.heads, T: T, Width: at.width}
}

// attnForward returns z (B,T,H,h), the input of W_O, given the attention's input x
// (B,T,d) at every source. In a narrowed pass, which computes the last positions only, z
// is (B,1,H,h).
func attnForward[F Float](at *attention, w *Workspace[F], p attnWeights[F], a *attnActivations[F],
	r *rotary[F], x []F,
) (z []F) {
	n := at.heads * at.width
	a.in = x
	qkv := a.qkv[w.past*3*n:][:w.sources*3*n]
	if !w.tabled {
		projectHeads(at, w, p, qkv, x)
	}
	hookHeads(at, w, qkv, at.hooks.q, at.hooks.k, at.hooks.v)
	if r != nil {
		rotate(at, w, r, qkv, false)
		hookHeads(at, w, qkv, at.hooks.rotQ, at.hooks.rotK)
	}
	switch {
	case w.stream:
		attendStream(at, w, a)
	case w.byRow():
		attendRows(at, w, a, qkv)
	default:
		attendAll(at, w, a, qkv)
	}
	z = a.z[:w.rows*n]
	w.hook(at.hooks.z, z, w.batch, w.length, at.heads, at.width)
	return z
}

// projectHeads writes x·[W_Q W_K W_V] + [b_Q b_K b_V] to qkv (B,T,3,H,h), given the
// attention's input x (B,T,d) at every source.
func projectHeads[F Float](at *attention, w *Workspace[F], p attnWeights[F], qkv, x []F) {
	n := at.heads * at.width
	for _, c := range projections(at, w, p) {
		step := w.stepOf(c)
		kernel.GemmBias(w.sources/step, c.n, w.d, x[(step-1)*w.d:], step*w.d, 1, c.w, c.ldw,
			qkv[(step-1)*3*n+c.at:], step*3*n, c.bias)
	}
}

// attendAll writes the pattern (B,H,T,T) and z (B,T,H,h), where every position attends to
// itself and the positions before it. The masked half of the pattern is set to 0 only if
// a hook reads it.
func attendAll[F Float](at *attention, w *Workspace[F], a *attnActivations[F], qkv []F) {
	T, h, n := w.length, at.width, at.heads*at.width
	pattern := a.pattern[:w.batch*at.heads*T*T]
	if !w.hooked(at.hooks.scores) && !w.hooked(at.hooks.pattern) {
		kernel.AttentionHeads(a.z, n, pattern, qkv, qkv[n:], qkv[2*n:], 3*n, w.attnScratch,
			at.shape(w.batch, T), F(at.scale))
		return
	}
	var scores []F
	if w.hooked(at.hooks.scores) {
		scores = w.room(len(pattern))
	}
	for i := range w.batch * at.heads {
		o := at.offsets(i, T, T)
		var s []F
		if scores != nil {
			s = scores[o.pattern:]
		}
		kernel.AttentionPattern(pattern[o.pattern:], s, qkv[o.q:], qkv[o.k:], 3*n, w.attnScratch, T, h, F(at.scale))
	}
	if scores != nil {
		hookScores(at, w, pattern, scores)
	}
	if w.hooked(at.hooks.pattern) {
		for row := range w.batch * at.heads * T {
			clear(pattern[row*T+row%T+1 : (row+1)*T])
		}
		w.hook(at.hooks.pattern, pattern, w.batch, at.heads, T, T)
	}
	for i := range w.batch * at.heads {
		o := at.offsets(i, T, T)
		kernel.AttentionMix(a.z[o.z:], n, pattern[o.pattern:], qkv[o.v:], 3*n, T, h)
	}
}

// hookScores passes the scores to the hook, with masked scores as −∞, and recomputes the
// pattern from the scores as the hook leaves them.
func hookScores[F Float](at *attention, w *Workspace[F], pattern, scores []F) {
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

// byRow reports whether the pass computes attention row by row: for the last position of
// each sequence, or for the nodes of a tree.
func (w *Workspace[F]) byRow() bool { return w.paths != nil || w.step() > 1 }

// sight returns what one row of the pass (a position, or a node of a tree) sees: the
// source whose query the row uses, and the sources first+seen[0], first+seen[1], …, to
// which the row attends.
func (w *Workspace[F]) sight(row int) (source, first int, seen []int32) {
	if w.paths != nil {
		return row, 0, w.path(row)
	}
	T := w.step()
	return (row+1)*T - 1, row * T, w.identity[:T]
}

// mostSeen is the largest number of sources that a row attends to.
func (w *Workspace[F]) mostSeen() int {
	if w.paths != nil {
		return w.treeDepth
	}
	return w.step()
}

// attendRows computes attention for N single rows: the last positions of N sequences, or
// the N nodes of a tree, each of which attends to its ancestors and itself. It writes z
// (N,1,H,h) and the pattern (N,H,1,T), where T is the largest number of sources that a
// row attends to.
func attendRows[F Float](at *attention, w *Workspace[F], a *attnActivations[F], qkv []F) {
	T, h, n := w.mostSeen(), at.width, at.heads*at.width
	pattern := a.pattern[:w.rows*at.heads*T]
	for row := range w.rows {
		source, first, seen := w.sight(row)
		q, k := qkv[source*3*n:], qkv[first*3*n+n:]
		for head := range at.heads {
			p := pattern[(row*at.heads+head)*T:][:T]
			kernel.AttentionRowPattern(p[:len(seen)], q[head*h:][:h], k[head*h:], 3*n, seen, F(at.scale))
			clear(p[len(seen):])
		}
	}
	w.hook(at.hooks.pattern, pattern, w.rows, at.heads, 1, T)
	for row := range w.rows {
		_, first, seen := w.sight(row)
		z, v := a.z[row*n:], qkv[first*3*n+2*n:]
		for head := range at.heads {
			p := pattern[(row*at.heads+head)*T:]
			kernel.AttentionRowMix(z[head*h:][:h], p[:len(seen)], v[head*h:], 3*n, seen)
		}
	}
}

// attnBackward computes dIn (B,T,d), the gradient of the input at every source, and the
// gradients g of the parameters. It is given dy, the gradient of the output: (B,T,d), or
// (B,1,d) in a narrowed pass. If the `others` slice (B,T,d) is not nil, it is the
// gradient from other uses of the input and is added to dIn. In a narrowed pass `others`
// is nil. t holds the transposed weights.
func attnBackward[F Float](at *attention, w *Workspace[F], t, g attnWeights[F], a *attnActivations[F],
	r *rotary[F], dy, dIn, others []F,
) {
	n := at.heads * at.width
	dz, dqkv := w.dz[:w.rows*n], w.dqkv[:w.sources*3*n]

	// out = z·W_O + b_O
	kernel.ColumnSums(g.bo, dy, w.d, w.rows, w.d)
	kernel.Gemm(n, w.d, w.rows, a.z, 1, n, dy, w.d, g.wo, w.d, w.adds)
	kernel.Gemm(w.rows, n, w.d, dy, w.d, 1, t.wo, n, dz, n, false)
	w.gradient(at.hooks.z, dz, w.batch, w.length, at.heads, at.width)
	patternGradients(at, w, a, dz)

	if w.byRow() {
		attendRowsBackward(at, w, a, dqkv, dz)
	} else {
		attendAllBackward(at, w, a, dqkv, dz)
	}
	if r != nil {
		headGradients(at, w, dqkv, at.hooks.rotQ, at.hooks.rotK)
		rotate(at, w, r, dqkv, true)
	}
	headGradients(at, w, dqkv, at.hooks.q, at.hooks.k, at.hooks.v)

	// qkv = x·[W_Q W_K W_V] + [b_Q b_K b_V]
	for _, c := range projectionGradients(at, w, g) {
		step := w.stepOf(c)
		rows, dy := w.sources/step, dqkv[(step-1)*3*n+c.at:]
		kernel.Gemm(w.d, c.n, rows, a.in[(step-1)*w.d:], 1, step*w.d, dy, step*3*n, c.w, c.ldw, w.adds)
		kernel.ColumnSums(c.bias, dy, step*3*n, rows, c.n)
	}
	keepProjections(at, w, g)
	if step := w.step(); step > 1 {
		clear(dIn)
		kernel.Gemm(w.rows, w.d, n, dqkv[(step-1)*3*n:], step*3*n, 1, t.wq, w.d, dIn[(step-1)*w.d:], step*w.d, false)
		kernel.Gemm(w.sources, w.d, 2*n, dqkv[n:], 3*n, 1, t.wk[:2*n*w.d], w.d, dIn, w.d, true)
		return
	}
	kernel.GemmAdd(w.sources, w.d, 3*n, dqkv, 3*n, 1, t.wq[:3*n*w.d], w.d, dIn, w.d, nil, others)
}

// attendAllBackward is the backward pass of attendAll: it writes the gradient dqkv
// (B,T,3,H,h), given the gradient dz (B,T,H,h).
func attendAllBackward[F Float](at *attention, w *Workspace[F], a *attnActivations[F], dqkv, dz []F) {
	T, n := w.length, at.heads*at.width
	kernel.AttentionHeadsBackward(dqkv, dqkv[n:], dqkv[2*n:], dz, n, a.pattern,
		a.qkv, a.qkv[n:], a.qkv[2*n:], 3*n, w.attnScratch, at.shape(w.batch, T), F(at.scale))
}

// attendRowsBackward is the backward pass of attendRows: it writes the gradient dqkv
// (S,3,H,h) of all S sources, given the gradient dz (N,H,h) of N rows. In row order, each
// row adds to the gradients of the sources that it attends to. If a source is not a row,
// its query gradient is left unchanged.
func attendRowsBackward[F Float](at *attention, w *Workspace[F], a *attnActivations[F], dqkv, dz []F) {
	T, h, n := w.mostSeen(), at.width, at.heads*at.width
	for source := range w.sources {
		clear(dqkv[source*3*n+n:][:2*n]) // the gradients of k and v
	}
	for row := range w.rows {
		source, first, seen := w.sight(row)
		for head := range at.heads {
			q, k := source*3*n+head*h, first*3*n+n+head*h
			v := k + n
			p := a.pattern[(row*at.heads+head)*T:][:len(seen)]
			kernel.AttentionRowBackward(dqkv[q:q+h], dqkv[k:], dqkv[v:], dz[row*n+head*h:][:h], p,
				a.qkv[q:q+h], a.qkv[k:], a.qkv[v:], 3*n, seen, w.attnScratch, F(at.scale))
		}
	}
}
