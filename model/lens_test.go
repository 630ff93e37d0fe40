package model

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Through the logit lens the last stage has the model's own logits, to the bit.
func TestLogitLensOfTheLastStage(t *testing.T) {
	for _, test := range small {
		if test.config.Flat() {
			continue // see TestLensesRefuse
		}
		lastStage[float32](t, test.config)
		lastStage[float64](t, test.config)
	}
	for _, output := range []string{"probabilities", "logits"} {
		lastStage[float32](t, Config{Residual: "concat", NLayers: 2, NHeads: Heads{2}, NCtx: 9, DVocab: 3, Output: output})
	}
}

func lastStage[F Float](t *testing.T, c Config) {
	t.Helper()
	m := jittered[F](t, c)
	if m.Config.Output == "probabilities" {
		for i, x := range m.Weights.Data {
			m.Weights.Data[i] = max(x, -x)
		}
	}
	tokens, _, _ := batchOf[F](m.Config, 3)
	want, cache, err := m.RunWithCache(tokens, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range m.Config.ResidualStages() {
		got, err := m.LogitLens(cache.Get(name))
		if err != nil {
			t.Fatalf("%+v: %s: %v", c, name, err)
		}
		if shape := []int{3, m.Config.NCtx, m.Config.DVocab}; !slices.Equal(got.Shape, shape) || len(got.Data) != len(want) {
			t.Errorf("%+v: %s: the shape is %v of %d numbers, want %v", c, name, got.Shape, len(got.Data), shape)
		}
		if last := len(m.Config.ResidualStages()) - 1; i == last && !slices.Equal(got.Data, want) {
			t.Errorf("%+v: the logits of %s are %v, and the model's %v", c, name, got.Data, want)
		}
	}
}

// An early stage has the logits of the model whose later layers write nothing.
func TestLogitLensOfTheFirstStage(t *testing.T) {
	for _, test := range small {
		m := jittered[float64](t, test.config)
		if m.flat != nil || m.Config.Output != "" {
			continue
		}
		tokens, _, _ := batchOf[float64](m.Config, 2)
		_, cache, err := m.RunWithCache(tokens, 2, m.Config.ResidualStages()[0])
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.LogitLens(cache.Get(m.Config.ResidualStages()[0]))
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range m.Weights.blocks {
			clear(b.attn.wo)
			clear(b.attn.bo)
			clear(b.mlp.wout)
			clear(b.mlp.bout)
			if m.concat != nil && i == 0 {
				clear(m.Weights.unembed.w[m.Config.Width(0)*m.Config.DVocab:]) // later blocks are not read
			}
		}
		w := NewWorkspace[float64](m.Config, 2)
		if want := m.Forward(w, tokens, 2); !slices.Equal(got.Data, want) {
			t.Errorf("%s: the lens has %v, the silent model %v", test.name, got.Data, want)
		}
	}
}

// What heads add to the stream, and the bias, is what attention adds to it.
func TestHeadResultsAddUp(t *testing.T) {
	for _, test := range small {
		if m := jittered[float64](t, test.config); m.flat == nil && m.concat == nil {
			headResultsAddUp[float32](t, test.config, 1e-4)
			headResultsAddUp[float64](t, test.config, 1e-12)
		}
	}
}

func headResultsAddUp[F Float](t *testing.T, c Config, bound float64) {
	t.Helper()
	m := jittered[F](t, c)
	tokens, _, _ := batchOf[F](m.Config, 3)
	_, cache, err := m.RunWithCache(tokens, 3)
	if err != nil {
		t.Fatal(err)
	}
	for layer, heads := range m.Config.NHeads {
		r, err := m.HeadResults(cache, layer)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("blocks.%d.", layer)
		if want := []int{3, m.Config.NCtx, heads, m.Config.DModel}; !slices.Equal(r.Shape, want) || r.Name != name+"attn.hook_result" {
			t.Fatalf("%s has shape %v, want %v", r.Name, r.Shape, want)
		}
		out, bias := cache.Get(name+"hook_attn_out"), m.Weights.Get(name+"attn.b_O")
		for b := range 3 {
			for i := range m.Config.NCtx {
				for j := range m.Config.DModel {
					sum, size := float64(bias.At(j)), 1.0
					for head := range heads {
						sum += float64(r.At(b, i, head, j))
						size += math.Abs(float64(r.At(b, i, head, j)))
					}
					if got := float64(out.At(b, i, j)); math.Abs(got-sum) > bound*size {
						t.Fatalf("%+v: heads and bias add up to %v, attention writes %v", c, sum, got)
					}
				}
			}
		}
	}
}

func TestLensesRefuse(t *testing.T) {
	m := jittered[float64](t, small[0].config)
	_, cache, err := m.RunWithCache([]int32{0, 1}, 1, "blocks.0.attn.hook_q", "hook_embed")
	if err != nil {
		t.Fatal(err)
	}
	flat := jittered[float64](t, Config{Architecture: "flat", DModel: 8, NCtx: 4, DVocab: 3})
	concat := jittered[float64](t, Config{Residual: "concat", NLayers: 2, NHeads: Heads{1}, NCtx: 4, DVocab: 3})
	two := jittered[float64](t, Config{DModel: 8, NLayers: 1, NHeads: Heads{2}, NCtx: 5, DVocab: 3})
	_, others, err := two.RunWithCache([]int32{0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	embed := cache.Get("hook_embed")
	lens := func(m *Transformer[float64], x Tensor[float64]) error { _, err := m.LogitLens(x); return err }
	heads := func(m *Transformer[float64], c *Cache[float64], layer int) error {
		_, err := m.HeadResults(c, layer)
		return err
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{lens(flat, embed), "model: the logit lens needs a residual stream, which architecture: flat does not have"},
		{lens(m, cache.Get("blocks.0.attn.hook_q")), "model: the logit lens reads a residual stage (B,T,d), but blocks.0.attn.hook_q has shape [1 2 1 8]"},
		{lens(m, Tensor[float64]{"x", []int{1, 2, 7}, make([]float64, 14)}), "model: the logit lens needs a residual stream of width [8], but x has shape [1 2 7]"},
		{lens(m, Tensor[float64]{"x", []int{1, 2, 8}, make([]float64, 14)}), "model: x has shape [1 2 8] but 14 numbers"},
		{lens(concat, embed), "model: the logit lens needs a residual stream of width [7 14 28], but hook_embed has shape [1 2 8]"},
		{heads(flat, cache, 0), "model: architecture: flat has no heads"},
		{heads(concat, cache, 0), "model: with residual: concat a head's result is its block of the stream; see Config.Blocks"},
		{heads(m, cache, 1), "model: layer 1 is outside [0, 0]"},
		{heads(m, cache, 0), `model: the results of heads are computed from "blocks.0.attn.hook_z", which the cache does not hold`},
		{heads(m, others, 0), "model: blocks.0.attn.hook_z has shape [1 1 2 4], but the layer has 1 heads of width 8: it is from another model"},
	} {
		if fmt.Sprint(test.err) != test.want {
			t.Errorf("got %v, want %s", test.err, test.want)
		}
	}
}
