package model

import (
	"foretell/internal/kernel"
	"foretell/internal/portable"
)

// embed returns the residual stream before the first block, (B,T,d): the embedding of the
// token plus the embedding of its position.
func (m *Transformer[F]) embed(w *Workspace[F], tokens []int32) []F {
	x := w.embedding[:w.rows*w.d]
	kernel.Gather(x, m.Weights.embed, tokens, w.d)
	w.hook("hook_embed", x, w.batch, w.length, w.d)
	table := m.Weights.position
	if m.positions != nil {
		table = m.positions
	}
	if table == nil {
		return x
	}
	p := w.position[:w.rows*w.d]
	kernel.Gather(p, table, w.positionIDs[:w.rows], w.d)
	w.hook("hook_pos_embed", p, w.batch, w.length, w.d)
	kernel.Add(x, p)
	return x
}

// embedBackward adds w.dResid, the gradient of the residual stream before the first
// block, to the gradients of the embedding rows that the forward pass read.
func (m *Transformer[F]) embedBackward(w *Workspace[F], tokens []int32, grads *Weights[F]) {
	dx := w.dResid[:w.rows*w.d]
	w.gradient("hook_embed", dx, w.batch, w.length, w.d)
	if m.positions != nil || grads.position != nil {
		w.gradient("hook_pos_embed", dx, w.batch, w.length, w.d)
	}
	kernel.ScatterAdd(grads.embed, dx, tokens, w.d)
	if grads.position != nil {
		kernel.ScatterAdd(grads.position, dx, w.positionIDs[:w.rows], w.d)
	}
}

// ln10000 is ln 10000.
const ln10000 = 9.21034037197618273607

// sinusoids returns the fixed positional embedding of Vaswani et al. 2017, “Attention Is
// All You Need” (Sec. 3.5): sin(p·ω_k) and cos(p·ω_k) in columns 2k and 2k+1, with ω_k =
// 10000^(−2k/d). The result is (n,d).
func sinusoids[F Float](n, d int) []F {
	table := make([]F, n*d)
	for p := range n {
		for j := range d {
			frequency := portable.Exp(-ln10000 * float64(j/2*2) / float64(d))
			sin, cos := portable.Sincos(float64(p) * frequency)
			if j%2 == 0 {
				table[p*d+j] = F(sin)
			} else {
				table[p*d+j] = F(cos)
			}
		}
	}
	return table
}
