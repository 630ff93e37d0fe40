package model

import (
	"strconv"

	"foretell/internal/kernel"
)

// windowHook is the hook name of a flat network's input.
const windowHook = "hook_window"

// flat is a network without attention; see [Config.Flat].
type flat struct {
	window int // width of the input, n_ctx·d_model
	layers []mlp
}

func (c windowed[F]) build(m *Transformer[F]) {
	m.flat = &flat{window: Config(c).window()}
	for i := range c.NLayers {
		name := "blocks." + strconv.Itoa(i) + ".mlp"
		m.flat.layers = append(m.flat.layers, mlp{
			act: Config(c).activation(), m: c.DMLP, preHook: name + ".hook_pre", postHook: name + ".hook_post",
		})
	}
}

func (c windowed[F]) run(m *Transformer[F], w *Workspace[F], tokens []int32, narrow bool) []F {
	embedding := w.embedding[:w.rows*w.d]
	kernel.Gather(embedding, m.Weights.embed, tokens, w.d)
	w.hook("hook_embed", embedding, w.batch, w.length, w.d)
	if narrow {
		w.rows, w.length = w.batch, 1
	}
	x, width := fillWindows(w, m.flat.window), m.flat.window
	w.hook(windowHook, x, w.batch, w.length, width)
	for i := range m.flat.layers {
		l := &m.flat.layers[i]
		x = mlpForward(l, w, m.Weights.blocks[i].mlp, &w.blocks[i].mlp, x, width)
		width = l.m
	}
	return c.unembed(m, w, x)
}

func (c windowed[F]) unembed(m *Transformer[F], w *Workspace[F], x []F) []F {
	w.finalIn = x
	width, logits, p := c.width(c.NLayers), w.Logits(), m.Weights.unembed
	kernel.GemmAdd(w.rows, w.vocab, width, x, width, 1, p.w, w.vocab, logits, w.vocab, p.b, nil)
	return m.output(logits)
}

// fillWindows returns the input h⁰ of each row, (B,T,window): the embeddings of the
// tokens up to the row's position, with the latest at the end, and zeros in front.
func fillWindows[F Float](w *Workspace[F], window int) []F {
	if len(w.window) < w.rows*window { // the workspace was made for a shorter n_ctx
		w.window = make([]F, w.capacity*window)
	}
	x := w.window[:w.rows*window]
	clear(x)
	for row := range w.rows {
		end := (row + 1) * window
		if w.paths != nil {
			path := w.path(row)
			for k, node := range path {
				copy(x[end-(len(path)-k)*w.d:], w.embedding[int(node)*w.d:(int(node)+1)*w.d])
			}
			continue
		}
		from, n := w.seen(row)
		copy(x[end-n*w.d:end], w.embedding[from*w.d:])
	}
	return x
}

// seen returns the source at which the sequence of a row begins, and the number of tokens
// of the sequence up to the row.
func (w *Workspace[F]) seen(row int) (from, n int) {
	if T := w.step(); T > 1 {
		return row * T, T
	}
	t := row % w.length
	return row - t, t + 1
}

func (c windowed[F]) backward(m *Transformer[F], w *Workspace[F], tokens []int32, grads *Weights[F]) {
	w.allocateFlatGradients(m.Config)
	dlogits, width := w.DLogits(), c.width(c.NLayers)
	unembedGradients(w, grads.unembed, width)
	dx := w.flatGradient(m.Config, m.Config.NLayers)
	kernel.Gemm(w.rows, width, w.vocab, dlogits, w.vocab, 1, m.transposed.unembed.w, width, dx, width, false)
	for i := len(m.flat.layers) - 1; i >= 0; i-- {
		l, dPost := &m.flat.layers[i], dx
		dx = w.flatGradient(m.Config, i)
		hiddenBackward(l, w, m.transposed.blocks[i].mlp, grads.blocks[i].mlp, &w.blocks[i].mlp,
			dPost, w.dPre[:w.rows*l.m], dx, nil, c.width(i))
	}
	w.gradient(windowHook, dx, w.batch, w.length, m.flat.window)
	embedding := spreadWindows(w, dx, m.flat.window)
	w.gradient("hook_embed", embedding, w.batch, w.sources/w.batch, w.d)
	kernel.ScatterAdd(grads.embed, embedding, tokens, w.d)
}

// spreadWindows returns the gradient of the embeddings, (B,T,d), given dx, the gradient
// of the windows.
func spreadWindows[F Float](w *Workspace[F], dx []F, window int) []F {
	out := w.dResid[:w.sources*w.d]
	clear(out)
	for row := range w.rows {
		if w.paths != nil {
			spreadPath(out, dx[row*window:(row+1)*window], w.path(row), w.d)
			continue
		}
		from, n := w.seen(row)
		kernel.Add(out[from*w.d:(from+n)*w.d], dx[(row+1)*window-n*w.d:(row+1)*window])
	}
	return out
}

// flatGradient returns space for the gradient of a layer's input; layers count from 0.
func (w *Workspace[F]) flatGradient(c Config, layer int) []F {
	if layer == 0 {
		return w.dWindow[:w.rows*c.window()]
	}
	return w.dPost[:w.rows*c.DMLP]
}

// allocateFlatGradients allocates the scratch space of the backward pass at its first
// use.
func (w *Workspace[F]) allocateFlatGradients(c Config) {
	if w.dResid != nil {
		return
	}
	w.dResid, w.dWindow = make([]F, w.capacity*c.DModel), make([]F, w.capacity*c.window())
	w.dPre, w.dPost = make([]F, w.capacity*c.DMLP), make([]F, w.capacity*c.DMLP)
}
