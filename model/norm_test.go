package model

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// normalized are configurations with each kind of norm.
var normalized = []Config{
	{DModel: 8, NLayers: 2, NHeads: Heads{2}, DMLP: 6, NCtx: 5, DVocab: 4},
	{DModel: 7, NLayers: 1, NHeads: Heads{1}, NCtx: 4, DVocab: 3, NormalizationType: "LNPre", AttnOnly: true},
}

// freeze returns a hook that writes the norms' scales of another pass.
func freeze[F Float](cache *Cache[F]) func(Tensor[F]) {
	return func(t Tensor[F]) {
		if strings.HasSuffix(t.Name, ".hook_scale") {
			copy(t.Data, cache.Get(t.Name).Data)
		}
	}
}

func TestFrozenScales(t *testing.T) {
	for _, c := range normalized {
		ownScales[float32](t, c)
		ownScales[float64](t, c)
		otherScales[float32](t, c, 1e-5)
		otherScales[float64](t, c, 1e-13)
	}
}

// ownScales holds that the scales of a pass itself change no bit of it, and that a pass
// of the last positions shows those.
func ownScales[F Float](t *testing.T, c Config) {
	t.Helper()
	m := jittered[F](t, c)
	tokens, _, _ := batchOf[F](m.Config, 2)
	plain, own, err := m.RunWithCache(tokens, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorkspace[F](m.Config, 2)
	w.Hook = freeze(own)
	if got := m.Forward(w, tokens, 2); !slices.Equal(got, plain) {
		t.Errorf("%+v: a pass with its own scales has other logits", c)
	}
	w.Hook = nil
	want := slices.Clone(m.ForwardLast(w, tokens, 2))
	w.Hook = func(x Tensor[F]) {
		if strings.HasSuffix(x.Name, ".hook_scale") {
			if all := own.Get(x.Name); x.Shape[2] != 1 || x.At(1, x.Shape[1]-1, 0) != all.At(1, all.Shape[1]-1, 0) {
				t.Errorf("%+v: %s of the last positions is %v, %v", c, x.Name, x.Shape, x.Data)
			}
		}
	}
	if got := m.ForwardLast(w, tokens, 2); !slices.Equal(got, want) {
		t.Errorf("%+v: looking at the scales moves logits", c)
	}
}

// otherScales holds that the scales of another pass are what the norm divides by, as long
// as there is a hook that writes them.
func otherScales[F Float](t *testing.T, c Config, bound float64) {
	t.Helper()
	m := jittered[F](t, c)
	tokens, others, _ := batchOf[F](m.Config, 2)
	plain, own, err := m.RunWithCache(tokens, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := m.RunWithCache(others, 2)
	if err != nil {
		t.Fatal(err)
	}
	const layer = "blocks.0."
	w, write := NewWorkspace[F](m.Config, 2), freeze(other)
	w.Hook = func(x Tensor[F]) {
		write(x)
		if x.Name != layer+"ln1.hook_normalized" {
			return
		}
		input, scale := own.Get(layer+"hook_resid_pre"), other.Get(layer+"ln1.hook_scale")
		for b := range 2 {
			for i := range m.Config.NCtx {
				want := divided(input.Row(b, i), float64(scale.At(b, i, 0)), m.Weights.blocks[0].norm1)
				for j, y := range x.Row(b, i) {
					if math.Abs(float64(y)-want[j]) > bound*(1+math.Abs(want[j])) {
						t.Errorf("%+v: normalised (%d,%d,%d) is %v, want %v", c, b, i, j, y, want[j])
					}
				}
			}
		}
	}
	if slices.Equal(m.Forward(w, tokens, 2), plain) {
		t.Errorf("%+v: other scales change nothing", c)
	}
	w.Hook = nil
	if !slices.Equal(m.Forward(w, tokens, 2), plain) {
		t.Errorf("%+v: scales stay frozen without a hook", c)
	}
}

// divided is a row less its mean, divided by a scale, with the norm's weight and bias.
func divided[F Float](x []F, scale float64, p normWeights[F]) []float64 {
	y, mean := make([]float64, len(x)), 0.0
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for j, v := range x {
		y[j] = (float64(v) - mean) / scale
		if p.w != nil {
			y[j] = y[j]*float64(p.w[j]) + float64(p.b[j])
		}
	}
	return y
}

// The scale that is shown is √(variance + eps).
func TestScaleIsTheStandardDeviation(t *testing.T) {
	m := jittered[float64](t, normalized[0])
	_, cache, err := m.RunWithCache([]int32{2, 0, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for hook, stage := range map[string]string{
		"blocks.0.ln1.hook_scale": "blocks.0.hook_resid_pre", "blocks.1.ln2.hook_scale": "blocks.1.hook_resid_mid",
		"ln_final.hook_scale": "blocks.1.hook_resid_post",
	} {
		for i := range 3 {
			sum, squares, d := 0.0, 0.0, float64(m.Config.DModel)
			for _, x := range cache.Get(stage).Row(0, i) {
				sum += x
				squares += x * x
			}
			want := math.Sqrt(squares/d - sum/d*sum/d + m.Config.Eps)
			if got := cache.Get(hook).At(0, i, 0); math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s at position %d is %v, want %v", hook, i+1, got, want)
			}
		}
	}
}

// Gradients through a frozen norm are slopes of the pass that is frozen so, of
// activations and of parameters.
func TestGradientsThroughFrozenScales(t *testing.T) {
	for _, c := range normalized {
		m := jittered[float64](t, c)
		tokens, others, _ := batchOf[float64](m.Config, 2)
		_, other, err := m.RunWithCache(others, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range other.Names() {
			if strings.HasSuffix(name, ".hook_scale") {
				for i := range other.Get(name).Data {
					other.Get(name).Data[i] *= 1.25 // so that each is another
				}
			}
		}
		add, at := 0.0, 0
		w := NewWorkspace[float64](m.Config, 2)
		w.Hook = func(x Tensor[float64]) {
			if strings.HasSuffix(x.Name, ".hook_scale") {
				copy(x.Row(0), other.Get(x.Name).Row(0)) // the second sequence keeps its own
			}
			if x.Name == "blocks.0.hook_resid_pre" {
				x.Data[at] += add
			}
		}
		grads := map[string]Tensor[float64]{}
		w.GradientHook = func(g Tensor[float64]) {
			g.Data = slices.Clone(g.Data)
			grads[g.Name] = g
		}
		m.Pack()
		ofWeights := NewWeights[float64](m.Config)
		testMetric(m.Forward(w, tokens, 2), w.DLogits())
		m.Backward(w, tokens, ofWeights)
		metric := func() float64 { return testMetric(m.Forward(w, tokens, 2), nil) }
		g := grads["blocks.0.hook_resid_pre"].Data
		for at = range g {
			if want := slope(metric, &add); math.Abs(g[at]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: gradient %d is %v, want %v", m.Config.NormalizationType, at, g[at], want)
			}
		}
		for i := range m.Weights.blocks[0].norm1.w {
			for _, p := range []struct{ x, g []float64 }{
				{m.Weights.blocks[0].norm1.w, ofWeights.blocks[0].norm1.w},
				{m.Weights.blocks[0].norm1.b, ofWeights.blocks[0].norm1.b},
			} {
				if want := slope(metric, &p.x[i]); math.Abs(p.g[i]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s: gradient %d of the norm is %v, want %v", m.Config.NormalizationType, i, p.g[i], want)
				}
			}
		}
	}
}
