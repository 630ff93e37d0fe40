package model

import (
	"fmt"
	"slices"

	"foretell/internal/kernel"
)

// Workspace holds the activations of one forward pass and the scratch space of one
// backward pass. Further passes with the same Workspace allocate no memory, unless the
// batch is larger than before.
type Workspace[F Float] struct {
	// Hook, if not nil, is called with each activation as soon as it is computed. The rest
	// of the pass uses what the hook leaves in t.Data. The slice t.Data is valid only during
	// the call, so copy it to keep it.
	Hook func(t Tensor[F])
	// GradientHook, if not nil, is called by [Transformer.Backward] with the gradient of Σ
	// dlogits·logits with respect to each activation, under the activation's name and in its
	// shape, as soon as it is computed. GradientHook must not keep or modify t.Data. If Hook
	// has changed an activation, the backward pass treats the new value as if the model had
	// computed it. With residual: concat GradientHook must be set before the forward pass.
	// See [Transformer.Gradients].
	GradientHook func(t Tensor[F])
	// HookNames, if not nil, restricts the hooks to the activations that it lists; some of
	// the other activations are then not even stored. A pass panics if it has no activation
	// of a listed name; use [Config.CheckHooks] to check names from outside the program.
	HookNames []string

	d, vocab            int
	capacity            int // rows allocated; a row is a position of a sequence
	batch, length, rows int // sizes of the current pass: B, T and B·T
	sources             int // rows that attention reads: B·T even after the pass has narrowed

	embedding, position []F // shape (B,T,d)
	positionIDs         []int32
	positionLength      int     // the sequence length for which positionIDs is filled
	identity            []int32 // 0, 1, …, n_ctx−1
	allPaths            []int32 // the memory in which paths is stored
	paths               []int32 // (N,treeDepth) in a pass over a tree: the ancestors of each node and itself
	depths              []int32 // (N) the lengths of the paths
	treeDepth           int
	stream              bool // a pass appends positions to a sequence, see [Stream]
	past                int  // the number of earlier positions in that sequence
	blocks              []blockActivations[F]
	final               normActivations[F]
	out                 []F // (B,T,d) what a sublayer adds to the residual stream
	residual, finalIn   []F // (B,T,d) the input of the final norm, and its output
	logits              []F // shape (B,T,V)
	dlogits             []F // shape (B,T,V)
	attnScratch         []F
	scores              []F // (B,H,T,T) the attention scores of one layer, if a hook reads them
	narrowed            []F // (B,d) the residual stream at the last positions
	tied                []F // (d, some tokens) part of the embedding, transposed, if the output is tied
	packed              []F // (d,3,H,h) weights of narrow heads, or their gradients
	columns             []columns[F]
	table               *table[F]             // nil if it is not used
	tabled              bool                  // the next norm1 and qkv have been copied from the table
	concat              *concatActivations[F] // with residual: concat, instead of most of these fields
	window, dWindow     []F                   // the input of a flat network, (B,T,n_ctx·d), and its gradient

	// Scratch of the backward pass, nil until the first one.
	dResid, dIn []F  // shape (B,T,d)
	adds        bool // the pass adds to an existing gradient
	dPost       []F  // shape (B,T,m)
	dPre        []F  // (B,T,m), of a flat network; other networks store it in dPost
	dqkv, dz    []F  // shapes (B,T,3,H,h) and (B,T,H,h)
}

// blockActivations are the activations that a block's backward pass needs.
type blockActivations[F Float] struct {
	residPre            []F // the block's input; the memory belongs to the layer before
	residMid, residPost []F // shape (B,T,d)
	norm1, norm2        normActivations[F]
	attn                attnActivations[F]
	mlp                 mlpActivations[F]
}

type normActivations[F Float] struct {
	out        []F    // (B,T,d); not used without a norm
	mean, rstd []F    // shape (B,T)
	frozen     []bool // (B,T) whether a hook has changed the scale; nil if every scale is unchanged
}

type attnActivations[F Float] struct {
	in      []F // the input, in memory of the norm
	qkv     []F // shape (B,T,3,H,h)
	z       []F // shape (B,T,H,h)
	pattern []F // shape (B,H,T,T)
}

type mlpActivations[F Float] struct {
	in        []F  // the input, in memory of the norm
	pre, post []F  // shape (B,T,m)
	slopes    bool // pre holds the activation's derivative
}

// NewWorkspace returns a workspace for passes over up to `batch` sequences of length
// n_ctx through a model of configuration c, which must be resolved.
func NewWorkspace[F Float](c Config, batch int) *Workspace[F] {
	return newWorkspace[F](c, batch, c.NCtx)
}

// newWorkspace is [NewWorkspace] for sequences of up to the given length instead of
// n_ctx.
func newWorkspace[F Float](c Config, batch, length int) *Workspace[F] {
	if batch < 1 {
		panic("model: a workspace needs a batch of at least 1")
	}
	return networkOf[F](c).newWorkspace(batch, length)
}

func (n additive[F]) newWorkspace(batch, length int) *Workspace[F] {
	c := Config(n)
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
	if n.tables(batch) {
		w.table = n.newTable(w)
	}
	return w
}

// allocateGradients allocates the scratch space of the backward pass at its first use.
func (w *Workspace[F]) allocateGradients(c Config) {
	if w.dResid != nil {
		return
	}
	w.dResid, w.dIn = make([]F, w.capacity*c.DModel), make([]F, w.capacity*c.DModel)
	w.dPost = make([]F, w.capacity*c.DMLP)
	n := w.capacity * slices.Max(c.NHeads) * c.DHead
	w.dqkv, w.dz = make([]F, 3*n), make([]F, n)
}

// WorkspaceSize returns the number of floating-point numbers in a [Workspace] for a batch
// of sequences of length n_ctx, after a backward pass and without hooks. It is a float64
// because the count can overflow an int for impossible configurations.
func (c Config) WorkspaceSize(batch int) float64 { return c.workspaceSize(batch, c.NCtx) }

// workspaceSize is WorkspaceSize for sequences of the given length instead of n_ctx.
func (c Config) workspaceSize(batch, length int) float64 {
	return c.kind().workspaceSize(batch, length)
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

// step returns the number of sources for each row: T if the pass has narrowed to the last
// positions, otherwise 1.
func (w *Workspace[F]) step() int { return w.sources / w.rows }

// narrow continues the pass with only the last positions, and returns their rows (B,d) of
// the residual stream x, (B,T,d).
func (w *Workspace[F]) narrow(x []F) []F {
	T, d := w.length, w.d
	for b := range w.batch {
		copy(w.narrowed[b*d:(b+1)*d], x[(b*T+T-1)*d:])
	}
	w.rows, w.length = w.batch, 1
	return w.narrowed[:w.rows*d]
}

// widen undoes narrow in the backward pass: it expands dResid from (B,d) to the gradient
// of all positions, (B,T,d), which is 0 except at the last ones.
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

// DLogits returns the gradient with respect to the logits, (B,T,V), the input of
// [Transformer.Backward].
func (w *Workspace[F]) DLogits() []F { return w.dlogits[:w.rows*w.vocab] }

// hooked reports whether the Hook is called for an activation.
func (w *Workspace[F]) hooked(name string) bool {
	return w.Hook != nil && (w.HookNames == nil || slices.Contains(w.HookNames, name))
}

// hook calls the Hook with an activation, unless HookNames excludes it.
func (w *Workspace[F]) hook(name string, data []F, shape ...int) {
	if w.hooked(name) {
		w.Hook(Tensor[F]{Name: name, Shape: append([]int(nil), shape...), Data: data})
	}
}

// room returns space for n attention scores.
func (w *Workspace[F]) room(n int) []F {
	if len(w.scores) < n {
		w.scores = make([]F, n)
	}
	return w.scores[:n]
}
