package train

import (
	"testing"

	"foretell/model"
)

// BenchmarkStep times a training step of the paper's model on one worker and on two.
func BenchmarkStep(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(map[int]string{1: "one worker", 2: "two workers"}[workers], func(b *testing.B) {
			benchmarkStep(b, paperConfig(1000), workers)
		})
	}
}

// BenchmarkSmallStep times a training step of narrow models with one layer of four heads,
// on 16 sequences of 7 tokens, on one worker.
func BenchmarkSmallStep(b *testing.B) {
	for name, width := range map[string]int{"d_model=16": 16, "d_model=32": 32} {
		b.Run(name, func(b *testing.B) {
			benchmarkStep(b, Config{
				Process: ProcessConfig{Name: "iid", Params: map[string]any{"n": 27.0}},
				Model:   model.Config{DModel: width, NLayers: 1, NHeads: model.Heads{4}, DMLP: 4 * width, NCtx: 7},
				Train:   Options{Seed: 1, BatchSize: 16, NumSteps: 1000, LR: 1e-3},
			}, 1)
		})
	}
}

func benchmarkStep(b *testing.B, c Config, workers int) {
	t, err := NewTrainer(b.Context(), c, Setup{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	b.ReportAllocs()
	step(b, t)
	for b.Loop() {
		step(b, t)
	}
	tokens := float64(t.Config.Train.BatchSize * t.Config.Model.NCtx)
	b.ReportMetric(tokens*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
