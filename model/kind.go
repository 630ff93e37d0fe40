package model

import (
	"slices"
	"strconv"

	"foretell/internal/kernel"
)

// kind is one of the networks that a [Config] can describe. Its methods are what differs
// between them and does not depend on the precision.
type kind interface {
	resolve() (Config, error)                // see Config.resolve
	field() string                           // the field that asks for this network, with its value
	name() string                            // see [Config.Network]
	embeddingHooks() []string                // hook names before the layers
	layerHooks() []string                    // see [Config.LayerHooks]
	finalHooks() []string                    // hook names after the layers
	stages() []string                        // see [Config.ResidualStages]
	width(layer int) int                     // see [Config.Width]
	headWidth(layer int) int                 // see [Config.HeadWidth]
	memoryFields() string                    // see [Config.MemoryFields]
	workspaceSize(batch, length int) float64 // see Config.workspaceSize
	streamSize(room int) float64             // see Config.streamSize
}

// network is a [kind] in one precision: its parameters, its memory and its passes.
type network[F Float] interface {
	kind
	slots(w *Weights[F]) []slot[F]                                           // see Weights.slots
	build(m *Transformer[F])                                                 // prepares m for passes
	newWorkspace(batch, length int) *Workspace[F]                            // see newWorkspace
	run(m *Transformer[F], w *Workspace[F], tokens []int32, narrow bool) []F // see Transformer.run
	backward(m *Transformer[F], w *Workspace[F], tokens []int32, grads *Weights[F])
	grow(s *Stream[F], room int)                           // allocates what is kept of each position
	extend(s *Stream[F], past, end int) []F                // see Stream.Append
	unembed(m *Transformer[F], w *Workspace[F], x []F) []F // logits (B,T,V) of its input x (B,T,d)
}

// The networks: additive adds to its residual stream, disentangled appends to it
// ([Config.Concatenates]), and windowed reads a flat window instead ([Config.Flat]).
type (
	additive[F Float]     Config
	disentangled[F Float] Config
	windowed[F Float]     Config
)

// networkOf returns the network that a configuration describes.
func networkOf[F Float](c Config) network[F] {
	switch {
	case c.Flat():
		return windowed[F](c)
	case c.Concatenates():
		return disentangled[F](c)
	}
	return additive[F](c)
}

// kind returns what the network of a configuration is in either precision.
func (c Config) kind() kind { return networkOf[float32](c) }

// Network returns what the network is called: transformer, disentangled transformer or
// flat network.
func (c Config) Network() string { return c.kind().name() }

// HasAttention reports whether layers have attention heads. Without them, predictions at
// different positions are computed independently of each other.
func (c Config) HasAttention() bool { return !c.Flat() }

// AddsToStream reports whether layers add to a residual stream, which then has the width
// d_model before each of them.
func (c Config) AddsToStream() bool { return !c.Flat() && !c.Concatenates() }

// LayerHooks returns the hook names of the activations that each layer has, in order and
// without the layer: attn.hook_z stands for blocks.0.attn.hook_z in layer 0. The
// configuration must be resolved.
func (c Config) LayerHooks() []string { return c.kind().layerHooks() }

// ResidualStages returns the hook names of the residual stream in order: before the first
// block, then in each block after attention and, if the block has an MLP, after the MLP.
// A flat network ([Config.Flat]) has no residual stream; its stages are the input window
// and the outputs of the layers.
func (c Config) ResidualStages() []string { return c.kind().stages() }

// Width returns the width of the residual stream before a layer, counted from 0; layer =
// n_layers gives the width of the input of the unembedding. In a flat network, which has
// no residual stream, it is the width of the layer's input. The configuration must be
// resolved.
func (c Config) Width(layer int) int { return c.kind().width(layer) }

// HeadWidth returns the width of the vectors that a head of a layer, counted from 0,
// compares and averages over positions, or 0 without attention. The configuration must be
// resolved.
func (c Config) HeadWidth(layer int) int { return c.kind().headWidth(layer) }

// MemoryFields returns the names of the fields that affect memory use most, for messages
// that advise lowering them.
func (c Config) MemoryFields() string { return c.kind().memoryFields() }

func (additive[F]) name() string { return "transformer" }

func (additive[F]) field() string { return "residual: add" }

func (c additive[F]) embeddingHooks() []string {
	list := []string{"hook_embed"}
	if c.PositionalEmbeddingType == "learned" || c.PositionalEmbeddingType == "sinusoidal" {
		list = append(list, "hook_pos_embed")
	}
	return list
}

func (c additive[F]) layerHooks() []string {
	list := []string{"hook_resid_pre"}
	list = append(list, c.normHooks("ln1")...)
	list = append(list, "attn.hook_q", "attn.hook_k", "attn.hook_v")
	if c.PositionalEmbeddingType == "rotary" {
		list = append(list, "attn.hook_rot_q", "attn.hook_rot_k")
	}
	list = append(list, "attn.hook_attn_scores", "attn.hook_pattern", "attn.hook_z")
	list = append(list, "hook_attn_out", "hook_resid_mid")
	if !c.AttnOnly {
		list = append(list, c.normHooks("ln2")...)
		list = append(list, "mlp.hook_pre", "mlp.hook_post", "hook_mlp_out")
	}
	return append(list, "hook_resid_post")
}

func (c additive[F]) finalHooks() []string { return c.normHooks("ln_final") }

// normHooks returns the hook names of a norm.
func (c additive[F]) normHooks(name string) []string {
	if c.NormalizationType == "none" {
		return nil
	}
	return []string{name + ".hook_scale", name + ".hook_normalized"}
}

func (c additive[F]) stages() []string {
	list := []string{"blocks.0.hook_resid_pre"}
	for i := range c.NLayers {
		list = append(list, "blocks."+strconv.Itoa(i)+".hook_resid_mid")
		if !c.AttnOnly {
			list = append(list, "blocks."+strconv.Itoa(i)+".hook_resid_post")
		}
	}
	return list
}

func (c additive[F]) width(int) int     { return c.DModel }
func (c additive[F]) headWidth(int) int { return c.DHead }

func (additive[F]) memoryFields() string { return "d_model, n_layers, n_ctx" }

func (c additive[F]) workspaceSize(batch, length int) float64 {
	d, m, v, ctx := float64(c.DModel), float64(c.DMLP), float64(c.DVocab), float64(length)
	norm, widest := d+2, float64(slices.Max(c.NHeads))*float64(c.DHead)
	if c.NormalizationType == "none" {
		norm = 0
	}
	row := 3*d + norm + 2*v   // outside the blocks
	row += 2*d + m + 4*widest // the buffers of a backward pass
	for _, heads := range c.NHeads {
		row += d + norm + float64(heads)*float64(4*float64(c.DHead)+ctx)
		if !c.AttnOnly {
			row += d + norm + 2*m
		}
	}
	n := float64(batch)*ctx*row + float64(batch)*d + float64(Config(c).tiedTile())*d
	if c.DHead < tile {
		n += 3 * widest * d
	}
	if c.tables(batch) {
		n += v * ctx * (d + norm + 3*float64(c.NHeads[0])*float64(c.DHead))
	}
	return n + float64(kernel.AttentionScratch(length, c.DHead))
}

func (c additive[F]) streamSize(room int) float64 {
	rows := min(c.NCtx, mostAppended)
	n := float64(c.DVocab) + float64(rows)*float64(6*c.DModel+2*c.DMLP)
	for _, heads := range c.NHeads {
		n += 3 * float64(heads) * float64(c.DHead) * float64(room)
	}
	return n
}
