package probe

import (
	"runtime"
	"testing"
	"time"

	"foretell/internal/needs"
	"foretell/model"
)

// TestBudget holds what an exhaustive analysis may take: all 797,160 words of up to 12
// of mess3's tokens, every stage of four layers of width 64, in less than 1 GB of heap.
// It takes half a minute and runs in `make soak`.
func TestBudget(t *testing.T) {
	needs.Soak(t, "takes half a minute")
	m, err := model.New[float32](model.Config{DModel: 64, NLayers: 4, NHeads: model.Heads{1}, NCtx: 12, DVocab: 3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	p := must(build(t, "mess3").Prefixes(t.Context(), 12))
	hooks := []string{"blocks.0.hook_resid_pre"}
	for _, block := range []string{"blocks.0", "blocks.1", "blocks.2", "blocks.3"} {
		hooks = append(hooks, block+".hook_resid_mid", block+".hook_resid_post")
	}
	features := Stages(hooks...)
	a := analyze(t, m, p, Plan{Features: features, Targets: both})
	for f := range features {
		for target := range 2 {
			t.Logf("%s, target %d: R² %.5f", features[f].Name, target, reading(a, f, target).R2)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory) // HeapSys never falls: it is the most that the heap has had
	t.Logf("%d words, %d stages: heap %d MB at most, %.1f s", p.Rows(), len(features), memory.HeapSys/1e6, time.Since(start).Seconds())
	if memory.HeapSys > 1e9 {
		t.Errorf("the heap took %d MB", memory.HeapSys/1e6)
	}
}
