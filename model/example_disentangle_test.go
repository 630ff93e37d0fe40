package model_test

import (
	"fmt"

	"foretell/model"
)

// What do the weights of an attention-only model say of tokens and positions? Its
// residual stream mixes them. The disentangled model of the same logits has a block for
// each.
func ExampleDisentangle() {
	m, err := model.Zero[float64](model.Config{
		DModel: 3, NLayers: 1, NHeads: model.Heads{1}, NCtx: 2, DVocab: 2, AttnOnly: true, NormalizationType: "none",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for name, row := range map[string][]float64{
		"embed.W_E":         {0, 0, 0, 1, 0, 0},          // token 1 is direction 0
		"pos_embed.W_pos":   {0, 1, 0, 0, 0, 0},          // the first position is direction 1,
		"blocks.0.attn.b_Q": {9, 0, 0},                   // which each query
		"blocks.0.attn.W_K": {0, 0, 0, 1, 0, 0, 0, 0, 0}, // asks for,
		"blocks.0.attn.W_V": {1, 0, 0, 0, 0, 0, 0, 0, 0}, // to move its token
		"blocks.0.attn.W_O": {0, 0, 1, 0, 0, 0, 0, 0, 0}, // to direction 2,
		"unembed.W_U":       {0, 0, 0, 0, 0, 2},          // where the logit of 1 reads it
	} {
		copy(m.Weights.Get(name).Data, row)
	}
	d, err := model.Disentangle(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	unembed := d.Weights.Get("unembed.W_U")
	for _, block := range d.Config.Blocks(1) {
		for i := range block.Width {
			if weight := unembed.Row(block.Offset + i)[1]; weight != 0 {
				fmt.Printf("the logit of 1 reads %s %d: %.1f\n", block.Name, i, weight)
			}
		}
	}
	first, second := d.Config.DVocab, d.Config.DVocab+1 // the positions' rows, behind the tokens'
	fmt.Printf("position 2 asks for position 1: %.2f\n", d.Weights.Get("blocks.0.attn.W_A").At(0, second, first))
	for _, of := range []*model.Transformer[float64]{m, d} {
		logits, err := of.Logits([]int32{1, 0})
		fmt.Printf("%.4f %v\n", logits[2:], err)
	}
	// Output:
	// the logit of 1 reads 1.1.token 1: 2.0
	// position 2 asks for position 1: 5.20
	// [0.0000 1.9890] <nil>
	// [0.0000 1.9890] <nil>
}
