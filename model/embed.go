package model

import (
	"math"

	"foretell/internal/kernel"
)

// embed returns the residual stream before the first block: the token's
// embedding plus the position's, (B,T,d).
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

// embedBackward adds dx to the rows of the embeddings that were read.
func (m *Transformer[F]) embedBackward(w *Workspace[F], tokens []int32, dx []F, grads *Weights[F]) {
	kernel.ScatterAdd(grads.embed, dx, tokens, w.d)
	if grads.position != nil {
		kernel.ScatterAdd(grads.position, dx, w.positionIDs[:w.rows], w.d)
	}
}

// sinusoids returns the fixed positional embedding of "Attention is all you
// need" (Sec. 3.5): sin(p·ω_k) and cos(p·ω_k) in columns 2k and 2k+1, with
// ω_k = 10000^(−2k/d). The result is (n,d).
func sinusoids[F Float](n, d int) []F {
	table := make([]F, n*d)
	for p := range n {
		for j := range d {
			angle := float64(p) * math.Pow(10000, -float64(j/2*2)/float64(d))
			if j%2 == 0 {
				table[p*d+j] = F(math.Sin(angle))
			} else {
				table[p*d+j] = F(math.Cos(angle))
			}
		}
	}
	return table
}
