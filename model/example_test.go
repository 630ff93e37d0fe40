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

	tokens := []int32{1, 0, 0}
	logits, cache, err := m.RunWithCache(tokens, 1) // or of some hook names alone
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p(1) = %.3f; hooks: %d, the last %s\n",
		model.Probabilities(logits[4:])[1], len(cache.Names()), cache.Names()[len(cache.Names())-1])
	pattern := cache.Get("blocks.0.attn.hook_pattern")
	fmt.Printf("pattern %v: position 3 attends %.2f, to the first %.2f\n",
		pattern.Shape, pattern.Row(0, 0, 2), pattern.At(0, 0, 2, 0))

	// What the head writes there, and what the logits would be without it.
	results, err := m.HeadResults(cache, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	lens, err := m.LogitLens(cache.Get("blocks.0.hook_resid_pre"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("head 0 writes %.2f: logits %.2f, before it %.2f\n", results.Row(0, 2, 0), logits[4:], lens.Row(0, 2))

	// What moves the logit of token 1 there?
	gradients, err := m.Gradients(tokens, 1, func(_, gradient []float64) { gradient[5] = 1 }, pattern.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("∂logit/∂pattern %.2f\n", gradients.Get(pattern.Name).Row(0, 0, 2))

	_, _, err = m.RunWithCache(tokens, 1, "blocks.0.hook_pattern")
	fmt.Println(err)
	// Output:
	// p(1) = 0.876; hooks: 12, the last blocks.0.hook_resid_post
	// pattern [1 1 3 3]: position 3 attends [0.98 0.01 0.01], to the first 0.98
	// head 0 writes [0.00 0.00 0.00 0.98]: logits [0.00 1.96], before it [0.00 0.00]
	// ∂logit/∂pattern [2.00 0.00 0.00]
	// model: there is no activation "blocks.0.hook_pattern": did you mean "blocks.0.attn.hook_pattern"?
}

// Patching with the norm's scale frozen: what a hook writes is what the rest of the pass
// sees.
func ExampleWorkspace() {
	m, err := model.New[float64](model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 3, DVocab: 3}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	clean, corrupt := []int32{0, 1, 1}, []int32{2, 1, 1}
	_, cache, err := m.RunWithCache(clean, 1, "blocks.0.hook_resid_mid", "ln_final.hook_scale")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := model.NewWorkspace[float64](m.Config, 1)
	fmt.Printf("corrupt %.3f\n", m.Forward(w, corrupt, 1)[6:])
	w.HookNames = cache.Names() // a name that there is not would panic; see Config.CheckHooks
	w.Hook = func(t model.Tensor[float64]) {
		if t.Name == "ln_final.hook_scale" {
			copy(t.Data, cache.Get(t.Name).Data)
		}
	}
	fmt.Printf("with the clean scale %.3f\n", m.Forward(w, corrupt, 1)[6:])
	w.Hook = func(t model.Tensor[float64]) { copy(t.Row(0, 2), cache.Get(t.Name).Row(0, 2)) }
	fmt.Printf("and stage, at position 3, %.3f\n", m.Forward(w, corrupt, 1)[6:])
	fmt.Printf("clean   %.3f\n", m.Forward(w, clean, 1)[6:])
	// Output:
	// corrupt [0.554 -0.245 0.844]
	// with the clean scale [0.545 -0.241 0.830]
	// and stage, at position 3, [0.301 0.470 0.972]
	// clean   [0.301 0.470 0.972]
}
