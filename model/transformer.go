package model

import (
	"fmt"
	"strconv"

	"foretell/internal/kernel"
)

// Transformer is a decoder-only transformer, or the flat baseline ([Config.Flat]), with
// its parameters. Forward and backward passes only read it, so any number of goroutines
// may share it, each with its own [Workspace].
type Transformer[F Float] struct {
	Config  Config      // resolved by Config.Resolve
	Weights *Weights[F] // after changing them, call Pack before Backward

	transposed *Weights[F] // for the backward pass; nil until Pack
	whole      []Part      // all parameters, for Pack
	positions  []F         // (n_ctx,d) sinusoidal positions; otherwise nil
	rotary     *rotary[F]  // rotary positions; otherwise nil
	network    network[F]  // its passes use blocks and final, or concat, or flat
	blocks     []block[F]
	final      norm
	concat     *concat // with residual: concat
	flat       *flat   // with architecture: flat
	hooks      map[string]bool
}

// New returns a transformer of configuration c whose initial weights are drawn at random
// with the given seed. The weights are the same on every machine and, apart from
// rounding, in either precision.
func New[F Float](c Config, seed uint64) (*Transformer[F], error) {
	m, err := Zero[F](c)
	if err != nil {
		return nil, err
	}
	m.Weights.initialize(m.Config, seed)
	return m, nil
}

// Zero returns a transformer of configuration c whose parameters are all 0, to be filled
// in by hand.
func Zero[F Float](c Config) (*Transformer[F], error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	what := "this configuration"
	if c.Concatenates() {
		what = fmt.Sprintf("this configuration, with a residual stream %d wide,", c.Width(c.NLayers))
	}
	if err := fitsMemory[F](c, what, c.parameters()+c.positions()); err != nil {
		return nil, err
	}
	m := &Transformer[F]{Config: c, Weights: NewWeights[F](c), network: networkOf[F](c), hooks: hookSet(c)}
	m.network.build(m)
	return m, nil
}

func (n additive[F]) build(m *Transformer[F]) {
	c := Config(n)
	m.final = newNorm(c, "ln_final")
	if c.PositionalEmbeddingType == "sinusoidal" {
		m.positions = sinusoids[F](c.NCtx, c.DModel)
	}
	if c.PositionalEmbeddingType == "rotary" {
		m.rotary = newRotary[F](c.NCtx, c.DHead)
	}
	for i := range c.NLayers {
		m.blocks = append(m.blocks, newBlock(c, i, m.rotary))
	}
}

// Convert returns m in another precision.
func Convert[To, From Float](m *Transformer[From]) *Transformer[To] {
	out, err := Zero[To](m.Config)
	if err != nil {
		panic("model: " + err.Error())
	}
	for i, x := range m.Weights.Data {
		out.Weights.Data[i] = To(x)
	}
	return out
}

// Forward runs the model over `batch` sequences and returns the logits (B,T,V), which are
// stored in w. tokens is (B,T) with T ≤ n_ctx; every token must be in [0, d_vocab).
// Forward panics on other shapes; use [Config.CheckTokens] to check tokens from outside
// the program.
func (m *Transformer[F]) Forward(w *Workspace[F], tokens []int32, batch int) []F {
	w.begin(m.Config, len(tokens), batch)
	return m.run(w, tokens, false)
}

// ForwardLast is [Transformer.Forward] for only the last position of each sequence. It
// returns the logits at that position, (B,V), equal bit for bit to Forward's, and skips
// the other positions in the last block.
func (m *Transformer[F]) ForwardLast(w *Workspace[F], tokens []int32, batch int) []F {
	w.begin(m.Config, len(tokens), batch)
	return m.run(w, tokens, true)
}

// run is a forward pass. A narrow pass continues with only the last positions as soon as
// the others are no longer needed.
func (m *Transformer[F]) run(w *Workspace[F], tokens []int32, narrow bool) []F {
	m.checkHooks(w, narrow)
	return m.network.run(m, w, tokens, narrow)
}

func (n additive[F]) run(m *Transformer[F], w *Workspace[F], tokens []int32, narrow bool) []F {
	x := n.first(m, w, tokens, narrow)
	for i := range m.blocks {
		last := i == len(m.blocks)-1
		x = m.blocks[i].forward(w, m.Weights.blocks[i], &w.blocks[i], x, narrow && last)
	}
	return n.unembed(m, w, x)
}

// Backward adds to grads the gradient of Σ dlogits·logits. The logits are those that the
// last [Transformer.Forward], [Transformer.ForwardLast] or [Transformer.ForwardTree]
// computed with w and tokens. dlogits is [Workspace.DLogits], of the same shape, which
// the caller has filled in (with [Transformer.CrossEntropy], for example).
func (m *Transformer[F]) Backward(w *Workspace[F], tokens []int32, grads *Weights[F]) {
	if m.transposed == nil {
		panic("model: Backward called before Pack")
	}
	if w.paths != nil && w.GradientHook != nil {
		panic("model: GradientHook does not work after ForwardTree")
	}
	if m.Config.Output == "probabilities" {
		panic("model: Backward does not support output: probabilities, which is not for training")
	}
	w.adds = grads.begin()
	m.network.backward(m, w, tokens, grads)
}

func (additive[F]) backward(m *Transformer[F], w *Workspace[F], tokens []int32, grads *Weights[F]) {
	w.allocateGradients(m.Config)
	m.unembedBackward(w, grads)
	for i := len(m.blocks) - 1; i >= 0; i-- {
		m.blocks[i].backward(w, m.Weights.blocks[i], m.transposed.blocks[i], grads.blocks[i], &w.blocks[i])
	}
	m.embedBackward(w, tokens, grads)
}

// CheckTokens returns an error if there are no tokens or more than n_ctx, or for the
// first token outside the vocabulary.
func (c Config) CheckTokens(tokens []int32) error {
	if len(tokens) == 0 || len(tokens) > c.NCtx {
		return fmt.Errorf("a context of %d tokens is outside [1, n_ctx = %d]", len(tokens), c.NCtx)
	}
	return c.checkAlphabet(tokens)
}

// checkAlphabet returns an error that names the first token outside the vocabulary.
func (c Config) checkAlphabet(tokens []int32) error {
	for i, t := range tokens {
		if t < 0 || int(t) >= c.DVocab {
			return fmt.Errorf("token %d at position %d is outside the alphabet [0, %d]", t, i+1, c.DVocab-1)
		}
	}
	return nil
}

// block is a layer: attention, then (unless attn_only) an MLP. Each of the two reads the
// residual stream through its own norm and adds to the stream.
type block[F Float] struct {
	norm1, norm2 norm
	rotary       *rotary[F]
	attn         attention
	mlp          *mlp // nil with attn_only
	hooks        blockHooks
}

// blockHooks are the hook names of a block.
type blockHooks struct{ residPre, attnOut, residMid, mlpOut, residPost string }

func newBlock[F Float](c Config, layer int, r *rotary[F]) block[F] {
	name := "blocks." + strconv.Itoa(layer)
	b := block[F]{
		norm1:  newNorm(c, name+".ln1"),
		rotary: r,
		attn:   newAttention(c, name+".attn", c.NHeads[layer]),
		hooks: blockHooks{
			name + ".hook_resid_pre", name + ".hook_attn_out", name + ".hook_resid_mid",
			name + ".hook_mlp_out", name + ".hook_resid_post",
		},
	}
	if !c.AttnOnly {
		b.norm2 = newNorm(c, name+".ln2")
		b.mlp = &mlp{act: c.activation(), m: c.DMLP, preHook: name + ".mlp.hook_pre", postHook: name + ".mlp.hook_post"}
	}
	return b
}

// forward returns the residual stream after the block, (B,T,d), given the stream x before
// it, (B,T,d). If `narrow` is set, the result has only the last positions, (B,1,d).
func (b *block[F]) forward(w *Workspace[F], p blockWeights[F], a *blockActivations[F], x []F, narrow bool) []F {
	w.hook(b.hooks.residPre, x, w.batch, w.length, w.d)
	a.residPre = x
	attnIn := normForward(b.norm1, w, p.norm1, &a.norm1, x)
	if narrow {
		x = w.narrow(x)
	}
	z, mid := attnForward(&b.attn, w, p.attn, &a.attn, b.rotary, attnIn), a.residMid[:w.rows*w.d]
	w.tabled = false
	addOutput(w, mid, x, z, p.attn.wo, p.attn.bo, b.hooks.attnOut)
	w.hook(b.hooks.residMid, mid, w.batch, w.length, w.d)
	if b.mlp == nil {
		w.hook(b.hooks.residPost, mid, w.batch, w.length, w.d)
		return mid
	}
	mlpIn := normForward(b.norm2, w, p.norm2, &a.norm2, mid)
	hidden, post := mlpForward(b.mlp, w, p.mlp, &a.mlp, mlpIn, w.d), a.residPost[:w.rows*w.d]
	addOutput(w, post, mid, hidden, p.mlp.wout, p.mlp.bout, b.hooks.mlpOut)
	w.hook(b.hooks.residPost, post, w.batch, w.length, w.d)
	return post
}

// addOutput writes x + (y·W + b), the residual stream (B,T,d) after a sublayer, to the
// slice `sum`, given the stream x before the sublayer, the sublayer's y (B,T,n) and its W
// (n,d). The output y·W + b is computed separately only if the named hook reads it.
func addOutput[F Float](w *Workspace[F], sum, x, y, weights, bias []F, name string) {
	n := len(y) / w.rows
	if !w.hooked(name) {
		kernel.GemmAdd(w.rows, w.d, n, y, n, 1, weights, w.d, sum, w.d, bias, x[:w.rows*w.d])
		return
	}
	out := w.out[:w.rows*w.d]
	kernel.GemmBias(w.rows, w.d, n, y, n, 1, weights, w.d, out, w.d, bias)
	w.hook(name, out, w.batch, w.length, w.d)
	kernel.Sum(sum, x[:w.rows*w.d], out)
}

// backward replaces w.dResid, the gradient of the block's output, by the gradient of the
// block's input, and adds the parameters' gradients to g. t holds the transposed weights.
func (b *block[F]) backward(w *Workspace[F], p, t, g blockWeights[F], a *blockActivations[F]) {
	dx := w.dResid[:w.rows*w.d]
	w.gradient(b.hooks.residPost, dx, w.batch, w.length, w.d)
	if b.mlp != nil {
		w.gradient(b.hooks.mlpOut, dx, w.batch, w.length, w.d)
		dIn, others := w.dIn[:w.rows*w.d], readPlain(b.norm2, dx)
		mlpBackward(b.mlp, w, t.mlp, g.mlp, &a.mlp, dx, dIn, others)
		dx = streamBackward(b.norm2, w, p.norm2, g.norm2, &a.norm2, a.residMid, dIn, dx, others != nil)
	}
	w.gradient(b.hooks.residMid, dx, w.batch, w.length, w.d)
	w.gradient(b.hooks.attnOut, dx, w.batch, w.length, w.d)
	dIn, others := w.dIn[:w.sources*w.d], readPlain(b.norm1, dx)
	if w.step() > 1 {
		others = nil
	}
	attnBackward(&b.attn, w, t.attn, g.attn, &a.attn, b.rotary, dx, dIn, others)
	if w.step() > 1 {
		dx = w.widen()
	}
	dx = streamBackward(b.norm1, w, p.norm1, g.norm1, &a.norm1, a.residPre, dIn, dx, others != nil)
	w.gradient(b.hooks.residPre, dx, w.batch, w.length, w.d)
}

// readPlain returns dx, the gradient of the residual stream, if there is no norm, and nil
// if there is one. Without a norm the stream itself is the input of the sublayer, and the
// product that computes its gradient can add dx.
func readPlain[F Float](n norm, dx []F) []F {
	if n.none {
		return dx
	}
	return nil
}

// streamBackward returns the gradient of the residual stream x, in w.dResid. It is given
// dIn, the gradient of the norm's output, in w.dIn, and dx, the gradient from other uses
// of the stream. All are (B,T,d). If added is set, dIn is already the sum of both.
func streamBackward[F Float](n norm, w *Workspace[F], p, g normWeights[F], a *normActivations[F],
	x, dIn, dx []F, added bool,
) []F {
	if added {
		w.dResid, w.dIn = w.dIn, w.dResid
		return dIn
	}
	normBackward(n, w, p, g, a, x, dIn, dx)
	return dx
}
