package model

import (
	"fmt"
	"testing"
)

// BenchmarkConcatenated times a pass forward and backward over two sequences, sparse as
// it is and over whole streams, which is what dense products take.
func BenchmarkConcatenated(b *testing.B) {
	for _, nCtx := range []int{64, 128} {
		for _, heads := range []Heads{{1, 1, 1}, {1, 3, 1}} {
			for _, whole := range []bool{false, true} {
				name := map[bool]string{false: "sparse", true: "whole"}[whole]
				b.Run(fmt.Sprint(nCtx, heads, name), func(b *testing.B) { benchmarkPasses(b, nCtx, heads, whole) })
			}
		}
	}
}

func benchmarkPasses(b *testing.B, nCtx int, heads Heads, whole bool) {
	m, err := New[float32](Config{Residual: "concat", NLayers: len(heads), NHeads: heads, NCtx: nCtx, DVocab: 5}, 1)
	if err != nil {
		b.Fatal(err)
	}
	const batch = 2
	tokens, targets, weights := batchOf[float32](m.Config, batch)
	w, grads := NewWorkspace[float32](m.Config, batch), NewWeights[float32](m.Config)
	m.Pack()
	w.HookNames = []string{"blocks.0.attn.hook_pattern"} // any, to be called at all
	if whole {
		w.Hook, w.HookNames = func(Tensor[float32]) { w.concat.whole = true }, []string{"blocks.0.hook_resid_pre"}
	}
	for b.Loop() {
		m.Forward(w, tokens, batch)
		m.CrossEntropy(w, targets, weights)
		m.Backward(w, tokens, grads)
	}
	b.ReportMetric(float64(batch*nCtx)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
