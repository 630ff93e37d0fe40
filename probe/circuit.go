package probe

import (
	"fmt"

	"foretell/internal/linalg"
	"foretell/model"
)

// FirstLayer is the input of the first block. It depends on the token and its position
// alone, so it is a small table.
type FirstLayer struct {
	Positions, Tokens, Width int
	// Resid is the residual stream, token plus position embedding: (positions, tokens,
	// d_model).
	Resid []float64
	// input is Resid after normalisation, as attention reads it.
	input []float64
}

// ReadFirstLayer tabulates the input of the first block for the given number of positions
// and of tokens, both counted from the first. It returns an error if they exceed n_ctx or
// d_vocab.
func ReadFirstLayer(m *model.Transformer[float32], positions, tokens int) (*FirstLayer, error) {
	if positions > m.Config.NCtx || tokens > m.Config.DVocab {
		return nil, fmt.Errorf("probe: %d positions and %d tokens do not fit n_ctx = %d and d_vocab = %d",
			positions, tokens, m.Config.NCtx, m.Config.DVocab)
	}
	d := m.Config.DModel
	f := &FirstLayer{
		Positions: positions, Tokens: tokens, Width: d,
		Resid: make([]float64, positions*tokens*d), input: make([]float64, positions*tokens*d),
	}
	// Sequence z of the batch repeats token z.
	words := make([]int32, tokens*positions)
	for i := range words {
		words[i] = int32(i / positions)
	}
	const resid, normalized = "blocks.0.hook_resid_pre", "blocks.0.ln1.hook_normalized"
	input := normalized
	if m.Config.NormalizationType == "none" {
		input = resid
	}
	_, cache, err := m.RunWithCache(words, tokens, resid, input)
	if err != nil {
		return nil, err
	}
	for i := range words {
		z, p := i/positions, i%positions
		copyWide(f.Resid[(p*tokens+z)*d:][:d], cache.Get(resid).Row(z, p))
		copyWide(f.input[(p*tokens+z)*d:][:d], cache.Get(input).Row(z, p))
	}
	return f, nil
}

// copyWide copies float32 numbers to a float64 slice of the same length.
func copyWide(to []float64, from []float32) {
	for i, x := range from {
		to[i] = float64(x)
	}
}

// OV returns the output of a head of the first layer for each (position, token),
// (positions, tokens, d_model). It is v = (x·W_V + b_V)·W_O with x from f.input: the
// vector of Piotrowski et al. 2025, Eq. 3, before it is weighted by attention.
func (f *FirstLayer) OV(m *model.Transformer[float32], head int) []float64 {
	d := m.Config.DModel
	weights := func(name string) []float64 {
		from := m.Weights.Get("blocks.0.attn." + name).Row(head)
		to := make([]float64, len(from))
		copyWide(to, from)
		return to
	}
	wv, wo, bv := weights("W_V"), weights("W_O"), weights("b_V")
	out, value := make([]float64, len(f.input)), make([]float64, len(bv))
	for at := 0; at < len(out); at += d {
		linalg.VecMul(value, f.input[at:at+d], wv)
		for i, b := range bv {
			value[i] += b
		}
		linalg.VecMul(out[at:at+d], value, wo)
	}
	return out
}
