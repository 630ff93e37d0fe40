package bench

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"foretell/internal/kernel"
	"foretell/train"
)

// TrainResult is what a training benchmark found. Floating-point operations are
// counted as 6·N·D, as the field does: two for each parameter and token forward,
// four backward, attention's own left out. Where the last position alone is
// learned, the last block's work for the others is counted and not done.
type TrainResult struct {
	Model           string  `json:"model"`
	Workers         int     `json:"workers"`
	Parameters      int     `json:"parameters"`
	TokensPerSecond float64 `json:"tokens_per_second"` // of the median step
	// SharedTokensPerSecond is the same with train.share_prefixes: on, which goes through
	// fewer positions to the same gradient; 0 where few sequences of a batch begin alike.
	SharedTokensPerSecond float64 `json:"shared_tokens_per_second,omitempty"`
	GFLOPS                float64 `json:"gflops"`      // 6·N·D a second
	PeakGFLOPS            float64 `json:"peak_gflops"` // multiply-adds in registers, on as many cores, in this run
	AllocsPerStep         float64 `json:"allocs_per_step"`
	ISA                   string  `json:"isa"`
	StepMillis            float64 `json:"step_ms"` // median
	Steps                 int     `json:"steps"`   // timed
}

// TrainResults are those of one model after another.
type TrainResults []TrainResult

// TrainEach is [Train] for one model after another.
func TrainEach(ctx context.Context, models []Model, workers int, each time.Duration) (TrainResults, error) {
	var results TrainResults
	for _, m := range models {
		r, err := Train(ctx, m, workers, each)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// warmUp is the number of steps before the clock starts.
const warmUp = 5

// Train times training steps of a model for a while: fresh batches, forward,
// loss, backward, reduction and update, as a run takes them; and where sequences of a
// batch begin alike, for as long with their prefixes shared. When ctx ends, its error is
// returned.
func Train(ctx context.Context, m Model, workers int, duration time.Duration) (TrainResult, error) {
	t, err := train.NewTrainer(m.Config, workers)
	if err != nil {
		return TrainResult{}, err
	}
	defer t.Close()
	steps, err := timeSteps(ctx, t, duration)
	if err != nil {
		return TrainResult{}, err
	}
	seconds, n := steps.median.Seconds(), t.Config.Model.Parameters()
	shared, err := timeShared(ctx, m, workers, duration)
	return TrainResult{
		Model: m.Name, Workers: workers, Parameters: n,
		TokensPerSecond: steps.tokens / seconds, SharedTokensPerSecond: shared,
		GFLOPS: 6 * float64(n) * steps.tokens / seconds / 1e9, PeakGFLOPS: Peak(workers), AllocsPerStep: steps.allocs,
		ISA: kernel.ISA(), StepMillis: 1000 * seconds, Steps: steps.n,
	}, err
}

// timeShared returns the tokens a second of a model whose batches share their prefixes, 0
// where they are too few to be shared or the configuration says whether they are.
func timeShared(ctx context.Context, m Model, workers int, duration time.Duration) (float64, error) {
	if m.Config.Train.SharePrefixes != "" || m.Config.Train.Objective == "exact" {
		return 0, nil
	}
	m.Config.Train.SharePrefixes = "auto"
	t, err := train.NewTrainer(m.Config, workers)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	if !t.SharesPrefixes() {
		return 0, nil
	}
	steps, err := timeSteps(ctx, t, duration)
	if err != nil {
		return 0, err
	}
	return steps.tokens / steps.median.Seconds(), nil
}

// steady are training steps against the clock.
type steady struct {
	n      int
	median time.Duration
	tokens float64 // of a step: positions after the last one learned are not computed
	allocs float64 // of a step
}

func timeSteps(ctx context.Context, t *train.Trainer, duration time.Duration) (steady, error) {
	for range warmUp {
		if _, err := t.Step(ctx); err != nil {
			return steady{}, err
		}
	}
	var before, after runtime.MemStats
	times := make([]time.Duration, 0, 1<<20)
	tokens := float64(t.Tokens()) / warmUp
	runtime.ReadMemStats(&before)
	for start := time.Now(); len(times) == 0 || time.Since(start) < duration && len(times) < cap(times); {
		step := time.Now()
		if _, err := t.Step(ctx); err != nil {
			return steady{}, err
		}
		times = append(times, time.Since(step))
	}
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	return steady{
		n: len(times), median: times[len(times)/2], tokens: tokens,
		allocs: float64(after.Mallocs-before.Mallocs) / float64(len(times)),
	}, nil
}

// Peak returns the GFLOP/s of fused multiply-adds that never leave the
// registers, on a number of cores at once: the best of a few short tries.
func Peak(workers int) float64 {
	best := 0.0
	for range 20 {
		var group sync.WaitGroup
		flops := make([]int, workers)
		start := time.Now()
		for w := range flops {
			group.Go(func() { flops[w] = kernel.PeakLoop(50_000) })
		}
		group.Wait()
		seconds, total := time.Since(start).Seconds(), 0
		for _, n := range flops {
			total += n
		}
		best = max(best, float64(total)/seconds/1e9)
	}
	return best
}
