package model_test

import (
	"fmt"

	"foretell/model"
)

// A head is taken away by a hook, and a gradient says what each position of the stream
// does to a logit: after the first token nothing but that.
func ExampleTransformer_Gradients() {
	m, err := model.New[float32](model.Config{
		DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 3, DVocab: 3,
	}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	word := []int32{0, 1, 2}
	w := model.NewWorkspace[float32](m.Config, 1)
	w.HookNames = []string{"blocks.0.attn.hook_z"}
	w.Hook = func(z model.Tensor[float32]) {
		for t := range word {
			clear(z.Row(0, t, 1))
		}
	}
	fmt.Println(len(m.Forward(w, word, 1)), "logits without head 0.1")

	of0 := func(_, gradient []float32) { gradient[0] = 1 } // token 0 after the first of the word
	gradients, err := m.Gradients(word, 1, of0, "blocks.0.hook_resid_pre")
	if err != nil {
		fmt.Println(err)
		return
	}
	pre := gradients.Get("blocks.0.hook_resid_pre")
	for t := range word {
		fmt.Println(t, pre.At(0, t, 0) != 0)
	}
	// Output:
	// 9 logits without head 0.1
	// 0 true
	// 1 false
	// 2 false
}
