package model

import (
	"fmt"
	"math"

	"foretell/internal/strict"
)

// The values of architecture.
const (
	transformerArchitecture = "transformer"
	flatArchitecture        = "flat"
)

// Flat reports whether the network is a baseline without attention (architecture: flat).
// Its input is the window of the last n_ctx tokens as one vector, their embeddings one
// after the other. It can give fixed distances different weights, but it cannot choose
// where to look (EE269 2026, “Linear Predictor: A Flat View of Context”). With e_t =
// W_E[x_t], and e_t = 0 for t < 1, n = n_ctx and L = n_layers,
//
//	h⁰_t   = [e_{t−n+1}, …, e_{t−1}, e_t]               (n_ctx·d_model)
//	h^ℓ_t  = act(h^{ℓ−1}_t·W_in + b_in)                 (d_mlp), ℓ = 1 … L
//	logits = h^L_t·W_U + b_U
//
// With no layers this is the linear predictor, and with one layer the two-layer MLP. A
// slice of h⁰ belongs to a distance, not to a position: the last d_model numbers are the
// embedding of the token at t, whatever t is. There are no positional embeddings, norms
// or residual stream. Embeddings are initialised with variance 1, matrices with
// initializer_range.
func (c Config) Flat() bool { return c.Architecture == flatArchitecture }

func (n windowed[F]) resolve() (Config, error) {
	c := Config(n)
	switch {
	case c.Concatenates():
		return c, strict.Fieldf("residual",
			"= %q has no meaning with architecture: flat, which has no residual stream; "+
				"leave it out", c.Residual)
	case c.AttnScale != 0:
		return c, c.foreignScale()
	}
	if err := c.checkPositions(); err != nil {
		return c, err
	}
	if err := positive(field{"d_model", c.DModel}, field{"n_ctx", c.NCtx}, field{"d_vocab", c.DVocab}); err != nil {
		return c, err
	}
	if c.NLayers < 0 || c.NLayers > largestCount {
		return c, strict.Fieldf("n_layers", "= %d is outside [0, %d]; 0 is the linear predictor",
			c.NLayers, largestCount)
	}
	if err := n.check(); err != nil {
		return c, err
	}
	if c.NLayers > 0 {
		if err := positive(field{"d_mlp", c.DMLP}); err != nil {
			return c, err
		}
		if err := choose("act_fn", &c.ActFn, "gelu", activations); err != nil {
			return c, err
		}
	}
	c.NHeads, c.NormalizationType, c.PositionalEmbeddingType = nil, "none", "none"
	if c.InitializerRange == 0 {
		c.InitializerRange = 0.8 / math.Sqrt(float64(c.window()))
	}
	if err := c.checkInitializerRange(); err != nil {
		return c, err
	}
	if n := c.parameters(); n > largestParameters {
		return c, strict.Fieldf("d_model",
			"= %d with n_ctx = %d and %d layers makes %.1e parameters; the limit is %.1e",
			c.DModel, c.NCtx, c.NLayers, n, float64(largestParameters))
	}
	return c, nil
}

// check returns an error for fields that have no meaning in a flat network.
func (c windowed[F]) check() error {
	const none = "has no meaning with architecture: flat, which has no "
	switch {
	case len(c.NHeads) > 0:
		return strict.Fieldf("n_heads", "= %v "+none+"attention; leave it out", []int(c.NHeads))
	case c.DHead != 0:
		return strict.Fieldf("d_head", "= %d "+none+"attention; leave it out", c.DHead)
	case c.AttnOnly:
		return strict.Fieldf("attn_only", none+"attention; leave it out")
	case c.Eps != 0:
		return strict.Fieldf("eps", "= %v "+none+"norm; leave it out", c.Eps)
	case c.NormalizationType != "" && c.NormalizationType != "none":
		return strict.Fieldf("normalization_type", "= %q "+none+"norm; leave it out", c.NormalizationType)
	case c.PositionalEmbeddingType != "" && c.PositionalEmbeddingType != "none":
		return strict.Fieldf("positional_embedding_type", "= %q "+none+"positions; leave it out",
			c.PositionalEmbeddingType)
	case c.TieUnembed:
		return strict.Fieldf("tie_unembed",
			"= true has no meaning with architecture: flat, whose output weights and "+
				"embedding differ in shape; leave it out")
	case c.NLayers == 0 && c.DMLP != 0:
		return strict.Fieldf("d_mlp", "= %d has no meaning with n_layers: 0, the linear predictor; leave it out",
			c.DMLP)
	case c.NLayers == 0 && c.ActFn != "":
		return strict.Fieldf("act_fn", "= %q has no meaning with n_layers: 0, the linear predictor; leave it out",
			c.ActFn)
	}
	return nil
}

// window returns the width of a flat network's input, n_ctx·d_model.
func (c Config) window() int { return c.NCtx * c.DModel }

func (c windowed[F]) slots(w *Weights[F]) []slot[F] {
	list := []slot[F]{{"embed.W_E", []int{c.DVocab, c.DModel}, &w.embed}}
	for i := range w.blocks {
		name, p := fmt.Sprintf("blocks.%d.mlp.", i), &w.blocks[i].mlp
		list = append(list,
			slot[F]{name + "W_in", []int{c.width(i), c.DMLP}, &p.win},
			slot[F]{name + "b_in", []int{c.DMLP}, &p.bin})
	}
	list = append(list, slot[F]{"unembed.W_U", []int{c.width(c.NLayers), c.DVocab}, &w.unembed.w})
	if Config(c).HasUnembedBias() {
		list = append(list, slot[F]{"unembed.b_U", []int{c.DVocab}, &w.unembed.b})
	}
	return list
}

func (windowed[F]) name() string { return "flat network" }

func (c windowed[F]) field() string { return "architecture: " + c.Architecture }

func (windowed[F]) embeddingHooks() []string { return []string{"hook_embed", windowHook} }

func (windowed[F]) layerHooks() []string { return []string{"mlp.hook_pre", "mlp.hook_post"} }

func (windowed[F]) finalHooks() []string { return nil }

func (c windowed[F]) stages() []string {
	list := []string{windowHook}
	for i := range c.NLayers {
		list = append(list, fmt.Sprintf("blocks.%d.mlp.hook_post", i))
	}
	return list
}

func (c windowed[F]) width(layer int) int {
	if layer == 0 {
		return Config(c).window()
	}
	return c.DMLP
}

func (windowed[F]) headWidth(int) int { return 0 }

func (windowed[F]) memoryFields() string { return "d_model, d_mlp, n_ctx" }

func (c windowed[F]) workspaceSize(batch, length int) float64 {
	rows := float64(batch) * float64(length)
	numbers := 2*float64(c.DModel) + 2*float64(Config(c).window()) + 2*float64(c.DVocab)
	if c.NLayers > 0 {
		numbers += float64(2*c.NLayers+2) * float64(c.DMLP)
	}
	return rows * numbers
}

func (c windowed[F]) streamSize(room int) float64 { return c.workspaceSize(1, room) }

func (c windowed[F]) newWorkspace(batch, length int) *Workspace[F] {
	rows := batch * length
	w := &Workspace[F]{
		d: c.DModel, vocab: c.DVocab, capacity: rows, positionIDs: make([]int32, rows),
		embedding: make([]F, rows*c.DModel), window: make([]F, rows*Config(c).window()),
		logits: make([]F, rows*c.DVocab), dlogits: make([]F, rows*c.DVocab),
	}
	for range c.NLayers {
		var a blockActivations[F]
		a.mlp.pre, a.mlp.post = make([]F, rows*c.DMLP), make([]F, rows*c.DMLP)
		w.blocks = append(w.blocks, a)
	}
	return w
}
