package model

import (
	"slices"

	"foretell/internal/kernel"
)

func (disentangled[F]) backward(m *Transformer[F], w *Workspace[F], tokens []int32, grads *Weights[F]) {
	n, t := m.concat, m.transposed
	if w.GradientHook != nil && !w.concat.layers[0].whole {
		panic("model: with residual: concat, set GradientHook before the forward pass")
	}
	w.concat.allocateGradients(n, w.capacity)
	if !w.adds {
		clear(grads.unembed.w) // accumulated below, block by block
	}
	if w.paths != nil {
		m.concatTreeBackward(w, grads)
		return
	}
	unembedConcatBackward(n, w, t.unembed.w, grads.unembed.w, tokens)
	for layer := len(n.heads) - 1; layer >= 0; layer-- {
		streamGradient(n, w, n.hooks[layer].residPost, layer+1)
		attendConcatBackward(n, w, t.blocks[layer].attn.wa, grads.blocks[layer].attn.wa, tokens, layer)
		if step := w.step(); step > 1 {
			w.rows, w.length = w.sources, step
		}
		streamGradient(n, w, n.hooks[layer].residPre, layer)
	}
}

// streamGradient passes the gradient of the stream before a layer to the hook.
func streamGradient[F Float](n *concat, w *Workspace[F], name string, layer int) {
	if !w.showsGradient(name) {
		return
	}
	d, step, dh := n.widths[layer], w.step(), w.concat.dRows(n)
	flat := make([]F, w.rows*d)
	for r := range w.rows {
		copy(flat[r*d:(r+1)*d], dh.at(r*step+step-1, 0))
	}
	w.gradient(name, flat, w.batch, w.length, d)
}

// allocateGradients allocates the scratch space of the backward pass at its first use.
func (a *concatActivations[F]) allocateGradients(n *concat, rows int) {
	if a.dStream != nil {
		return
	}
	a.dStream = make([]F, rows*slices.Max(n.widths))
	widest := 0
	for i, heads := range n.heads {
		widest = max(widest, heads*n.widths[i])
	}
	a.dq = make([]F, rows*widest)
}

// dRows returns the gradient of the stream h, as a matrix with the layout of h.
func (a *concatActivations[F]) dRows(n *concat) matrix[F] {
	return matrix[F]{a.dStream, n.widths[len(n.widths)-1]}
}

// unembedConcatBackward sets dStream to the gradient of h^L, in the columns that products
// read, and adds the gradient of W_U to dw. t is W_U transposed.
func unembedConcatBackward[F Float](n *concat, w *Workspace[F], t, dw []F, tokens []int32) {
	e, h, dh, dlogits, V := extentOf(n, w), w.concat.rows(n), w.concat.dRows(n), w.DLogits(), w.vocab
	rows := e.T - e.from
	if e.from > 0 {
		clear(dh.data[:w.sources*dh.ld])
	}
	for b := range e.batch {
		for from := e.from; from < e.T; from = e.tileEnd(from) {
			end := e.tileEnd(from)
			if !e.whole {
				for i := from; i < end; i++ {
					dy := dlogits[(b*rows+i-e.from)*V:][:V]
					kernel.Add(dw[int(tokens[b*e.T+i])*V:][:V], dy)
					kernel.Add(dw[(n.vocab+i)*V:][:V], dy)
				}
			}
			i, reach, dy := b*e.T+from, e.reach(end), dlogits[(b*rows+from-e.from)*V:]
			for unit := e.first() * e.unit; unit < h.ld; unit += e.unit {
				kernel.Gemm(reach, V, end-from, h.at(i, unit), 1, h.ld, dy, V, dw[unit*V:], V, true)
				kernel.Gemm(end-from, reach, V, dy, V, 1, t[unit:], h.ld, dh.at(i, unit), dh.ld, false)
			}
		}
	}
}

// attendConcatBackward is the backward pass of a layer's heads. It adds two gradients: to
// the gradient of the stream before the layer, the part that flows back through the
// heads' outputs; and to da, the gradients of the heads' matrices Ã. t holds their
// transposes.
func attendConcatBackward[F Float](n *concat, w *Workspace[F], t, da []F, tokens []int32, layer int) {
	e, d, heads := extentOf(n, w), n.widths[layer], n.heads[layer]
	a, h, dh := &w.concat.layers[layer], w.concat.rows(n), w.concat.dRows(n)
	e.whole = a.whole
	size, rows := e.batch*e.T*d, e.T-e.from
	var shown []F
	if w.showsGradient(n.hooks[layer].pattern) || w.showsGradient(n.hooks[layer].scores) {
		shown = make([]F, e.batch*heads*rows*e.T)
	}
	for b := range e.batch {
		own, dOwn := matrix[F]{h.at(b*e.T, 0), h.ld}, matrix[F]{dh.at(b*e.T, 0), dh.ld}
		transposed := transposeStream(e, w, own.data, h.ld, d)
		for k := range heads {
			p, ds := matrix[F]{a.pattern[(b*heads+k)*rows*e.T:], e.T}, matrix[F]{w.concat.scores, e.T}
			dOut, at := matrix[F]{dOwn.at(0, (1+k)*d), dh.ld}, k*size+b*e.T*d
			inner(e, ds, dOut, transposed, tokens[b*e.T:], d)
			if shown != nil {
				copy(shown[(b*heads+k)*rows*e.T:][:rows*e.T], ds.data)
			}
			concatPatternBackward(e, ds, p, F(n.scale))
			mix(e, matrix[F]{w.concat.dq[at:], d}, ds, own, tokens[b*e.T:], d)
			spread(e, dOwn, p, dOut, d)
			spread(e, dOwn, ds, matrix[F]{a.q[at:], d}, d)
		}
	}
	if shown != nil {
		hooks := n.hooks[layer]
		showPatternGradients(w, hooks.pattern, hooks.scores, shown, a.pattern, e.batch, heads, rows, e.T)
	}
	for k := range heads {
		dq := matrix[F]{w.concat.dq[k*size:], d}
		outer(e, w.concat.block, da[k*d*d:(k+1)*d*d], dq, h, tokens)
		projectBackward(e, w.concat.block, dh, dq, t[k*d*d:(k+1)*d*d])
	}
}

// concatPatternBackward is the backward pass of concatPattern: it replaces the gradient
// of the pattern p by the gradient of the scores, which is 0 where they are masked.
func concatPatternBackward[F Float](e extent, ds, p matrix[F], scale F) {
	if e.from > 0 {
		kernel.SoftmaxBackward(ds.data[:e.T], p.data[:e.T], 1, e.T, scale)
		return
	}
	kernel.CausalSoftmaxBackward(ds.data, ds.ld, p.data, p.ld, e.T, scale)
	for i := range e.T {
		clear(ds.at(i, i+1)[:e.T-i-1])
	}
}
