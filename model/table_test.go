package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The table of the first block changes no bit of the logits and of the gradient.
func TestTableChangesNothing(t *testing.T) {
	for name, c := range map[string]Config{
		"learned":  {NLayers: 2, NHeads: Heads{2, 1}},
		"rotary":   {NLayers: 1, NHeads: Heads{1}, DHead: 32, PositionalEmbeddingType: "rotary", NormalizationType: "LNPre"},
		"sinusoid": {NLayers: 1, NHeads: Heads{4}, PositionalEmbeddingType: "sinusoidal", AttnOnly: true},
		"none":     {NLayers: 1, NHeads: Heads{1}, PositionalEmbeddingType: "none"},
	} {
		c.DModel, c.NCtx, c.DVocab = 16, 6, 3
		m, err := New[float32](c, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		m.Pack()
		const batch = 9
		r, with, without := rand.New(rand.NewPCG(1, 2)), NewWorkspace[float32](m.Config, batch), NewWorkspace[float32](m.Config, batch)
		without.table = nil
		for _, length := range []int{6, 4, 6} {
			tokens, weights := make([]int32, batch*length), make([]float32, batch*length)
			for i := range tokens {
				tokens[i], weights[i] = int32(r.IntN(3)), r.Float32()
			}
			pass := func(w *Workspace[float32]) ([]float32, []float32) {
				g := NewWeights[float32](m.Config)
				logits := slices.Clone(m.Forward(w, tokens, batch))
				m.CrossEntropy(w, tokens, weights)
				m.Backward(w, tokens, g)
				return logits, g.Data
			}
			logits, gradient := pass(with)
			if slices.Max(with.table.w.blocks[0].attn.qkv) == 0 {
				t.Fatalf("%s: the table was not used", name)
			}
			wantLogits, wantGradient := pass(without)
			if !slices.Equal(logits, wantLogits) || !slices.Equal(gradient, wantGradient) {
				t.Errorf("%s, %d tokens: other logits or another gradient", name, length)
			}
		}
	}
}
