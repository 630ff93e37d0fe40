package model

import (
	"fmt"
	"math"
	"testing"
)

// The logits of a flat network are its formulas, written out: embeddings side by side by
// their distance to the last token, and dense layers.
func TestFlatIsItsFormulas(t *testing.T) {
	for _, layers := range []int{0, 1, 2} {
		c := Config{Architecture: "flat", DModel: 3, NLayers: layers, NCtx: 5, DVocab: 4}
		if layers > 0 {
			c.DMLP, c.ActFn = 6, "relu"
		}
		m := jittered[float64](t, c)
		tokens, _, _ := batchOf[float64](m.Config, 1)
		for n := 1; n <= len(tokens); n++ {
			got, err := m.Logits(tokens[:n])
			if err != nil {
				t.Fatal(err)
			}
			for z, want := range flatLogits(m, tokens[:n]) {
				if x := got[(n-1)*m.Config.DVocab+z]; math.Abs(x-want) > 1e-12 {
					t.Errorf("%d layers, %d tokens: logit %d is %v, want %v", layers, n, z, x, want)
				}
			}
		}
	}
}

// flatLogits are the logits after some tokens, by loops over the formulas.
func flatLogits(m *Transformer[float64], tokens []int32) []float64 {
	c := m.Config
	h := make([]float64, c.NCtx*c.DModel)
	for distance := range tokens {
		token := int(tokens[len(tokens)-1-distance])
		for k := range c.DModel {
			h[(c.NCtx-1-distance)*c.DModel+k] = m.Weights.Get("embed.W_E").Data[token*c.DModel+k]
		}
	}
	dense := func(w, b string) []float64 {
		y := append([]float64(nil), m.Weights.Get(b).Data...)
		for i, x := range h {
			for j := range y {
				y[j] += x * m.Weights.Get(w).Data[i*len(y)+j]
			}
		}
		return y
	}
	for i := range c.NLayers {
		name := fmt.Sprintf("blocks.%d.mlp.", i)
		h = dense(name+"W_in", name+"b_in")
		for j := range h {
			h[j] = max(0, h[j])
		}
	}
	return dense("unembed.W_U", "unembed.b_U")
}

func TestFlatNamesTheField(t *testing.T) {
	good := Config{Architecture: "flat", DModel: 8, NLayers: 1, DMLP: 16, NCtx: 4, DVocab: 3}
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Architecture = "mlp" }, `architecture = "mlp" is not one of transformer, flat`},
		{func(c *Config) { c.DModel = 0 }, "d_model is missing; give a whole number in [1, 1048576]"},
		{func(c *Config) { c.DMLP = 0 }, "d_mlp is missing; give a whole number in [1, 1048576]"},
		{func(c *Config) { c.NLayers = -1 }, "n_layers = -1 is outside [0, 4096]; 0 is the linear predictor"},
		{func(c *Config) { c.NLayers = 0 }, "d_mlp = 16 has no meaning with n_layers: 0, the linear predictor; leave it out"},
		{func(c *Config) { c.NLayers, c.DMLP, c.ActFn = 0, 0, "relu" }, `act_fn = "relu" has no meaning with n_layers: 0, the linear predictor; leave it out`},
		{func(c *Config) { c.ActFn = "tanh" }, `act_fn = "tanh" is not one of relu, gelu, gelu_new, silu`},
		{func(c *Config) { c.NHeads = Heads{4} }, "n_heads = [4] has no meaning with architecture: flat, which has no attention; leave it out"},
		{func(c *Config) { c.DHead = 4 }, "d_head = 4 has no meaning with architecture: flat, which has no attention; leave it out"},
		{func(c *Config) { c.AttnOnly = true }, "attn_only has no meaning with architecture: flat, which has no attention; leave it out"},
		{func(c *Config) { c.NormalizationType = "LN" }, `normalization_type = "LN" has no meaning with architecture: flat, which has no norm; leave it out`},
		{func(c *Config) { c.Eps = 1e-5 }, "eps = 1e-05 has no meaning with architecture: flat, which has no norm; leave it out"},
		{func(c *Config) { c.PositionalEmbeddingType = "rotary" }, `positional_embedding_type = "rotary" has no meaning with architecture: flat, which has no positions; leave it out`},
		{func(c *Config) { c.Residual = "concat" }, `residual = "concat" has no meaning with architecture: flat, which has no residual stream; leave it out`},
		{func(c *Config) { c.AttnScale = 2 }, "attn_scale = 2 needs residual: concat; otherwise scores are divided by √d_head: leave it out"},
		{func(c *Config) { c.TieUnembed = true }, "tie_unembed = true has no meaning with architecture: flat, whose output weights and embedding differ in shape; leave it out"},
		{func(c *Config) { c.InitializerRange = -1 }, "initializer_range = -1 is outside (0, 100]"},
		{func(c *Config) { c.DModel, c.NCtx, c.DMLP = 1<<20, 1<<20, 1<<10 }, "d_model = 1048576 with n_ctx = 1048576 and 1 layers makes 1.1e+15 parameters; the limit is 1.1e+12"},
	} {
		c := good
		test.change(&c)
		_, err := c.Resolve()
		if fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, err := Disentangle(jittered[float64](t, good)); err == nil {
		t.Error("a flat network was disentangled")
	}
}

// EE269 2026 gives the window 8-dimensional embeddings of 64 tokens, 512 numbers.
func TestFlatWindowOfEE269(t *testing.T) {
	c, err := Config{Architecture: "flat", DModel: 8, NCtx: 64, DVocab: 32}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if c.Width(0) != 512 || c.Parameters() != 32*8+512*32+32 {
		t.Errorf("a window of %d numbers, %d parameters", c.Width(0), c.Parameters())
	}
}
