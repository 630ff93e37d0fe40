package signals

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"
)

// withoutPositions examines the statement that tokens without position embeddings are a
// set, for models with a causal mask and no position embeddings.
func withoutPositions() (formula, error) {
	f := formula{
		slide: "Position Embeddings", printed: "token embeddings alone lose all positional information",
		right: "true of the last position after one layer, for which the tokens before it are a set, and of any " +
			"number of equal tokens. With a causal mask two layers distinguish orders, and if a token occurs at the " +
			"beginning only, one layer of equal attention has 1/n at position n",
	}
	var err error
	if f.off, err = orderMatters(2); err != nil {
		return f, err
	}
	f.instead = claim.Exactly("largest difference of a logit between two orders of the same tokens, two layers "+
		"without positions", "", f.off).Beside("as if a set", 0)
	f.counter = fmt.Sprintf("two layers of random weights, eight tokens: exchanging two tokens before the last "+
		"changes its logits by up to %.2g", f.off)
	for _, error := range []func() (float64, error){
		func() (float64, error) { return orderMatters(1) }, equalTokens, countedPositions,
	} {
		off, err := error()
		if err != nil {
			return f, err
		}
		f.left = larger(f.left, off)
	}
	return f, nil
}

// unplaced returns a model without position embeddings, with random weights.
func unplaced(layers int) (*model.Transformer[float64], error) {
	const width = 16
	m, err := model.Zero[float64](model.Config{
		DModel: width, NLayers: layers, NHeads: model.Heads{2}, NCtx: triedLength, DVocab: orderedTokens,
		PositionalEmbeddingType: "none",
	})
	if err != nil {
		return nil, err
	}
	draw := random.New(8, "paper/signals/no positions")
	for _, w := range m.Weights.Tensors {
		for i := range w.Data {
			w.Data[i] = draw.Normal() / math.Sqrt(width)
		}
	}
	return m, nil
}

// orderedTokens is the number of tokens whose order is changed, all different.
const orderedTokens = 8

// orderMatters returns the largest difference of a logit after the last of eight tokens
// between one order of the tokens before it and the orders with two of them exchanged.
func orderMatters(layers int) (worst float64, err error) {
	m, err := unplaced(layers)
	if err != nil {
		return 0, err
	}
	tokens := make([]int32, orderedTokens)
	for i := range tokens {
		tokens[i] = int32(i)
	}
	want := lastLogits(m, tokens)
	for i := range orderedTokens - 1 {
		for j := range i {
			other := slices.Clone(tokens)
			other[i], other[j] = other[j], other[i]
			for z, x := range lastLogits(m, other) {
				worst = larger(worst, math.Abs(x-want[z]))
			}
		}
	}
	return worst, nil
}

// lastLogits returns a model's logits after the last token.
func lastLogits(m *model.Transformer[float64], tokens []int32) []float64 {
	return slices.Clone(m.ForwardLast(model.NewWorkspace[float64](m.Config, 1), tokens, 1))
}

// equalTokens returns the largest difference of a logit between positions, if all tokens
// are equal and the model has three layers.
func equalTokens() (worst float64, err error) {
	m, err := unplaced(3)
	if err != nil {
		return 0, err
	}
	first := lastLogits(m, make([]int32, 1))
	for n := 2; n <= triedLength; n++ {
		for z, x := range lastLogits(m, make([]int32, n)) {
			worst = larger(worst, math.Abs(x-first[z]))
		}
	}
	return worst, nil
}

// countedPositions writes a layer by hand that pays equal attention to all positions, and
// copies from the first token, 1, that no other token has. It returns the largest
// difference between the logit and 1/n, at positions n up to triedLength.
func countedPositions() (worst float64, err error) {
	m, err := model.Zero[float64](model.Config{
		DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: triedLength, DVocab: 2, AttnOnly: true,
		NormalizationType: "none", PositionalEmbeddingType: "none",
	})
	if err != nil {
		return 0, err
	}
	// Coordinate 0 marks the first token, coordinate 1 has the result, which is logit 0.
	m.Weights.Get("embed.W_E").Data[0] = 1
	m.Weights.Get("blocks.0.attn.W_V").Data[0] = 1
	m.Weights.Get("blocks.0.attn.W_O").Data[1] = 1
	m.Weights.Get("unembed.W_U").Data[m.Config.DVocab] = 1
	tokens := make([]int32, triedLength)
	for i := 1; i < triedLength; i++ {
		tokens[i] = 1
	}
	for n := 1; n <= triedLength; n++ {
		worst = larger(worst, math.Abs(lastLogits(m, tokens[:n])[0]-1/float64(n)))
	}
	return worst, nil
}
