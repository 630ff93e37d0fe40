package probe

import (
	"context"
	"errors"
	"testing"

	"foretell/internal/fuse"
	"foretell/model"
	"foretell/process"
)

// subject is a small model and its words.
func subject(t *testing.T) (*model.Transformer[float32], *process.Prefixes) {
	t.Helper()
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	c := model.Config{DModel: 6, NLayers: 1, NHeads: model.Heads{1}, DMLP: 9, NCtx: 5, DVocab: 3}
	return randomModel(t, c), must(mess3.Prefixes(t.Context(), c.NCtx))
}

// An examination can be interrupted between any two passes and between any two
// decompositions, and what was interrupted leaves no trace in what comes after.
func TestInterruptedAnywhere(t *testing.T) {
	m, words := subject(t)
	question := Question{Workers: 1} // who ask the same number of times each time
	examine := func(ctx context.Context) error {
		_, err := Examine(ctx, Subject{Model: m, Seed: 1}, words, question)
		return err
	}
	asked := fuse.New(1 << 30)
	if err := examine(asked); err != nil {
		t.Fatal(err)
	}
	total := asked.Asked()
	if total < 100 {
		t.Errorf("asked only %d times", total)
	}
	for n := 0; n < total; n += 7 {
		if err := examine(fuse.New(n + 1)); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted at question %d of %d: %v", n, total, err)
		}
	}
}

// Fits that were interrupted are made again.
func TestInterruptedFit(t *testing.T) {
	m, words := subject(t)
	plan := Plan{Features: Stages("blocks.0.hook_resid_mid"), Targets: []Target{Beliefs}}
	analyze := func() *Analysis {
		a, err := Analyze(t.Context(), m, words, plan)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	want, a := reading(analyze(), 0, 0).R2, analyze()
	for n := 0; ; n++ {
		if a.Fit(fuse.New(n+1)) == nil {
			break
		}
	}
	if got := reading(a, 0, 0).R2; got != want {
		t.Errorf("R² is %v, want %v", got, want)
	}
}

// One table is related to another until it is interrupted, with the same end as without.
func TestInterruptedRelate(t *testing.T) {
	_, words := subject(t)
	y := Table{Data: words.Beliefs, Width: words.States}
	want, err := Relate(t.Context(), words, Table{Data: words.Constrained, Width: words.States}, y, Ours)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		got, err := Relate(fuse.New(n+1), words, Table{Data: words.Constrained, Width: words.States}, y, Ours)
		if err == nil {
			if n < 3 || got.R2 != want.R2 {
				t.Errorf("R² %v after %d questions, want %v", got.R2, n, want.R2)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
