package model

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"foretell/internal/kernel"
)

// concat is a network with concatenated heads; see [Config.Concatenates].
type concat struct {
	vocab, unit int   // V and V + n_ctx
	widths      []int // the widths d_0 … d_L of the stream
	heads       []int // the numbers of heads H_1 … H_L
	scale       float64
	hooks       []concatHooks
}

type concatHooks struct{ residPre, scores, pattern, residPost string }

func (c disentangled[F]) build(m *Transformer[F]) {
	n := &concat{vocab: c.DVocab, unit: c.DModel, heads: c.NHeads, scale: 1 / c.AttnScale}
	for i := range c.NLayers {
		name := "blocks." + strconv.Itoa(i)
		n.widths = append(n.widths, c.width(i))
		n.hooks = append(n.hooks, concatHooks{
			name + ".hook_resid_pre", name + ".attn.hook_attn_scores",
			name + ".attn.hook_pattern", name + ".hook_resid_post",
		})
	}
	n.widths = append(n.widths, c.width(c.NLayers))
	m.concat = n
}

// extentOf returns which rows and columns the products of w's current pass run over.
func extentOf[F Float](n *concat, w *Workspace[F]) extent {
	T, from := w.length, 0
	if step := w.step(); step > 1 {
		T, from = step, step-1
	}
	return extent{batch: w.sources / T, T: T, from: from, vocab: n.vocab, unit: n.unit, whole: w.concat.whole}
}

func (c disentangled[F]) run(m *Transformer[F], w *Workspace[F], tokens []int32, narrow bool) []F {
	n, last := m.concat, len(m.concat.heads)-1
	w.concat.begin(w)
	for layer := range n.heads {
		showStream(n, w, n.hooks[layer].residPre, tokens, layer)
		if narrow && layer == last {
			w.rows, w.length = w.batch, 1
		}
		if w.paths != nil {
			attendConcatTree(n, w, m.Weights.blocks[layer].attn.wa, tokens, layer)
		} else {
			attendConcat(n, w, m.Weights.blocks[layer].attn.wa, tokens, layer)
		}
		showStream(n, w, n.hooks[layer].residPost, tokens, layer+1)
	}
	if w.paths != nil {
		h := w.concat.rows(n)
		return c.unembed(m, w, h.data[:w.rows*h.ld])
	}
	return m.output(unembedConcat(n, w, m.Weights.unembed.w, tokens))
}

// unembed returns the logits of whole rows x (B,T,d) of the stream, or of their first d
// columns.
func (disentangled[F]) unembed(m *Transformer[F], w *Workspace[F], x []F) []F {
	V, d, logits := w.vocab, len(x)/w.rows, w.Logits()
	kernel.Gemm(w.rows, V, d, x, d, 1, m.Weights.unembed.w, V, logits, V, false)
	return m.output(logits)
}

// begin prepares the stream for the products: in each row the columns of later positions
// must be 0. A pass over sequences of the same length leaves them 0. If the gradient of
// the stream is needed, the gradient of h⁰ is needed too, and the products run over whole
// rows.
func (a *concatActivations[F]) begin(w *Workspace[F]) {
	if !a.clean || a.length != w.length || w.paths != nil {
		clear(a.stream)
	}
	a.clean, a.length, a.whole = w.paths == nil, w.length, w.paths != nil || w.GradientHook != nil
}

// rows returns the stream h as a matrix with all its rows and columns.
func (a *concatActivations[F]) rows(n *concat) matrix[F] {
	return matrix[F]{a.stream, n.widths[len(n.widths)-1]}
}

// showStream passes the stream before a layer to a hook. It first writes h⁰, the one-hot
// token and position, which products do not read and which is otherwise not stored. If
// the hook changes the stream, the rest of the pass multiplies whole rows, and no longer
// skips the entries that were zero.
func showStream[F Float](n *concat, w *Workspace[F], name string, tokens []int32, layer int) {
	if w.concat.whole && layer == 0 {
		writeOneHot(n, w, tokens)
	}
	if !w.hooked(name) {
		return
	}
	if !w.concat.whole {
		writeOneHot(n, w, tokens)
	}
	d, step, h := n.widths[layer], w.step(), w.concat.rows(n)
	flat := make([]F, w.rows*d)
	for r := range w.rows {
		copy(flat[r*d:(r+1)*d], h.at(r*step+step-1, 0))
	}
	before := slices.Clone(flat)
	w.hook(name, flat, w.batch, w.length, d)
	if slices.Equal(flat, before) {
		return
	}
	for r := range w.rows {
		copy(h.at(r*step+step-1, 0), flat[r*d:(r+1)*d])
	}
	w.concat.clean, w.concat.whole = false, true
}

// writeOneHot writes h⁰, the one-hot token and position, of every source.
func writeOneHot[F Float](n *concat, w *Workspace[F], tokens []int32) {
	h := w.concat.rows(n)
	for r, token := range tokens {
		x := h.at(r, 0)[:n.unit]
		clear(x)
		x[token], x[n.vocab+int(w.positionIDs[r])] = 1, 1
	}
}

// attendConcat appends the outputs of a layer's heads to the stream; the output of head
// k, counted from 0, is in the columns from (1+k)·d on.
func attendConcat[F Float](n *concat, w *Workspace[F], weights []F, tokens []int32, layer int) {
	e, d, heads := extentOf(n, w), n.widths[layer], n.heads[layer]
	a, h := &w.concat.layers[layer], w.concat.rows(n)
	a.whole = e.whole
	size := e.batch * e.T * d
	for k := range heads {
		project(e, w.concat.block, matrix[F]{a.q[k*size:], d}, h, weights[k*d*d:(k+1)*d*d], tokens)
	}
	var shown []F
	rows := e.T - e.from
	if w.hooked(n.hooks[layer].scores) {
		shown = w.room(e.batch * heads * rows * e.T)
	}
	for b := range e.batch {
		transposed := transposeStream(e, w, h.at(b*e.T, 0), h.ld, d)
		for k := range heads {
			s, i := matrix[F]{w.concat.scores, padded(e.T)}, (b*heads+k)*rows*e.T
			inner(e, s, matrix[F]{a.q[k*size+b*e.T*d:], d}, transposed, tokens[b*e.T:], d)
			if shown != nil {
				keepScores(e, shown[i:i+rows*e.T], s, F(n.scale))
			}
			concatPattern(e, a.pattern[i:i+rows*e.T], s, F(n.scale))
		}
	}
	if shown != nil {
		w.hook(n.hooks[layer].scores, shown, e.batch, heads, rows, e.T)
		for r := range e.batch * heads * rows {
			unmasked := e.from + r%rows + 1
			p := a.pattern[r*e.T:][:unmasked]
			kernel.Softmax(p, shown[r*e.T:r*e.T+unmasked], 1, unmasked)
			dropTiny(p)
		}
	}
	showPattern(e, w, n.hooks[layer].pattern, a.pattern[:e.batch*heads*rows*e.T], heads)
	for b := range e.batch {
		own := matrix[F]{h.at(b*e.T, 0), h.ld}
		for k := range heads {
			p := matrix[F]{a.pattern[(b*heads+k)*rows*e.T:], e.T}
			mix(e, matrix[F]{own.at(0, (1+k)*d), h.ld}, p, own, tokens[b*e.T:], d)
		}
	}
}

// showPattern passes the patterns of a layer to a hook, and clears the masked entries
// afterwards.
func showPattern[F Float](e extent, w *Workspace[F], name string, pattern []F, heads int) {
	if !w.hooked(name) {
		return
	}
	rows := e.T - e.from
	w.hook(name, pattern, e.batch, heads, rows, e.T)
	for r := range e.batch * heads * rows {
		clear(pattern[r*e.T+e.from+r%rows+1 : (r+1)*e.T])
	}
}

// transposeStream returns hᵀ, (d,T), of a sequence, without the units that no product
// needs.
func transposeStream[F Float](e extent, w *Workspace[F], h []F, ld, d int) matrix[F] {
	t := matrix[F]{w.concat.transposed, padded(e.T)}
	if skip := e.first() * e.unit; skip < d {
		kernel.Transpose(t.at(skip, 0), t.ld, h[skip:], ld, e.T, d-skip)
	}
	return t
}

// keepScores writes the scaled scores of one head and sequence, with masked scores as −∞.
func keepScores[F Float](e extent, out []F, s matrix[F], scale F) {
	for i := e.from; i < e.T; i++ {
		row := out[(i-e.from)*e.T : (i-e.from+1)*e.T]
		for j := range row {
			row[j] = F(math.Inf(-1))
			if j <= i {
				row[j] = s.at(i-e.from, j)[0] * scale
			}
		}
	}
}

// concatPattern writes the attention pattern of one head and sequence. Each row is the
// softmax of its scores over the positions up to its own, and 0 at later positions.
func concatPattern[F Float](e extent, p []F, s matrix[F], scale F) {
	if e.from == 0 {
		kernel.CausalSoftmax(p, e.T, s.data, s.ld, e.T, scale)
		dropTiny(p)
		return
	}
	for j, x := range s.data[:e.T] { // the last position, which attends to all positions
		p[j] = x * scale
	}
	kernel.Softmax(p, p, 1, e.T)
	dropTiny(p)
}

// tiny is the attention weight below which float32 attention is set to 0. Such an
// attention weight is too small to change the sum of a row, and its gradient is too small
// to change any parameter. But copies of copies multiply patterns, and gradients multiply
// them again. Without this cut-off, sharp heads fill the copies with denormal numbers
// (below 2⁻¹²⁶), which make products up to a hundred times slower.
const tiny = 0x1p-60

// dropTiny sets attention weights below the constant tiny to 0, in float32 only.
func dropTiny[F Float](p []F) {
	if unsafe.Sizeof(F(0)) > 4 {
		return
	}
	for i, x := range p {
		if x < tiny {
			p[i] = 0
		}
	}
}

// attendConcatTree does the same as attendConcat for the nodes of a tree. Its products
// run over whole rows.
func attendConcatTree[F Float](n *concat, w *Workspace[F], weights []F, tokens []int32, layer int) {
	d, heads, T := n.widths[layer], n.heads[layer], w.treeDepth
	a, h := &w.concat.layers[layer], w.concat.rows(n)
	pattern := a.pattern[:w.rows*heads*T]
	for k := range heads {
		q := a.q[k*w.rows*d : (k+1)*w.rows*d]
		kernel.Gemm(w.rows, d, d, h.data, h.ld, 1, weights[k*d*d:], d, q, d, false)
		for node := range w.rows {
			path, p := w.path(node), pattern[(node*heads+k)*T:][:T]
			kernel.AttentionRowPattern(p[:len(path)], q[node*d:(node+1)*d], h.data, h.ld, path, F(n.scale))
			dropTiny(p[:len(path)])
			clear(p[len(path):])
		}
	}
	w.hook(n.hooks[layer].pattern, pattern, w.rows, heads, 1, T)
	for node := range w.rows {
		path := w.path(node)
		for k := range heads {
			p := pattern[(node*heads+k)*T:][:len(path)]
			kernel.AttentionRowMix(h.at(node, (1+k)*d)[:d], p, h.data, h.ld, path)
		}
	}
}

// unembedConcat returns h^L·W_U of each row of a pass over sequences.
func unembedConcat[F Float](n *concat, w *Workspace[F], weights []F, tokens []int32) []F {
	logits, h, V := w.Logits(), w.concat.rows(n), w.vocab
	e := extentOf(n, w)
	rows := e.T - e.from
	for b := range e.batch {
		for from := e.from; from < e.T; from = e.tileEnd(from) {
			end := e.tileEnd(from)
			if !e.whole {
				for i := from; i < end; i++ {
					y := logits[(b*rows+i-e.from)*V:][:V]
					copy(y, weights[int(tokens[b*e.T+i])*V:])
					kernel.Add(y, weights[(n.vocab+i)*V:][:V])
				}
			}
			y := logits[(b*rows+from-e.from)*V:]
			for unit := e.first() * e.unit; unit < h.ld; unit += e.unit {
				kernel.Gemm(end-from, V, e.reach(end), h.at(b*e.T+from, unit), h.ld, 1, weights[unit*V:], V,
					y, V, unit > 0)
			}
		}
	}
	return logits
}
