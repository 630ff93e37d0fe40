package train

import "testing"

// BenchmarkStep times a training step of the paper's model on one worker and on two.
func BenchmarkStep(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(map[int]string{1: "one worker", 2: "two workers"}[workers], func(b *testing.B) {
			t, err := NewTrainer(b.Context(), paperConfig(1000), Setup{Workers: workers})
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
		})
	}
}
