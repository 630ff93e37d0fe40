package model

import (
	"fmt"
	"math"
	"testing"
)

// A disentangled transformer computes what an attention-only one without norms does, its
// biases included (Nichani et al. 2024).
func TestDisentangledHasTheSameLogits(t *testing.T) {
	for _, positions := range []string{"learned", "sinusoidal", "none"} {
		m := jittered[float64](t, Config{
			DModel: 6, NLayers: 3, NHeads: Heads{1, 3, 2}, DHead: 5, NCtx: 6, DVocab: 4,
			AttnOnly: true, NormalizationType: "none", PositionalEmbeddingType: positions, InitializerRange: 0.5,
		})
		for i := range m.Weights.Data {
			m.Weights.Data[i] -= 0.3 // the jitter is from 0 to 0.6
		}
		d, err := Disentangle(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.Config.Width(3), 10*2*4*3; got != want {
			t.Errorf("width %d, want %d", got, want)
		}
		tokens, _, _ := batchOf[float64](m.Config, 1)
		for n := 1; n <= len(tokens); n++ {
			want, err := m.Logits(tokens[:n])
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Logits(tokens[:n])
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range want {
				if math.Abs(got[i]-x) > 1e-9*(1+math.Abs(x)) {
					t.Fatalf("positions %s, %d tokens: logit %d is %v, want %v", positions, n, i, got[i], x)
				}
			}
		}
	}
}

func TestDisentangleRefuses(t *testing.T) {
	const takes = "model: only a model with residual: add, attn_only: true, normalization_type: none and positions " +
		"other than rotary can be disentangled; this model has "
	for want, c := range map[string]Config{
		"residual: concat":       {Residual: "concat", NLayers: 1, NHeads: Heads{1}, NCtx: 2, DVocab: 2},
		"MLPs":                   {DModel: 2, NLayers: 1, NHeads: Heads{1}, NCtx: 2, DVocab: 2},
		"normalization_type: LN": {DModel: 2, NLayers: 1, NHeads: Heads{1}, NCtx: 2, DVocab: 2, AttnOnly: true},
		"rotary positions": {
			DModel: 2, NLayers: 1, NHeads: Heads{1}, NCtx: 2, DVocab: 2, AttnOnly: true, NormalizationType: "none", PositionalEmbeddingType: "rotary",
		},
	} {
		m, err := Zero[float32](c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Disentangle(m); fmt.Sprint(err) != takes+want {
			t.Errorf("got  %v\nwant %s", err, takes+want)
		}
	}
}
