package model

import (
	"fmt"
	"slices"
	"testing"

	"foretell/internal/panics"
)

// The list of hooks is what a pass shows, in its order.
func TestHooksAreWhatAPassShows(t *testing.T) {
	for _, test := range small {
		m := jittered[float64](t, test.config)
		tokens, _, _ := batchOf[float64](m.Config, 2)
		_, cache, err := m.RunWithCache(tokens, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Config.Hooks(); !slices.Equal(got, cache.Names()) {
			t.Errorf("%s: Hooks() is %v, a pass shows %v", test.name, got, cache.Names())
		}
		if err := m.Config.CheckHooks(cache.Names()...); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// A hook name that the model has not is an error that says what it could have been, and
// in a pass a panic.
func TestUnknownHooksAreErrors(t *testing.T) {
	standard := Config{DModel: 8, NLayers: 1, NHeads: Heads{1}, NCtx: 5, DVocab: 3}
	bare, rotary, concat, flat := standard, standard, Config{}, Config{}
	bare.NormalizationType, bare.AttnOnly = "none", true
	rotary.PositionalEmbeddingType = "rotary"
	concat.Residual, concat.NLayers, concat.NHeads, concat.NCtx, concat.DVocab = "concat", 1, Heads{1}, 3, 2
	flat.Architecture, flat.DModel, flat.NCtx, flat.DVocab = "flat", 2, 4, 3
	for _, test := range []struct {
		config     Config
		name, want string
	}{
		{standard, "blocks.0.hook_resid_mdi", `there is no activation "blocks.0.hook_resid_mdi": did you mean "blocks.0.hook_resid_mid"?`},
		{standard, "blocks.0.hook_pattern", `there is no activation "blocks.0.hook_pattern": did you mean "blocks.0.attn.hook_pattern"?`},
		{standard, "resid_mid", `there is no activation "resid_mid": did you mean "blocks.0.hook_resid_mid"?`},
		{standard, "hook_z", `there is no activation "hook_z": did you mean "blocks.0.attn.hook_z"?`},
		{standard, "blocks.0.attn.hook_result", `there is no activation "blocks.0.attn.hook_result": HeadResults computes it from "blocks.0.attn.hook_z"`},
		{standard, "Blocks.0.hook-resid-pre", `there is no activation "Blocks.0.hook-resid-pre": did you mean "blocks.0.hook_resid_pre"?`},
		{standard, "blocks.1.hook_resid_pre", `there is no activation "blocks.1.hook_resid_pre": did you mean "blocks.0.hook_resid_pre"?`},
		{standard, "blocks.0.attn.hook_rot_q", `there is no activation "blocks.0.attn.hook_rot_q" with positional_embedding_type: learned`},
		{rotary, "hook_pos_embed", `there is no activation "hook_pos_embed" with positional_embedding_type: rotary`},
		{bare, "ln_final.hook_normalized", `there is no activation "ln_final.hook_normalized" with normalization_type: none`},
		{bare, "blocks.0.hook_mlp_out", `there is no activation "blocks.0.hook_mlp_out" with attn_only: true`},
		{concat, "blocks.0.hook_mlp_out", `there is no activation "blocks.0.hook_mlp_out" with residual: concat`},
		{concat, "blocks.0.hook_resid_prae", `there is no activation "blocks.0.hook_resid_prae": did you mean "blocks.0.hook_resid_pre"?`},
		{flat, "hook_pos_embed", `there is no activation "hook_pos_embed" with architecture: flat`},
		{flat, "?", `there is no activation "?": the names are hook_embed, hook_window`},
	} {
		m := jittered[float32](t, test.config)
		if err := m.Config.CheckHooks(m.Config.Hooks()[0], test.name); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if _, _, err := m.RunWithCache([]int32{0}, 1, test.name); fmt.Sprint(err) != "model: "+test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		w := NewWorkspace[float32](m.Config, 2)
		w.HookNames = []string{test.name}
		wantPanic(t, "model: "+test.want, func() { m.Forward(w, []int32{0}, 1) })
		wantPanic(t, "model: "+test.want, func() { m.ForwardLast(w, []int32{0}, 1) })
		wantPanic(t, "model: "+test.want, func() { m.ForwardTree(w, []int32{0}, []int32{-1}) })
	}
}

// Scores that a pass does not show are no silence either.
func TestScoresAreShownByForward(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	w := NewWorkspace[float32](m.Config, 1)
	w.HookNames = []string{"blocks.0.attn.hook_attn_scores"}
	m.Forward(w, []int32{0}, 1)
	want := `model: the hook "blocks.0.attn.hook_attn_scores" is only called by Forward: passes over a tree or over last positions keep no scores`
	wantPanic(t, want, func() { m.ForwardLast(w, []int32{0}, 1) })
	wantPanic(t, want, func() { m.ForwardTree(w, []int32{0}, []int32{-1}) })
}

func TestUnknownNamesPanicWithTheNearest(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	_, cache, err := m.RunWithCache([]int32{0}, 1, "hook_embed", "blocks.0.hook_resid_mid")
	if err != nil {
		t.Fatal(err)
	}
	wantPanic(t, `model: the cache has no activation "hook_embde": did you mean "hook_embed"?`, func() { cache.Get("hook_embde") })
	wantPanic(t, `model: the cache has no activation "ln_final": the names are hook_embed, blocks.0.hook_resid_mid`, func() { cache.Get("ln_final") })
	wantPanic(t, `model: there is no parameter "embed.W_e2": did you mean "embed.W_E"?`, func() { m.Weights.Get("embed.W_e2") })
}

// wantPanic runs f, which must panic with a message.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	if got := panics.Text(f); got != want {
		t.Errorf("panic %v, want %s", got, want)
	}
}
