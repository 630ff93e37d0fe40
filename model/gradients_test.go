package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"
)

// testMetric is a metric of logits that is not linear in them, and its gradient.
func testMetric(logits, gradient []float64) float64 {
	sum := 0.0
	for i, x := range logits {
		c := math.Sin(float64(i) + 1)
		sum += c * (x + x*x/2)
		if gradient != nil {
			gradient[i] = c * (1 + x)
		}
	}
	return sum
}

// The gradient with respect to every activation is the slope of the metric when a hook
// adds to one of its entries.
func TestActivationGradientsAgreeWithCentralDifferences(t *testing.T) {
	const batch, most = 2, 40
	for _, test := range small {
		t.Run(test.name, func(t *testing.T) {
			m := jittered[float64](t, test.config)
			tokens, _, _ := batchOf[float64](m.Config, batch)
			grads, err := m.Gradients(tokens, batch, func(logits, gradient []float64) { testMetric(logits, gradient) })
			if err != nil {
				t.Fatal(err)
			}
			if got := grads.Names(); !slices.Equal(got, m.Config.Hooks()) {
				t.Fatalf("gradients of %v, and the hooks are %v", got, m.Config.Hooks())
			}
			_, cache, err := m.RunWithCache(tokens, batch)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range grads.Names() {
				g := grads.Get(name)
				if !slices.Equal(g.Shape, cache.Get(name).Shape) {
					t.Errorf("%s: the gradient's shape is %v, the activation's %v", name, g.Shape, cache.Get(name).Shape)
					continue
				}
				slopesAgree(t, m, tokens, batch, g, most)
			}
		})
	}
}

// slopesAgree compares a gradient at up to most entries with slopes.
func slopesAgree(t *testing.T, m *Transformer[float64], tokens []int32, batch int, g Tensor[float64], most int) {
	w, entry, add := NewWorkspace[float64](m.Config, batch), 0, 0.0
	w.HookNames = []string{g.Name}
	w.Hook = func(x Tensor[float64]) { x.Data[entry] += add }
	metric := func() float64 { return testMetric(m.Forward(w, tokens, batch), nil) }
	s, norm, worst := random.New(3, "test/entries/"+g.Name), 0.0, 0.0
	for _, x := range g.Data {
		norm += x * x
	}
	for i := range min(most, len(g.Data)) {
		entry = i
		if len(g.Data) > most {
			entry = s.IntN(len(g.Data))
		}
		worst = max(worst, math.Abs(slopeOver(1e-4, metric, &add)-g.Data[entry]))
	}
	if worst > 1e-6*max(math.Sqrt(norm), 1e-3) {
		t.Errorf("%s: gradient off by %.2g of its norm %.3g", g.Name, worst, math.Sqrt(norm))
	}
}

// After a pass of the last positions alone, gradients are those of Gradients for a metric
// of the last logits, in the shapes of that pass's activations.
func TestGradientsOfLastPositions(t *testing.T) {
	const batch = 2
	for _, test := range small {
		m := jittered[float64](t, test.config)
		tokens, _, _ := batchOf[float64](m.Config, batch)
		T, V := m.Config.NCtx, m.Config.DVocab
		want, err := m.Gradients(tokens, batch, func(_, gradient []float64) {
			for b := range batch {
				gradient[(b*T+T-1)*V] = 1
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		w := NewWorkspace[float64](m.Config, batch)
		shapes := map[string][]int{}
		w.Hook = func(x Tensor[float64]) { shapes[x.Name] = x.Shape }
		w.GradientHook = func(g Tensor[float64]) {
			if g.Name == m.lastScores() && T > 1 {
				t.Errorf("%s: %s is shown", test.name, g.Name)
			}
			if shape, ok := shapes[g.Name]; ok && !slices.Equal(shape, g.Shape) {
				t.Errorf("%s: the gradient of %s is %v, the activation %v", test.name, g.Name, g.Shape, shape)
			}
			delete(shapes, g.Name)
			if all := want.Get(g.Name); len(g.Shape) == 3 {
				for b := range batch {
					closeTo(t, test.name+", "+g.Name, g.Row(b, g.Shape[1]-1), all.Row(b, all.Shape[1]-1))
				}
			}
		}
		m.ForwardLast(w, tokens, batch)
		clear(w.DLogits())
		for b := range batch {
			w.DLogits()[b*V] = 1
		}
		m.Pack()
		m.Backward(w, tokens, NewWeights[float64](m.Config))
		if len(shapes) > 0 {
			t.Errorf("%s: no gradients of %v", test.name, shapes)
		}
	}
}

func closeTo(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, x := range want {
		if math.Abs(got[i]-x) > 1e-12*(1+math.Abs(x)) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], x)
			return
		}
	}
}

// Looking at gradients changes none, and a model may be shared by those who look.
func TestLookingAtGradientsChangesNone(t *testing.T) {
	for _, test := range small {
		m := jittered[float32](t, test.config)
		tokens, targets, weights := batchOf[float32](m.Config, 2)
		backward := func(look func(Tensor[float32])) []float32 {
			w, grads := NewWorkspace[float32](m.Config, 2), NewWeights[float32](m.Config)
			w.GradientHook = look
			m.Pack()
			m.Forward(w, tokens, 2)
			m.CrossEntropy(w, targets, weights)
			m.Backward(w, tokens, grads)
			return grads.Data
		}
		if !slices.Equal(backward(nil), backward(func(Tensor[float32]) {})) {
			t.Errorf("%s: gradients of parameters move when those of activations are looked at", test.name)
		}
		m.transposed = nil
		if _, err := m.Gradients(tokens, 2, func(_, _ []float32) {}); err != nil || m.transposed != nil {
			t.Errorf("%s: %v, or the model has changed", test.name, err)
		}
	}
}

// The masked half of a pattern, which no kernel reads or writes, and of its gradients is
// 0 where it is shown, whatever has been there.
func TestMaskedHalvesAreShownAsZero(t *testing.T) {
	for _, test := range small {
		m := jittered[float32](t, test.config)
		tokens, targets, weights := batchOf[float32](m.Config, 2)
		w, shown := NewWorkspace[float32](m.Config, 2), map[string]int{}
		look := func(kind string) func(Tensor[float32]) {
			return func(x Tensor[float32]) {
				pattern := strings.HasSuffix(x.Name, ".hook_pattern")
				if !pattern && (kind == "activation" || !strings.HasSuffix(x.Name, scoresHook)) {
					return
				}
				T := x.Shape[3]
				for i, v := range x.Data {
					if d, s := i/T%T, i%T; s > d && v != 0 || v-v != 0 {
						t.Fatalf("%s: the %s %s has %v from %d to %d", test.name, kind, x.Name, v, d, s)
					}
				}
				shown[kind]++
			}
		}
		m.Pack()
		w.GradientHook = look("gradient")
		for _, hook := range []func(Tensor[float32]){nil, look("activation")} {
			for i := range w.blocks {
				fillNaN(w.blocks[i].attn.pattern)
			}
			w.Hook = hook
			m.Forward(w, tokens, 2)
			m.CrossEntropy(w, targets, weights)
			m.Backward(w, tokens, NewWeights[float32](m.Config))
		}
		if layers := len(m.Config.NHeads); shown["activation"] != layers || shown["gradient"] != 4*layers {
			t.Errorf("%s: shown are %v of %d layers", test.name, shown, layers)
		}
	}
}

func TestGradientsRefuse(t *testing.T) {
	standard := small[0].config
	probabilities, concat := standard, Config{Residual: "concat", NLayers: 1, NHeads: Heads{1}, NCtx: 5, DVocab: 3}
	probabilities.Output = "probabilities"
	for _, test := range []struct {
		config Config
		tokens []int32
		name   string
		want   string
	}{
		{standard, []int32{0, 3}, "hook_embed", "model: sequence 1: token 3 at position 2 is outside the alphabet [0, 2]"},
		{standard, []int32{0}, "hook_embde", `model: there is no activation "hook_embde": did you mean "hook_embed"?`},
		{probabilities, []int32{0}, "hook_embed", "model: a model with output: probabilities has no gradients"},
	} {
		m := jittered[float64](t, test.config)
		_, err := m.Gradients(test.tokens, 1, func(_, _ []float64) { t.Error("the metric was asked") }, test.name)
		if fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	m := jittered[float32](t, concat)
	w := NewWorkspace[float32](m.Config, 1)
	m.Pack()
	m.Forward(w, []int32{0}, 1)
	w.GradientHook = func(Tensor[float32]) {}
	wantPanic(t, "model: with residual: concat, set GradientHook before the forward pass", func() {
		m.Backward(w, []int32{0}, NewWeights[float32](m.Config))
	})
}
