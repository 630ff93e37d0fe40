package model

import (
	"fmt"
	"strconv"

	"foretell/internal/strict"
)

// oneHot is the positional_embedding_type of a network with concatenated heads.
const oneHot = "one_hot"

// concatInit is the default initializer_range with concatenated heads. With it the
// initial attention patterns are almost uniform, because a score is a sum of only a few
// entries of W_A, one for each pair of blocks of the residual stream.
const concatInit = 0.01

// Concatenates reports whether the outputs of the heads are appended to the residual
// stream (residual: concat) instead of added to it. The network is then a disentangled
// transformer (Friedman et al. 2023, Nichani et al. 2024, D'Angelo et al. 2025, Sec. 2).
// With h⁰ = [one-hot token (V), one-hot position (n_ctx)] and ℓ = 1 … L,
//
//	score_ij = h_i·Ã·h_jᵀ/attn_scale          Ã = W_A of one head, (d_{ℓ−1},d_{ℓ−1})
//	ĥ_i      = Σ_{j≤i} softmax(score_i)_j h_j    the output of one head, as wide as h
//	h^ℓ      = [h^{ℓ−1}, ĥ of head 1, …, ĥ of head H_ℓ]
//	logits   = h^L·W_U
//
// There are no other weights, no norms and no biases. The width of the stream is d_ℓ =
// (1+H_ℓ)·d_{ℓ−1} with d_0 = V + n_ctx, which is d_model. In float32 attention weights
// below 2⁻⁶⁰ are set to 0.
func (c Config) Concatenates() bool { return c.Residual == "concat" }

func (n disentangled[F]) resolve() (Config, error) {
	c := Config(n)
	if err := positive(field{"n_layers", c.NLayers}, field{"n_ctx", c.NCtx}, field{"d_vocab", c.DVocab}); err != nil {
		return c, err
	}
	c, err := c.resolveHeads()
	if err != nil {
		return c, err
	}
	if err := n.check(); err != nil {
		return c, err
	}
	c.DModel, c.AttnOnly, c.NormalizationType, c.PositionalEmbeddingType = c.DVocab+c.NCtx, true, "none", oneHot
	if c.AttnScale == 0 {
		c.AttnScale = 1
	}
	if !(c.AttnScale >= LeastEps && c.AttnScale <= 1/LeastEps) {
		return c, strict.Fieldf("attn_scale", "= %v is outside [%v, %v]", c.AttnScale, LeastEps, 1/LeastEps)
	}
	if c.InitializerRange == 0 {
		c.InitializerRange = concatInit
	}
	if err := c.checkInitializerRange(); err != nil {
		return c, err
	}
	return c, c.checkConcatWidth()
}

// check returns an error for fields that have no meaning with residual: concat.
func (c disentangled[F]) check() error {
	width := c.DVocab + c.NCtx
	switch {
	case c.DModel != 0 && c.DModel != width:
		return strict.Fieldf("d_model", "= %d, but with residual: concat it is d_vocab + n_ctx = %d; leave it out",
			c.DModel, width)
	case c.DHead != 0:
		return strict.Fieldf("d_head",
			"= %d has no meaning with residual: concat, whose heads are as wide as the stream; "+
				"leave it out", c.DHead)
	case c.DMLP != 0:
		return strict.Fieldf("d_mlp", "= %d has no meaning with residual: concat, which has no MLP; leave it out",
			c.DMLP)
	case c.ActFn != "":
		return strict.Fieldf("act_fn", "= %q has no meaning with residual: concat, which has no MLP; leave it out",
			c.ActFn)
	case c.Eps != 0:
		return strict.Fieldf("eps", "= %v has no meaning with residual: concat, which has no norm; leave it out", c.Eps)
	case c.NormalizationType != "" && c.NormalizationType != "none":
		return strict.Fieldf("normalization_type", "= %q, but residual: concat has no norm; leave it out",
			c.NormalizationType)
	case c.PositionalEmbeddingType != "" && c.PositionalEmbeddingType != oneHot:
		return strict.Fieldf("positional_embedding_type",
			"= %q, but with residual: concat positions are %s; leave it out",
			c.PositionalEmbeddingType, oneHot)
	}
	return nil
}

// checkConcatWidth returns an error if the heads make the stream too wide or give the
// model too many parameters.
func (c Config) checkConcatWidth() error {
	width, parameters := float64(c.DVocab+c.NCtx), 0.0
	for _, heads := range c.NHeads {
		parameters += float64(heads) * width * width
		width *= float64(1 + heads)
	}
	if width > largest || parameters > largestParameters {
		return strict.Fieldf("n_heads",
			"= %v makes a residual stream of (d_vocab + n_ctx)·∏(1 + n_heads) = %.4g numbers "+
				"and %.2g parameters; the limits are %d and %.1e: lower n_heads, n_layers or n_ctx",
			[]int(c.NHeads), width, parameters, largest, float64(largestParameters))
	}
	return nil
}

// ResidualBlock is a named range of columns of the residual stream.
type ResidualBlock struct {
	Name   string `json:"name"`
	Offset int    `json:"offset"` // its first column
	Width  int    `json:"width"`
}

// Blocks returns the blocks of the residual stream before a layer, counted from 0, in
// order; layer = n_layers gives the blocks that the unembedding reads. The configuration
// must be resolved. Blocks panics for a layer outside [0, n_layers].
//
// With residual: concat, h⁰ has the blocks token (V) and position (n_ctx). The output of
// a head has a copy of each block of the stream that it reads, with the head's name in
// front: 1.1.token is the copy of token by head 1 of layer 1, and 2.1.1.1.token is the
// copy of 1.1.token by head 1 of layer 2. With residual: add the stream is a single block
// with the name residual.
func (c Config) Blocks(layer int) []ResidualBlock {
	if layer < 0 || layer > c.NLayers {
		panic(fmt.Sprintf("model: layer %d is outside [0, %d]", layer, c.NLayers))
	}
	if !c.Concatenates() {
		return []ResidualBlock{{"residual", 0, c.Width(layer)}}
	}
	blocks := []ResidualBlock{{"token", 0, c.DVocab}, {"position", c.DVocab, c.NCtx}}
	for l, heads := range c.NHeads[:layer] {
		read := blocks
		for head := range heads {
			for _, b := range read {
				name := strconv.Itoa(l+1) + "." + strconv.Itoa(head+1) + "." + b.Name
				last := blocks[len(blocks)-1]
				blocks = append(blocks, ResidualBlock{name, last.Offset + last.Width, b.Width})
			}
		}
	}
	return blocks
}

func (c disentangled[F]) slots(w *Weights[F]) (list []slot[F]) {
	for i := range w.blocks {
		d := c.width(i)
		shape := []int{c.NHeads[i], d, d}
		list = append(list, slot[F]{fmt.Sprintf("blocks.%d.attn.W_A", i), shape, &w.blocks[i].attn.wa})
	}
	return append(list, slot[F]{"unembed.W_U", []int{c.width(c.NLayers), c.DVocab}, &w.unembed.w})
}

func (disentangled[F]) name() string { return "disentangled transformer" }

func (c disentangled[F]) field() string { return "residual: " + c.Residual }

func (disentangled[F]) embeddingHooks() []string { return nil }

func (disentangled[F]) layerHooks() []string {
	return []string{"hook_resid_pre", "attn.hook_attn_scores", "attn.hook_pattern", "hook_resid_post"}
}

func (disentangled[F]) finalHooks() []string { return nil }

func (c disentangled[F]) stages() []string {
	list := []string{"blocks.0.hook_resid_pre"}
	for i := range c.NLayers {
		list = append(list, fmt.Sprintf("blocks.%d.hook_resid_post", i))
	}
	return list
}

func (c disentangled[F]) width(layer int) int {
	d := c.DModel
	for _, heads := range c.NHeads[:layer] {
		d *= 1 + heads
	}
	return d
}

func (c disentangled[F]) headWidth(layer int) int { return c.width(layer) }

func (disentangled[F]) memoryFields() string { return "n_heads, n_layers, n_ctx" }

func (c disentangled[F]) workspaceSize(batch, length int) float64 {
	rows, ctx := float64(batch)*float64(length), float64(length)
	n, widest := rows*(2*float64(c.width(c.NLayers))+2*float64(c.DVocab)), 0.0
	for i, heads := range c.NHeads {
		d := float64(heads) * float64(c.width(i))
		n += rows * (d + float64(heads)*ctx)
		widest = max(widest, d)
	}
	scratch := float64(c.width(c.NLayers-1)+length)*float64(padded(length)) + float64(c.DModel)*float64(c.DModel)
	return n + rows*widest + scratch
}

func (c disentangled[F]) streamSize(room int) float64 {
	rows := min(c.NCtx, mostAppended)
	return float64(c.width(c.NLayers))*float64(room) + float64(rows)*float64(c.width(c.NLayers-1))
}

// concatActivations are the activations of a pass with concatenated heads, and the
// scratch space of its backward pass.
type concatActivations[F Float] struct {
	stream     []F // (B,T,d_L): h^ℓ is its first d_ℓ columns
	layers     []concatLayer[F]
	transposed []F // (d_{L−1},T) the transposed stream of one sequence
	block      []F // (d_0,d_0) scratch space for copyBlock
	scores     []F // (T,T) the scores of one head and sequence

	// clean is set if a pass over sequences of `length` tokens wrote the stream, so that in
	// each row the columns of later positions are zero. Otherwise the stream's contents are
	// arbitrary.
	clean  bool
	length int
	whole  bool // the products run over whole rows; see extent.whole

	dStream []F // (B,T,d_L) the gradient of stream, nil until the first backward pass
	dq      []F // (H,B,T,d) the gradient of q in one layer
}

type concatLayer[F Float] struct {
	q       []F // (H,B,T,d) the product h·Ã of each head
	pattern []F // shape (B,H,T,T)
	whole   bool
}

func (c disentangled[F]) newWorkspace(batch, length int) *Workspace[F] {
	rows := batch * length
	w := &Workspace[F]{
		d: c.DModel, vocab: c.DVocab, capacity: rows, positionIDs: make([]int32, rows),
		logits: make([]F, rows*c.DVocab), dlogits: make([]F, rows*c.DVocab),
	}
	a := &concatActivations[F]{
		stream:     make([]F, rows*c.width(c.NLayers)),
		transposed: make([]F, c.width(c.NLayers-1)*padded(length)),
		block:      make([]F, c.DModel*c.DModel),
		scores:     make([]F, length*padded(length)),
	}
	for i, heads := range c.NHeads {
		a.layers = append(a.layers, concatLayer[F]{
			q: make([]F, heads*rows*c.width(i)), pattern: make([]F, heads*rows*length),
		})
	}
	w.concat = a
	return w
}

// padded returns the row stride of a matrix whose rows hold T scores and some spare
// columns.
func padded(T int) int { return (T/16 + 1) * 16 }
