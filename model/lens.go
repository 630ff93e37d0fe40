package model

import (
	"errors"
	"fmt"

	"foretell/internal/kernel"
)

// LogitLens returns the logits (B,T,V) that the model would have if its residual stream
// ended at a stage, (B,T,d): it applies the final norm and the unembedding
// (nostalgebraist 2020). The stage is any of [Config.ResidualStages]; the last stage
// gives the model's own logits, bit for bit. Another activation of the same shape is also
// allowed, such as hook_attn_out. It is normalised as if it were the stream.
//
// With residual: concat, blocks that are not yet written count as zeros. LogitLens
// returns an error if the tensor has another shape, and for a flat network, which has no
// residual stream.
func (m *Transformer[F]) LogitLens(stage Tensor[F]) (Tensor[F], error) {
	none := Tensor[F]{}
	if !m.Config.HasAttention() {
		return none, errors.New("model: the logit lens needs a residual stream, which architecture: flat does not have")
	}
	width, err := m.lensWidth(stage)
	if err != nil {
		return none, err
	}
	V, rows := m.Config.DVocab, len(stage.Data)/width
	size := float64(rows) * float64(m.Config.DModel+V+2)
	if err := fitsMemory[F](m.Config, fmt.Sprintf("the logit lens at %d positions", rows), size); err != nil {
		return none, err
	}
	w := m.lensWorkspace(stage.Shape[0], stage.Shape[1])
	out := Tensor[F]{Name: "logits", Shape: []int{stage.Shape[0], stage.Shape[1], V}}
	out.Data = m.network.unembed(m, w, stage.Data)
	return out, nil
}

// lensWidth returns the width d of a residual stage (B,T,d), or an error if the tensor
// does not have the shape of one.
func (m *Transformer[F]) lensWidth(stage Tensor[F]) (int, error) {
	if len(stage.Shape) != 3 || stage.Shape[0] < 1 || stage.Shape[1] < 1 {
		return 0, fmt.Errorf("model: the logit lens reads a residual stage (B,T,d), but %s has shape %v",
			stage.Name, stage.Shape)
	}
	d := stage.Shape[2]
	if n := stage.Shape[0] * stage.Shape[1] * d; n != len(stage.Data) {
		return 0, fmt.Errorf("model: %s has shape %v but %d numbers", stage.Name, stage.Shape, len(stage.Data))
	}
	var widths []int
	for layer := range m.Config.NLayers + 1 {
		if widths = append(widths, m.Config.Width(layer)); widths[layer] == d {
			return d, nil
		}
	}
	if m.Config.AddsToStream() {
		widths = widths[:1]
	}
	return 0, fmt.Errorf("model: the logit lens needs a residual stream of width %v, but %s has shape %v",
		widths, stage.Name, stage.Shape)
}

// lensWorkspace returns a workspace for unembedding (B,T) positions.
func (m *Transformer[F]) lensWorkspace(batch, length int) *Workspace[F] {
	c, rows := m.Config, batch*length
	w := &Workspace[F]{
		d: c.DModel, vocab: c.DVocab, batch: batch, length: length, rows: rows, sources: rows,
		logits: make([]F, rows*c.DVocab), tied: make([]F, c.tiedTile()*c.DModel),
	}
	if c.NormalizationType != "none" {
		w.final = normActivations[F]{out: make([]F, rows*c.DModel), mean: make([]F, rows), rstd: make([]F, rows)}
	}
	return w
}

// HeadResults returns z·W_O for each head of a layer: what the head adds to the residual
// stream. The result has the name and shape of TransformerLens's
// blocks.0.attn.hook_result (B,T,H,d). Layers count from 0. The sum over the heads plus
// b_O is hook_attn_out, up to rounding. HeadResults computes the result from hook_z. It
// returns an error if the cache does not hold hook_z, if the layer does not exist, or if
// the model's heads do not add to a residual stream.
func (m *Transformer[F]) HeadResults(cache *Cache[F], layer int) (Tensor[F], error) {
	none := Tensor[F]{}
	switch {
	case !m.Config.HasAttention():
		return none, errors.New("model: architecture: flat has no heads")
	case !m.Config.AddsToStream():
		return none, errors.New("model: with residual: concat a head's result is its block of the stream; " +
			"see Config.Blocks")
	case layer < 0 || layer >= len(m.blocks):
		return none, fmt.Errorf("model: layer %d is outside [0, %d]", layer, len(m.blocks)-1)
	}
	at := m.blocks[layer].attn
	z, ok := cache.tensors[at.hooks.z]
	if !ok {
		return none, fmt.Errorf("model: the results of heads are computed from %q, which the cache does not hold",
			at.hooks.z)
	}
	if len(z.Shape) != 4 || z.Shape[2] != at.heads || z.Shape[3] != at.width {
		return none, fmt.Errorf("model: %s has shape %v, but the layer has %d heads of width %d: "+
			"it is from another model",
			z.Name, z.Shape, at.heads, at.width)
	}
	d, n, rows := m.Config.DModel, at.heads*at.width, z.Shape[0]*z.Shape[1]
	out := Tensor[F]{
		Name: at.hooks.result, Shape: []int{z.Shape[0], z.Shape[1], at.heads, d}, Data: make([]F, rows*at.heads*d),
	}
	wo := m.Weights.blocks[layer].attn.wo
	for head := range at.heads {
		kernel.Gemm(rows, d, at.width, z.Data[head*at.width:], n, 1, wo[head*at.width*d:], d,
			out.Data[head*d:], at.heads*d, false)
	}
	return out, nil
}
