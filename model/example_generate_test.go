package model_test

import (
	"fmt"

	"foretell/model"
)

// A model by hand that says after each token the next one of a circle, continued beyond
// its context.
func ExampleTransformer_Generate() {
	m, err := model.Zero[float64](model.Config{
		DModel: 3, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 3, AttnOnly: true, NormalizationType: "none",
	})
	if err != nil {
		panic(err)
	}
	embed, unembed := m.Weights.Get("embed.W_E").Data, m.Weights.Get("unembed.W_U").Data
	for z := range 3 {
		embed[z*3+z], unembed[z*3+(z+1)%3] = 1, 5
	}
	g := model.Generation{Sampling: model.Sampling{Temperature: 1, TopP: 0.9}, Seed: 1, Most: 7, Slide: true}
	for next, err := range m.Generate([]int32{0, 1}, g) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d (%.2f) ", next.Token, model.Probabilities(next.Logits)[next.Token])
	}
	fmt.Println()
	// Output: 2 (0.99) 0 (0.99) 1 (0.99) 2 (0.99) 0 (0.99) 1 (0.99) 2 (0.99)
}
