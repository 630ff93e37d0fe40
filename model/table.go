package model

import (
	"slices"

	"foretell/internal/kernel"
)

// table holds what the rows of a pass share, if there are few tokens: the residual stream
// before the first block depends only on a row's token and position, and so do its norm
// and its query, key and value. A pass computes them once for each token at each position
// and copies them to its rows, with the same bits.
type table[F Float] struct {
	w      *Workspace[F] // of a pass over V sequences, each of which repeats one token
	tokens []int32       // [V·n_ctx] the tokens of that pass
	ids    []int32       // the row of that pass to which each row of w is equal
}

// tables reports whether a workspace for the given number of sequences has a table. Its
// rows are then at most half of the workspace's.
func (n additive[F]) tables(batch int) bool {
	return n.NLayers > 0 && n.NormalizationType != "none" && 2*n.DVocab <= batch
}

// newTable returns the table of the workspace w.
func (n additive[F]) newTable(w *Workspace[F]) *table[F] {
	rows, heads := n.DVocab*len(w.identity), n.NHeads[0]*n.DHead
	make := func(n int) []F { return make([]F, n) }
	t := &Workspace[F]{
		d: w.d, vocab: w.vocab, capacity: rows, positionIDs: slices.Clone(w.positionIDs[:rows]),
		embedding: make(rows * w.d), position: w.position, packed: w.packed,
		blocks: []blockActivations[F]{{
			norm1: normActivations[F]{out: make(rows * w.d), mean: make(rows), rstd: make(rows)},
			attn:  attnActivations[F]{qkv: make(rows * 3 * heads)},
		}},
	}
	return &table[F]{t, slices.Clone(w.positionIDs[:rows]), slices.Clone(w.positionIDs)}
}

// first returns the residual stream before the first block, (B,T,d). If w.tabled is set
// then, the first block's norm and query, key and value are already in w.
func (n additive[F]) first(m *Transformer[F], w *Workspace[F], tokens []int32, narrow bool) []F {
	w.tabled = w.table != nil && n.tables(w.batch) && w.Hook == nil && w.paths == nil && !narrow
	if !w.tabled {
		return m.embed(w, tokens)
	}
	V, T, t, b, p := w.vocab, w.length, w.table, &m.blocks[0], m.Weights.blocks[0]
	for i := range V * T {
		t.tokens[i] = int32(i / T)
	}
	for i, token := range tokens {
		t.ids[i] = token*int32(T) + int32(i%T)
	}
	t.w.begin(Config(n), V*T, V)
	from, to, size := &t.w.blocks[0], &w.blocks[0], 3*b.attn.heads*b.attn.width
	x := m.embed(t.w, t.tokens[:V*T])
	in := normForward(b.norm1, t.w, p.norm1, &from.norm1, x)
	projectHeads(&b.attn, t.w, p.attn, from.attn.qkv[:V*T*size], in)

	ids := t.ids[:w.rows]
	kernel.Gather(w.embedding[:w.rows*w.d], x, ids, w.d)
	kernel.Gather(to.norm1.out[:w.rows*w.d], in, ids, w.d)
	kernel.Gather(to.attn.qkv[:w.rows*size], from.attn.qkv, ids, size)
	for i, id := range ids {
		to.norm1.mean[i], to.norm1.rstd[i] = from.norm1.mean[id], from.norm1.rstd[id]
	}
	to.norm1.frozen = nil
	return w.embedding[:w.rows*w.d]
}
