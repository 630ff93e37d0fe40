package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/torchfile"
	"foretell/model"
)

// The files of the format transformerlens.
const (
	lensWeights = "state_dict.pt"
	lensConfig  = "config.json"
)

// hooked has the keys of HookedTransformerConfig that describe a network.
type hooked struct {
	NLayers       int     `json:"n_layers"`
	DModel        int     `json:"d_model"`
	NCtx          int     `json:"n_ctx"`
	DHead         int     `json:"d_head"`
	NHeads        int     `json:"n_heads"`
	DMLP          *int    `json:"d_mlp"`
	DVocab        int     `json:"d_vocab"`
	DVocabOut     int     `json:"d_vocab_out"`
	ActFn         string  `json:"act_fn"`
	Normalization *string `json:"normalization_type"`
	Positions     string  `json:"positional_embedding_type"`
	Eps           float64 `json:"eps"`
	AttnOnly      bool    `json:"attn_only"`
	Direction     string  `json:"attention_dir"`
	Initializer   float64 `json:"initializer_range"`

	RotaryDim      *int  `json:"rotary_dim,omitempty"`
	RotaryBase     *int  `json:"rotary_base,omitempty"`
	RotaryAdjacent *bool `json:"rotary_adjacent_pairs,omitempty"`
}

// hookedOf returns the configuration of a HookedTransformer that computes the same
// logits. It has learned positions where foretell's are fixed or missing, and as
// many heads in each layer as the layer with the most.
func hookedOf(c model.Config) (h hooked, err error) {
	if err := adds("transformerlens", c); err != nil {
		return h, err
	}
	h = hooked{
		NLayers: c.NLayers, DModel: c.DModel, NCtx: c.NCtx, DHead: c.DHead, NHeads: slices.Max(c.NHeads),
		DVocab: c.DVocab, DVocabOut: c.DVocab, ActFn: c.ActFn, Positions: "standard", Eps: c.Eps, AttnOnly: c.AttnOnly,
		Direction: "causal", Initializer: c.InitializerRange,
	}
	if !c.AttnOnly {
		h.DMLP = &c.DMLP
	}
	if c.NormalizationType != "none" {
		h.Normalization = &c.NormalizationType
	}
	if c.PositionalEmbeddingType == "rotary" {
		h.Positions, h.RotaryDim, h.RotaryBase, h.RotaryAdjacent = "rotary", &c.DHead, new(10000), new(false)
	}
	return h, nil
}

// adds returns an error unless the network adds to a residual stream and has logits as
// its output.
func adds(format string, c model.Config) error {
	switch {
	case c.Flat():
		return refused(format, "architecture", "= %s is not a transformer", c.Architecture)
	case c.Concatenates():
		return refused(format, "residual", "= %s is not possible there; blocks add to the residual stream", c.Residual)
	case c.Output != "":
		return refused(format, "output", "= %s is not possible there; the output is logits", c.Output)
	}
	return nil
}

// writeLens writes the state of a HookedTransformer, without its buffers, which follow
// from the configuration.
func writeLens(_ context.Context, dir string, s Source) error {
	h, err := hookedOf(s.Model.Config)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	state, err := lensState(s.Model, h.NHeads)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, lensConfig), append(text, '\n')); err != nil {
		return err
	}
	return writeTorch(filepath.Join(dir, lensWeights), state)
}

// lensState returns the parameters of a HookedTransformer with the given number of heads
// in each layer. Further heads are zeros, which add nothing to the stream.
func lensState(m *model.Transformer[float32], heads int) (*torchfile.Dict, error) {
	c, state := m.Config, &torchfile.Dict{}
	for _, t := range m.Weights.Tensors {
		shape, data := slices.Clone(t.Shape), t.Data
		if perHead(t.Name) && shape[0] < heads {
			data = append(slices.Clone(data), make([]float32, (heads-shape[0])*len(data)/shape[0])...)
			shape[0] = heads
		}
		state.Set(t.Name, torchfile.Floats{Shape: shape, Data: data})
		if t.Name == "embed.W_E" && slices.Contains([]string{"sinusoidal", "none"}, c.PositionalEmbeddingType) {
			table, err := fixedPositions(m)
			if err != nil {
				return nil, err
			}
			state.Set("pos_embed.W_pos", torchfile.Floats{Shape: []int{c.NCtx, c.DModel}, Data: table})
		}
	}
	if c.TieUnembed {
		embed := m.Weights.Get("embed.W_E")
		output := transposed(embed.Data, c.DVocab, c.DModel)
		state.Set("unembed.W_U", torchfile.Floats{Shape: []int{c.DModel, c.DVocab}, Data: output})
	}
	if !c.HasUnembedBias() {
		state.Set("unembed.b_U", torchfile.Floats{Shape: []int{c.DVocab}, Data: make([]float32, c.DVocab)})
	}
	return state, nil
}

// perHead reports whether the first dimension of a parameter counts heads.
func perHead(name string) bool {
	_, last, _ := strings.Cut(name, ".attn.")
	return last != "" && last != "b_O"
}

// fixedPositions returns the table of sinusoidal positions, (n_ctx,d), or zeros for a
// model without positions.
func fixedPositions(m *model.Transformer[float32]) ([]float32, error) {
	c := m.Config
	if c.PositionalEmbeddingType == "none" {
		return make([]float32, c.NCtx*c.DModel), nil
	}
	_, cache, err := m.RunWithCache(make([]int32, c.NCtx), 1, "hook_pos_embed")
	if err != nil {
		return nil, err
	}
	return cache.Get("hook_pos_embed").Data, nil
}

// transposed returns the transpose (columns,rows) of a matrix (rows,columns).
func transposed(data []float32, rows, columns int) []float32 {
	out := make([]float32, len(data))
	for r := range rows {
		for c := range columns {
			out[c*rows+r] = data[r*columns+c]
		}
	}
	return out
}

// lensBuffers are the ends of names of a HookedTransformer's tensors that are not
// parameters.
var lensBuffers = []string{".attn.mask", ".attn.IGNORE", ".attn.rotary_sin", ".attn.rotary_cos"}

// readLens returns the model of a HookedTransformer's state, under its own names.
func readLens(from *tensors, given config) (*model.Transformer[float32], error) {
	c, err := given.network()
	if err != nil {
		return nil, err
	}
	if _, ok := from.shape("unembed.b_U"); !ok && c.HasUnembedBias() {
		c.UnembedBias = new(false)
	}
	m, err := model.Zero[float32](c)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, t := range m.Weights.Tensors {
		known[t.Name] = true
		if err := from.fill(t.Name, t.Shape, t.Data); err != nil {
			return nil, err
		}
	}
	for _, name := range from.names {
		buffer := slices.ContainsFunc(lensBuffers, func(end string) bool { return strings.HasSuffix(name, end) })
		if !known[name] && !buffer {
			return nil, fmt.Errorf("tensor %.80q does not belong to this configuration", name)
		}
	}
	return m, m.Weights.CheckFinite()
}
