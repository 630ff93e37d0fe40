package model

import (
	"errors"
	"fmt"
	"math"

	"foretell/internal/kernel"
)

// Disentangle returns a disentangled transformer (residual: concat) that computes the
// logits of m, up to rounding (Nichani et al. 2024). m must be an attention-only
// transformer without norms. If x is the residual stream of m and h the stream of the
// result, x = h·Φ before each layer. Φ starts as the rows of W_E followed by the rows of
// the position table. Each layer extends it to
//
//	[Φ; Φ·W_V·W_O of head 1; …; Φ·W_V·W_O of head H]
//	Ã = (Φ·W_Q)·(Φ·W_K)ᵀ/√d_head,  W_U = Φ·(W_U of m)
//
// A bias of m is added to the rows of Φ that belong to positions. Since h selects exactly
// one of these rows, the bias counts once. So the blocks of W_A show what the heads of m
// do with tokens and positions, and with the copies of them that earlier heads have made.
// [Config.Blocks] names the blocks. Disentangle returns an error if m already
// concatenates its heads, is flat, or has MLPs, norms or rotary positions.
func Disentangle[F Float](m *Transformer[F]) (*Transformer[float64], error) {
	c := m.Config
	if err := c.checkDisentangle(); err != nil {
		return nil, err
	}
	out, err := Zero[float64](Config{
		Residual: "concat", NLayers: c.NLayers, NHeads: c.NHeads, NCtx: c.NCtx, DVocab: c.DVocab, Output: c.Output,
	})
	if err != nil {
		return nil, err
	}
	from := Convert[float64](m)
	phi := from.embeddings()
	for layer, heads := range c.NHeads {
		p, read := from.Weights.blocks[layer].attn, phi
		d, size := len(phi)/c.DModel, c.DModel*c.DHead
		for head := range heads {
			w, b := head*size, head*c.DHead
			q := c.affine(read, c.DModel, p.wq[w:w+size], p.bq[b:b+c.DHead])
			k := c.affine(read, c.DModel, p.wk[w:w+size], p.bk[b:b+c.DHead])
			v := c.affine(read, c.DModel, p.wv[w:w+size], p.bv[b:b+c.DHead])
			transposed := make([]float64, len(k))
			kernel.Transpose(transposed, d, k, c.DHead, d, c.DHead)
			a := out.Weights.blocks[layer].attn.wa[head*d*d : (head+1)*d*d]
			kernel.Gemm(d, d, c.DHead, q, c.DHead, 1, transposed, d, a, d, false)
			for i := range a {
				a[i] /= math.Sqrt(float64(c.DHead))
			}
			phi = append(phi, c.affine(v, c.DHead, p.wo[w:w+size], nil)...)
		}
		c.addBias(phi, p.bo)
	}
	copy(out.Weights.unembed.w, c.affine(phi, c.DModel, from.Weights.unembed.w, from.Weights.unembed.b))
	return out, nil
}

// checkDisentangle returns an error unless a model with this resolved configuration can
// be disentangled.
func (c Config) checkDisentangle() error {
	const takes = "model: only a model with residual: add, attn_only: true, normalization_type: none and positions " +
		"other than rotary can be disentangled; this model has "
	switch {
	case !c.AddsToStream():
		return errors.New(takes + c.kind().field())
	case !c.AttnOnly:
		return fmt.Errorf(takes + "MLPs")
	case c.NormalizationType != "none":
		return fmt.Errorf(takes+"normalization_type: %s", c.NormalizationType)
	case c.PositionalEmbeddingType == "rotary":
		return fmt.Errorf(takes + "rotary positions")
	}
	return nil
}

// embeddings returns the vectors that tokens and positions add to the residual stream,
// (V+n_ctx,d): one row for each token, then one for each position.
func (m *Transformer[F]) embeddings() []F {
	c := m.Config
	table := append(make([]F, 0, c.DModel*c.DModel), m.Weights.embed...)
	switch {
	case m.positions != nil:
		return append(table, m.positions...)
	case m.Weights.position != nil:
		return append(table, m.Weights.position...)
	}
	return append(table, make([]F, c.NCtx*c.DModel)...)
}

// affine returns x·w (rows,columns), given x (rows,n) and w (n,columns). If bias is not
// nil, it is added to the rows that belong to positions, V to V+n_ctx−1.
func (c Config) affine(x []float64, n int, w, bias []float64) []float64 {
	rows, columns := len(x)/n, len(w)/n
	y := make([]float64, rows*columns)
	kernel.Gemm(rows, columns, n, x, n, 1, w, columns, y, columns, false)
	c.addBias(y, bias)
	return y
}

// addBias adds a bias to the rows of y that belong to positions, V to V+n_ctx−1.
func (c Config) addBias(y, bias []float64) {
	for p := range c.NCtx {
		for j, b := range bias {
			y[(c.DVocab+p)*len(bias)+j] += b
		}
	}
}
