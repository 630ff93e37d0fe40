package model

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Looking changes nothing: the logits with every activation cached are the
// logits without, to the bit.
func TestCachedRunIsTheSameRun(t *testing.T) {
	for _, test := range small {
		m, err := New[float32](test.config, 1)
		if err != nil {
			t.Fatal(err)
		}
		tokens, _, _ := batchOf[float32](m.Config, 3)
		plain := m.Forward(NewWorkspace[float32](m.Config, 3), tokens, 3)
		hooked, cache, err := m.RunWithCache(tokens, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plain {
			if plain[i] != hooked[i] {
				t.Fatalf("%s: logit %d is %v without and %v with a cache", test.name, i, plain[i], hooked[i])
			}
		}
		for _, name := range cache.Names() {
			tensor := cache.Get(name)
			size := 1
			for _, n := range tensor.Shape {
				size *= n
			}
			if size != len(tensor.Data) {
				t.Errorf("%s: %s has shape %v and %d numbers", test.name, name, tensor.Shape, len(tensor.Data))
			}
		}
	}
}

// Patching every activation of one pass into another gives the logits of the
// first, whichever single residual-stream hook carries them.
func TestPatchingTheStreamCarriesTheRun(t *testing.T) {
	m, err := New[float64](small[5].config, 1)
	if err != nil {
		t.Fatal(err)
	}
	T := m.Config.NCtx
	clean, corrupt := make([]int32, T), make([]int32, T)
	for i := range corrupt {
		corrupt[i] = 1
	}
	want, cache, err := m.RunWithCache(clean, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"blocks.0.hook_resid_pre", "blocks.0.hook_resid_post", "blocks.1.hook_resid_pre",
		"blocks.1.hook_resid_mid", "blocks.1.hook_resid_post", "ln_final.hook_normalized",
	} {
		w := NewWorkspace[float64](m.Config, 1)
		w.Hook = func(t Tensor[float64]) {
			if t.Name == name {
				copy(t.Data, cache.Get(name).Data)
			}
		}
		got := m.Forward(w, corrupt, 1)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: logit %d is %v, want %v", name, i, got[i], want[i])
				break
			}
		}
	}
}

// The pattern is a distribution over the past, and a replaced one is what mixes
// the values: all weight on the first position gives every position the same z.
func TestPatternCanBeReplaced(t *testing.T) {
	m, err := New[float64](small[1].config, 1)
	if err != nil {
		t.Fatal(err)
	}
	T, H := m.Config.NCtx, m.Config.NHeads[0]
	tokens := []int32{0, 1, 2, 1}
	_, cache, err := m.RunWithCache(tokens, 1, "blocks.0.attn.hook_pattern")
	if err != nil {
		t.Fatal(err)
	}
	pattern := cache.Get("blocks.0.attn.hook_pattern").Data
	for row := range H * T {
		sum := 0.0
		for s := range T {
			p := pattern[row*T+s]
			sum += p
			if s > row%T && p != 0 {
				t.Errorf("position %d attends to %d", row%T, s)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("row %d sums to %v", row, sum)
		}
	}
	w := NewWorkspace[float64](m.Config, 1)
	w.Hook = func(tensor Tensor[float64]) {
		switch tensor.Name {
		case "blocks.0.attn.hook_pattern":
			for i := range tensor.Data {
				tensor.Data[i] = 0
				if i%T == 0 {
					tensor.Data[i] = 1
				}
			}
		case "blocks.0.attn.hook_z":
			for i, x := range tensor.Data {
				if x != tensor.Data[i%(H*m.Config.DHead)] {
					t.Fatalf("z[%d] = %v differs from the first position's %v", i, x, tensor.Data[i%(H*m.Config.DHead)])
				}
			}
		}
	}
	m.Forward(w, tokens, 1)
}

// Replacing the scores replaces the pattern: equal scores give uniform attention.
func TestScoresCanBeReplaced(t *testing.T) {
	m, err := New[float64](small[0].config, 1)
	if err != nil {
		t.Fatal(err)
	}
	T := m.Config.NCtx
	w := NewWorkspace[float64](m.Config, 1)
	seen := false
	w.Hook = func(tensor Tensor[float64]) {
		switch tensor.Name {
		case "blocks.0.attn.hook_attn_scores":
			for i := range tensor.Data {
				if masked := i%T > i/T; masked != math.IsInf(tensor.Data[i], -1) {
					t.Errorf("score %d is %v", i, tensor.Data[i])
				}
				tensor.Data[i] = 0
			}
		case "blocks.0.attn.hook_pattern":
			seen = true
			for i, p := range tensor.Data {
				want := 1 / float64(i/T+1)
				if i%T > i/T {
					want = 0
				}
				if math.Abs(p-want) > 1e-15 {
					t.Errorf("pattern %d is %v, want %v", i, p, want)
				}
			}
		}
	}
	m.Forward(w, make([]int32, T), 1)
	if !seen {
		t.Error("no pattern was shown")
	}
}

func TestRunWithCacheRejectsBadInput(t *testing.T) {
	m, err := New[float64](small[0].config, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tokens []int32
		batch  int
		hook   string
		want   string
	}{
		{[]int32{0, 3}, 1, "hook_embed", "model: sequence 1: token 3 at position 2 is outside the alphabet [0, 2]"},
		{make([]int32, 6), 1, "hook_embed", "model: sequence 1: a context of 6 tokens is outside [1, n_ctx = 5]"},
		{make([]int32, 3), 2, "hook_embed", "model: 3 tokens cannot be split into 2 sequences of equal length"},
		{make([]int32, 3), 1, "hook_embde", `model: there is no activation "hook_embde": did you mean "hook_embed"?`},
	} {
		if _, _, err := m.RunWithCache(test.tokens, test.batch, test.hook); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// A short context asks for no more room than it fills, and has the logits that it has in
// a workspace of full length, to the bit.
func TestLogitsOfShortContexts(t *testing.T) {
	for _, test := range small {
		m := jittered[float32](t, test.config)
		tokens, _, _ := batchOf[float32](m.Config, 1)
		w := NewWorkspace[float32](m.Config, 1)
		for n := 1; n <= len(tokens); n++ {
			got, err := m.Logits(tokens[:n])
			if err != nil {
				t.Fatal(err)
			}
			if want := m.Forward(w, tokens[:n], 1); !slices.Equal(got, want) {
				t.Fatalf("%s: after %d tokens: %v, want %v", test.name, n, got, want)
			}
		}
	}
	c := Config{DModel: 2, NLayers: 1, NHeads: Heads{1}, NCtx: 1 << 20, DVocab: 2, PositionalEmbeddingType: "none"}
	m, err := New[float32](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Logits([]int32{0, 1}); err != nil { // n_ctx² attention weights would be 4 TiB
		t.Error(err)
	}
}
