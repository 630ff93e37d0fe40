package model

import (
	"fmt"
	"slices"

	"foretell/internal/kernel"
)

// Workspace holds the activations of one forward pass and the scratch space of
// one backward pass. Passes with the same Workspace and no larger batch
// allocate nothing.
type Workspace[F Float] struct {
	// Hook, if not nil, is called with each activation as soon as it is
	// computed. The rest of the pass sees what the hook leaves in t.Data, which is the
	// activation during the call alone: copy it to keep it.
	Hook func(t Tensor[F])
	// GradientHook, if not nil, is called by [Transformer.Backward] with the gradient
	// of Σ dlogits·logits with respect to each activation, under the activation's name
	// and in its shape, as soon as it is computed. It reads: neither may t.Data be kept
	// nor written to. What a Hook has written to an activation counts as what the
	// model has computed there. With residual: concat it is to be set before the
	// forward pass. See [Transformer.Gradients].
	GradientHook func(t Tensor[F])
	// HookNames, if not nil, are the only activations that the hooks are called with;
	// some others are then not even laid out. A pass panics if it has no activation
	// of one of these names; [Config.CheckHooks] says whether names from outside are
	// right.
	HookNames []string

	d, vocab            int
	capacity            int // rows allocated
	batch, length, rows int // of the current pass: B, T and B·T
	sources             int // rows that attention draws on: B·T even where the pass has narrowed

	embedding, position []F // (B,T,d)
	positionIDs         []int32
	positionLength      int     // the T that positionIDs is filled for
	identity            []int32 // 0, 1, …, n_ctx−1
	allPaths            []int32 // room for paths
	paths               []int32 // (N,treeDepth) in a pass over a tree: the ancestors of each node and itself
	depths              []int32 // (N) how many those are
	treeDepth           int
	stream              bool // a pass follows others of a sequence, see [Stream]
	past                int  // the positions of those
	blocks              []blockActivations[F]
	final               normActivations[F]
	out                 []F // (B,T,d) what a sublayer adds to the residual stream
	residual, finalIn   []F // (B,T,d) what the final norm read, and what it gave
	logits              []F // (B,T,V)
	dlogits             []F // (B,T,V)
	attnScratch         []F
	scores              []F // (B,H,T,T) of one layer, when there is a hook
	narrowed            []F // (B,d) the last positions of the residual stream
	tied                []F // (d, some tokens) part of the embedding, transposed, where the output is tied
	packed              []F // (d,3,H,h) weights of narrow heads, or their gradients
	columns             []columns[F]
	concat              *concatActivations[F] // where heads are concatenated, in place of most of these
	window, dWindow     []F                   // (B,T,n_ctx·d) of a flat network, and its gradient

	// Scratch of the backward pass, nil until the first one.
	dResid, dIn []F  // (B,T,d)
	adds        bool // the pass adds to a gradient: there is one already
	dPost       []F  // (B,T,m)
	dPre        []F  // (B,T,m), of a flat network; in others it takes the place of dPost
	dqkv, dz    []F  // (B,T,3,H,h) and (B,T,H,h)
}

// blockActivations is what a block's backward pass needs of its forward pass.
type blockActivations[F Float] struct {
	residPre            []F // the block's input, which belongs to whoever made it
	residMid, residPost []F // (B,T,d)
	norm1, norm2        normActivations[F]
	attn                attnActivations[F]
	mlp                 mlpActivations[F]
}

type normActivations[F Float] struct {
	out        []F    // (B,T,d); not used without a norm
	mean, rstd []F    // (B,T)
	frozen     []bool // (B,T) whose scale a hook has changed; nil for none
}

type attnActivations[F Float] struct {
	in      []F // the input, which belongs to the norm
	qkv     []F // (B,T,3,H,h)
	z       []F // (B,T,H,h)
	pattern []F // (B,H,T,T)
}

type mlpActivations[F Float] struct {
	in        []F  // the input, which belongs to the norm
	pre, post []F  // (B,T,m)
	slopes    bool // pre has become the activation's derivative
}

// NewWorkspace returns a workspace for passes of up to batch sequences of
// length n_ctx through a model of configuration c, which must be resolved.
func NewWorkspace[F Float](c Config, batch int) *Workspace[F] {
	return newWorkspace[F](c, batch, c.NCtx)
}

// newWorkspace is NewWorkspace for sequences of up to a length, which may be less than
// n_ctx.
func newWorkspace[F Float](c Config, batch, length int) *Workspace[F] {
	if batch < 1 {
		panic("model: a workspace needs a batch of at least 1")
	}
	if c.Flat() {
		return newFlatWorkspace[F](c, batch, length)
	}
	if c.Concatenates() {
		return newConcatWorkspace[F](c, batch, length)
	}
	c.NCtx = length
	rows := batch * c.NCtx
	positionIDs, identity := make([]int32, rows), make([]int32, c.NCtx)
	for i := range identity {
		identity[i] = int32(i)
	}
	make := func(n int) []F { return make([]F, n) }
	newNorm := func() normActivations[F] {
		if c.NormalizationType == "none" {
			return normActivations[F]{}
		}
		return normActivations[F]{out: make(rows * c.DModel), mean: make(rows), rstd: make(rows)}
	}
	w := &Workspace[F]{
		d: c.DModel, vocab: c.DVocab, capacity: rows,
		positionIDs: positionIDs, identity: identity,
		embedding: make(rows * c.DModel), position: make(rows * c.DModel), out: make(rows * c.DModel),
		final: newNorm(), logits: make(rows * c.DVocab), dlogits: make(rows * c.DVocab),
		attnScratch: make(kernel.AttentionScratch(c.NCtx, c.DHead)),
		narrowed:    make(batch * c.DModel),
		tied:        make(c.tiedTile() * c.DModel),
	}
	if c.DHead < tile {
		w.packed = make(3 * slices.Max(c.NHeads) * c.DHead * c.DModel)
	}
	for _, heads := range c.NHeads {
		a := blockActivations[F]{residMid: make(rows * c.DModel), norm1: newNorm()}
		a.attn.qkv, a.attn.z = make(3*heads*rows*c.DHead), make(heads*rows*c.DHead)
		a.attn.pattern = make(heads * rows * c.NCtx)
		if !c.AttnOnly {
			a.residPost, a.norm2 = make(rows*c.DModel), newNorm()
			a.mlp.pre, a.mlp.post = make(rows*c.DMLP), make(rows*c.DMLP)
		}
		w.blocks = append(w.blocks, a)
	}
	return w
}

// allocateGradients makes the scratch space of the backward pass, once.
func (w *Workspace[F]) allocateGradients(c Config) {
	if w.dResid != nil {
		return
	}
	w.dResid, w.dIn = make([]F, w.capacity*c.DModel), make([]F, w.capacity*c.DModel)
	w.dPost = make([]F, w.capacity*c.DMLP)
	n := w.capacity * slices.Max(c.NHeads) * c.DHead
	w.dqkv, w.dz = make([]F, 3*n), make([]F, n)
}

// begin sets the shape of the pass.
func (w *Workspace[F]) begin(c Config, tokens, batch int) {
	if batch < 1 || tokens%batch != 0 || tokens == 0 || tokens/batch > c.NCtx || tokens > w.capacity {
		panic(fmt.Sprintf("model: %d tokens in %d sequences do not fit n_ctx = %d and a workspace of %d rows",
			tokens, batch, c.NCtx, w.capacity))
	}
	w.batch, w.length, w.rows, w.sources, w.paths = batch, tokens/batch, tokens, tokens, nil
	if w.positionLength != w.length {
		w.positionLength = w.length
		for i := range w.positionIDs {
			w.positionIDs[i] = int32(i % w.length)
		}
	}
}

// step is the number of sources for each row: T where a pass has narrowed to
// the last positions, else 1.
func (w *Workspace[F]) step() int { return w.sources / w.rows }

// narrow makes the pass go on with the last positions alone, and returns their
// rows (B,d) of the residual stream x, (B,T,d).
func (w *Workspace[F]) narrow(x []F) []F {
	T, d := w.length, w.d
	for b := range w.batch {
		copy(w.narrowed[b*d:(b+1)*d], x[(b*T+T-1)*d:])
	}
	w.rows, w.length = w.batch, 1
	return w.narrowed[:w.rows*d]
}

// widen undoes narrow in the backward pass: it makes dResid, (B,d), the gradient
// of all positions, (B,T,d), 0 but for the last ones.
func (w *Workspace[F]) widen() []F {
	T, d := w.step(), w.d
	w.rows, w.length = w.sources, T
	dx := w.dResid[:w.rows*d]
	for b := w.batch - 1; b >= 0; b-- {
		copy(dx[(b*T+T-1)*d:(b*T+T)*d], dx[b*d:])
	}
	for b := range w.batch {
		clear(dx[b*T*d : (b*T+T-1)*d])
	}
	return dx
}

// Logits returns the logits of the last forward pass, (B,T,V).
func (w *Workspace[F]) Logits() []F { return w.logits[:w.rows*w.vocab] }

// DLogits returns the gradient with respect to the logits, (B,T,V), from which
// [Transformer.Backward] starts.
func (w *Workspace[F]) DLogits() []F { return w.dlogits[:w.rows*w.vocab] }

// hooked says whether the Hook wants to see an activation.
func (w *Workspace[F]) hooked(name string) bool {
	return w.Hook != nil && (w.HookNames == nil || slices.Contains(w.HookNames, name))
}

// hook hands an activation to the Hook, if it wants it.
func (w *Workspace[F]) hook(name string, data []F, shape ...int) {
	if w.hooked(name) {
		w.Hook(Tensor[F]{Name: name, Shape: append([]int(nil), shape...), Data: data})
	}
}

// room returns room for n attention scores.
func (w *Workspace[F]) room(n int) []F {
	if len(w.scores) < n {
		w.scores = make([]F, n)
	}
	return w.scores[:n]
}
