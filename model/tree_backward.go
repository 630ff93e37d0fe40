package model

import "foretell/internal/kernel"

// concatTreeBackward implements [Transformer.Backward] after [Transformer.ForwardTree]
// for networks with residual: concat. The products run over all nodes and whole rows of
// the stream.
func (m *Transformer[F]) concatTreeBackward(w *Workspace[F], grads *Weights[F]) {
	n, h, dh, dlogits, V := m.concat, w.concat.rows(m.concat), w.concat.dRows(m.concat), w.DLogits(), w.vocab
	kernel.Gemm(h.ld, V, w.rows, h.data, 1, h.ld, dlogits, V, grads.unembed.w, V, true)
	kernel.Gemm(w.rows, h.ld, V, dlogits, V, 1, m.transposed.unembed.w, h.ld, dh.data, dh.ld, false)
	for layer := len(n.heads) - 1; layer >= 0; layer-- {
		d, heads := n.widths[layer], n.heads[layer]
		attendConcatTreeBackward(n, w, layer)
		for k := range heads {
			dq, da := w.concat.dq[k*w.rows*d:], grads.blocks[layer].attn.wa[k*d*d:]
			kernel.Gemm(d, d, w.rows, h.data, 1, h.ld, dq, d, da, d, true)
			kernel.Gemm(w.rows, d, d, dq, d, 1, m.transposed.blocks[layer].attn.wa[k*d*d:], d, dh.data, dh.ld, true)
		}
	}
}

// attendConcatTreeBackward is the backward pass of attendConcatTree. To the gradient of
// the stream before the layer it adds the part that flows back through the heads'
// outputs, and it writes the gradient of the heads' queries.
func attendConcatTreeBackward[F Float](n *concat, w *Workspace[F], layer int) {
	d, heads, T := n.widths[layer], n.heads[layer], w.treeDepth
	a, h, dh := &w.concat.layers[layer], w.concat.rows(n), w.concat.dRows(n)
	for node := range w.rows {
		path := w.path(node)
		for k := range heads {
			p, q := a.pattern[(node*heads+k)*T:][:len(path)], (k*w.rows+node)*d
			// The stream is both key and value.
			kernel.AttentionRowBackward(w.concat.dq[q:q+d], dh.data, dh.data, dh.at(node, (1+k)*d)[:d], p,
				a.q[q:q+d], h.data, h.data, h.ld, path, w.concat.scores, F(n.scale))
		}
	}
}

// spreadPath adds the gradient of one node's window to the slice `out` (N,d), the
// gradients of the nodes' embeddings. The embeddings of the path's nodes fill the end of
// the window.
func spreadPath[F Float](out, window []F, path []int32, d int) {
	for k, node := range path {
		at := len(window) - (len(path)-k)*d
		kernel.Add(out[int(node)*d:(int(node)+1)*d], window[at:at+d])
	}
}
