package model_test

import (
	"fmt"

	"foretell/model"
)

// A model by hand whose head copies the first token: its logits, and what is seen inside.
func Example() {
	m, err := model.Zero[float64](model.Config{
		DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, DVocab: 2, AttnOnly: true, NormalizationType: "none",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := func(x float64, name string, row ...int) {
		last := len(row) - 1
		m.Weights.Get(name).Row(row[:last]...)[row[last]] = x
	}
	set(1, "embed.W_E", 1, 1)            // direction 1: the token is 1
	set(1, "pos_embed.W_pos", 0, 2)      // direction 2: the position is the first
	set(9, "blocks.0.attn.b_Q", 0, 0)    // each query asks
	set(1, "blocks.0.attn.W_K", 0, 2, 0) // for the first position
	set(1, "blocks.0.attn.W_V", 0, 1, 3) // and moves whether its token is 1
	set(1, "blocks.0.attn.W_O", 0, 3, 3) // to direction 3,
	set(2, "unembed.W_U", 3, 1)          // from where the logit of 1 reads it

	logits, cache, err := m.RunWithCache([]int32{1, 0, 0}, 1, "blocks.0.attn.hook_pattern", "blocks.0.hook_attn_out")
	if err != nil {
		fmt.Println(err)
		return
	}
	pattern := cache.Get("blocks.0.attn.hook_pattern")
	fmt.Println("hooks:", len(m.Config.Hooks()), "of which", cache.Names())
	fmt.Printf("p(1) = %.3f\n", model.Probabilities(logits[4:])[1])
	fmt.Printf("%s %v: position 3 attends %.2f,\n", pattern.Name, pattern.Shape, pattern.Row(0, 0, 2))
	fmt.Printf("to the first %.2f, and writes %.2f\n", pattern.At(0, 0, 2, 0), cache.Get("blocks.0.hook_attn_out").Row(0, 2))

	// What moves the logit of token 1 at the last position?
	gradients, err := m.Gradients([]int32{1, 0, 0}, 1, func(_, gradient []float64) { gradient[5] = 1 })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("∂logit/∂pattern of position 3 is %.2f\n", gradients.Get(pattern.Name).Row(0, 0, 2))

	_, _, err = m.RunWithCache([]int32{1, 0, 0}, 1, "blocks.0.hook_pattern")
	fmt.Println(err)
	// Output:
	// hooks: 12 of which [blocks.0.attn.hook_pattern blocks.0.hook_attn_out]
	// p(1) = 0.876
	// blocks.0.attn.hook_pattern [1 1 3 3]: position 3 attends [0.98 0.01 0.01],
	// to the first 0.98, and writes [0.00 0.00 0.00 0.98]
	// ∂logit/∂pattern of position 3 is [2.00 0.00 0.00]
	// model: there is no activation "blocks.0.hook_pattern": did you mean "blocks.0.attn.hook_pattern"?
}
