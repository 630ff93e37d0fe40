package model

import (
	"errors"
	"fmt"
	"slices"

	"foretell/internal/kernel"
)

// Stream runs a model along one sequence, to which tokens are appended. It keeps the keys
// and values of earlier tokens (a key-value cache), so each new token costs a pass over
// one position instead of all. With residual: concat it keeps the residual stream, which
// the heads attend to. A flat network has nothing to keep.
type Stream[F Float] struct {
	m      *Transformer[F]
	w      *Workspace[F]
	tokens []int32
	room   int // the number of positions with allocated memory
}

// mostAppended is the largest number of positions in one pass of a [Stream].
const mostAppended = 64

// NewStream returns a stream without tokens. Memory is allocated as tokens are appended.
func (m *Transformer[F]) NewStream() *Stream[F] { return &Stream[F]{m: m} }

// Len returns the number of tokens so far.
func (s *Stream[F]) Len() int { return len(s.tokens) }

// Truncate removes all tokens except the first n. It panics unless 0 ≤ n ≤ Len.
func (s *Stream[F]) Truncate(n int) { s.tokens = slices.Delete(s.tokens, n, len(s.tokens)) }

// Append appends one or more tokens, and returns the logits (V) after the last one, equal
// bit for bit to the logits that [Transformer.Forward] computes there. They are valid
// until the next call. It returns an error, and does not change the stream, if there are
// no tokens, a token is outside the vocabulary, or the sequence would be longer than
// n_ctx.
func (s *Stream[F]) Append(tokens ...int32) ([]F, error) {
	past, all := len(s.tokens), append(s.tokens, tokens...)
	if err := s.m.Config.CheckTokens(all); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if len(tokens) == 0 {
		return nil, errors.New("model: Append needs at least one token")
	}
	if err := s.grow(len(all)); err != nil {
		return nil, err
	}
	s.tokens = all
	for {
		end := min(past+mostAppended, len(all))
		logits := s.m.network.extend(s, past, end)
		if end == len(all) {
			return logits, nil
		}
		past = end
	}
}

// extend sets the shape of a pass over the next n positions of a sequence whose first
// `past` positions earlier passes have computed.
func (w *Workspace[F]) extend(past, n int) {
	w.batch, w.length, w.rows, w.sources, w.past = 1, n, n, n, past
	for i := range n {
		w.positionIDs[i] = int32(past + i)
	}
}

func (n additive[F]) extend(s *Stream[F], past, end int) []F {
	w := s.w
	w.extend(past, end-past)
	x := s.m.embed(w, s.tokens[past:end])
	for i := range s.m.blocks {
		x = s.m.blocks[i].forward(w, s.m.Weights.blocks[i], &w.blocks[i], x, false)
	}
	if end < len(s.tokens) {
		return nil
	}
	row := (w.rows - 1) * w.d
	w.rows, w.sources, w.length = 1, 1, 1
	return n.unembed(s.m, w, x[row:row+w.d])
}

// extend of a flat network runs a pass over the whole sequence, since it keeps nothing.
func (windowed[F]) extend(s *Stream[F], _, end int) []F {
	if end < len(s.tokens) {
		return nil
	}
	return s.m.ForwardLast(s.w, s.tokens, 1)
}

// attendStream writes z (n,H,h) for the positions of a pass. Earlier positions have their
// keys and values in a.qkv, in front of the rows of this pass.
func attendStream[F Float](at *attention, w *Workspace[F], a *attnActivations[F]) {
	h, n := at.width, at.heads*at.width
	for row := range w.rows {
		seen := w.identity[:w.past+row+1]
		query := a.qkv[(w.past+row)*3*n:]
		for head := 0; head < n; head += h {
			pattern := w.attnScratch[:len(seen)]
			kernel.AttentionRowPattern(pattern, query[head:head+h], a.qkv[n+head:], 3*n, seen, F(at.scale))
			kernel.AttentionRowMix(a.z[row*n+head:][:h], pattern, a.qkv[2*n+head:], 3*n, seen)
		}
	}
}

func (c disentangled[F]) extend(s *Stream[F], past, end int) []F {
	n, w := s.m.concat, s.w
	w.extend(past, end-past)
	h := w.concat.rows(n)
	own := matrix[F]{h.at(w.past, 0), h.ld}
	for r, token := range s.tokens[past:end] {
		x := own.at(r, 0)[:n.unit]
		clear(x)
		x[token], x[n.vocab+w.past+r] = 1, 1
	}
	for layer, heads := range n.heads {
		d, weights := n.widths[layer], s.m.Weights.blocks[layer].attn.wa
		for k := range heads {
			q := w.concat.layers[0].q[:w.rows*d]
			kernel.Gemm(w.rows, d, d, own.data, own.ld, 1, weights[k*d*d:], d, q, d, false)
			for row := range w.rows {
				seen := w.identity[:w.past+row+1]
				p := w.attnScratch[:len(seen)]
				kernel.AttentionRowPattern(p, q[row*d:(row+1)*d], h.data, h.ld, seen, F(n.scale))
				dropTiny(p)
				kernel.AttentionRowMix(own.at(row, (1+k)*d)[:d], p, h.data, h.ld, seen)
			}
		}
	}
	if end < len(s.tokens) {
		return nil
	}
	last := own.at(w.rows-1, 0)
	w.rows = 1
	return c.unembed(s.m, w, last[:h.ld])
}

// grow allocates memory for n positions. It at least doubles the memory, up to n_ctx
// positions.
func (s *Stream[F]) grow(n int) error {
	if n <= s.room {
		return nil
	}
	c := s.m.Config
	room := min(c.NCtx, max(n, 2*s.room, mostAppended))
	what := fmt.Sprintf("a sequence of %d tokens", n)
	if err := fitsMemory[F](c, what, c.streamSize(room)); err != nil {
		return err
	}
	s.m.network.grow(s, room)
	for len(s.w.identity) < room {
		s.w.identity = append(s.w.identity, int32(len(s.w.identity)))
	}
	s.w.attnScratch = make([]F, room)
	s.room = room
	return nil
}

func (n additive[F]) grow(s *Stream[F], room int) {
	if s.w == nil {
		s.w = n.newStreamWorkspace()
	}
	for i, heads := range n.NHeads {
		enlarge(&s.w.blocks[i].attn.qkv, 3*heads*n.DHead*room)
	}
}

func (n disentangled[F]) grow(s *Stream[F], room int) {
	if s.w == nil {
		s.w = newStreamWorkspace[F](Config(n))
		q := make([]F, s.w.capacity*n.width(n.NLayers-1))
		s.w.concat = &concatActivations[F]{layers: []concatLayer[F]{{q: q}}}
	}
	enlarge(&s.w.concat.stream, n.width(n.NLayers)*room)
}

func (n windowed[F]) grow(s *Stream[F], room int) { s.w = n.newWorkspace(1, room) }

// enlarge makes a slice n long and keeps its contents.
func enlarge[F Float](x *[]F, n int) {
	*x = append(slices.Grow(*x, n-len(*x)), make([]F, n-len(*x))...)
}

// streamSize returns the approximate number of floating-point numbers in a [Stream] with
// room for the given number of positions.
func (c Config) streamSize(room int) float64 { return c.kind().streamSize(room) }

// newStreamWorkspace returns the part of a [Stream]'s workspace that all networks with
// attention have, for passes over up to mostAppended new positions.
func newStreamWorkspace[F Float](c Config) *Workspace[F] {
	rows := min(c.NCtx, mostAppended)
	return &Workspace[F]{
		d: c.DModel, vocab: c.DVocab, capacity: rows, stream: true,
		logits: make([]F, c.DVocab), positionIDs: make([]int32, rows),
	}
}

// newStreamWorkspace returns a workspace for passes over up to mostAppended new
// positions. There is no backward pass, so all layers share their activations, except the
// keys and values. Those, and all that grows with the sequence, are allocated in grow.
func (n additive[F]) newStreamWorkspace() *Workspace[F] {
	c := Config(n)
	w := newStreamWorkspace[F](c)
	rows := w.capacity
	make := func(n int) []F { return make([]F, n) }
	w.embedding, w.position, w.out = make(rows*c.DModel), make(rows*c.DModel), make(rows*c.DModel)
	w.tied = make(c.tiedTile() * c.DModel)
	widest := slices.Max(c.NHeads) * c.DHead
	if c.DHead < tile {
		w.packed = make(3 * widest * c.DModel)
	}
	if c.NormalizationType != "none" {
		w.final = normActivations[F]{out: make(rows * c.DModel), mean: make(rows), rstd: make(rows)}
	}
	shared := blockActivations[F]{
		residMid: make(rows * c.DModel), residPost: make(rows * c.DModel), norm1: w.final, norm2: w.final,
	}
	shared.attn.z = make(rows * widest)
	if !c.AttnOnly {
		shared.mlp.pre, shared.mlp.post = make(rows*c.DMLP), make(rows*c.DMLP)
	}
	w.blocks = slices.Repeat([]blockActivations[F]{shared}, c.NLayers)
	if c.AttnOnly { // so that blocks alternate between two buffers, as they do with MLPs
		for i := 1; i < c.NLayers; i += 2 {
			w.blocks[i].residMid = shared.residPost
		}
	}
	return w
}
