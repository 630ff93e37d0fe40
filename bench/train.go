package bench

import (
	"context"
	"time"

	"foretell/internal/kernel"
	"foretell/train"
)

// TrainResult is what a training benchmark found. Floating-point operations are
// counted as 6·N·D, as the field does: two for each parameter and position forward,
// four backward, attention's own left out. D is what is computed: a prefix that several
// sequences share counts once where it goes through the model once. Where the last
// position alone is learned, the last block's work for the others is counted and not
// done.
type TrainResult struct {
	Model           string  `json:"model"`
	Workers         int     `json:"workers"`
	Parameters      int     `json:"parameters"`
	TokensPerSecond float64 `json:"tokens_per_second"` // of the median step
	// SharedTokensPerSecond is the same with train.share_prefixes: on, which goes through
	// fewer positions to the same gradient; 0 where few sequences of a batch begin alike.
	SharedTokensPerSecond float64 `json:"shared_tokens_per_second,omitempty"`
	GFLOPS                float64 `json:"gflops"` // 6·N·D a second, D positions computed
	// PeakGFLOPS is what multiply-adds in registers reach on PeakCores, measured in turn
	// with the steps: a machine that other work shares is as fast as it is at the time.
	PeakGFLOPS    float64 `json:"peak_gflops"`
	AllocsPerStep float64 `json:"allocs_per_step"`
	ISA           string  `json:"isa"`
	StepMillis    float64 `json:"step_ms"` // median
	Steps         int     `json:"steps"`   // timed
	// PositionsPerStep are those that go forward and backward, on average over the steps
	// that were timed; see [train.Trainer.Positions].
	PositionsPerStep float64 `json:"positions_per_step"`
	// PrefixesShared is on, where the configuration shares them, off, where it does not,
	// exact, where all words are learned and each prefix is one position, and of others
	// beside, where SharedTokensPerSecond is known, or few.
	PrefixesShared string `json:"prefixes_shared"`
	// PeakCores is Workers, or the number of processors where there are more workers: side
	// by side on one they would be no faster.
	PeakCores int `json:"peak_cores"`
	// CPUShare is the part that this process got of the processor time that it asked for:
	// its threads' time on a processor, over that and what they waited for one. The rest
	// went to other work. It is 0 where the system does not tell; Linux does.
	CPUShare float64 `json:"cpu_share,omitempty"`
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
	t, err := train.NewTrainer(ctx, m.Config, workers)
	if err != nil {
		return TrainResult{}, err
	}
	defer t.Close()
	steps, err := timeSteps(ctx, t, workers, duration)
	if err != nil {
		return TrainResult{}, err
	}
	seconds, n := steps.median.Seconds(), t.Config.Model.Parameters()
	shared, err := timeShared(ctx, m, workers, duration)
	r := TrainResult{
		Model: m.Name, Workers: workers, Parameters: n,
		TokensPerSecond: steps.tokens / seconds, SharedTokensPerSecond: shared,
		GFLOPS: 6 * float64(n) * steps.positions / seconds / 1e9, PeakGFLOPS: steps.peak / 1e9, AllocsPerStep: steps.allocs,
		ISA: kernel.ISA(), StepMillis: 1000 * seconds, Steps: steps.n, PositionsPerStep: steps.positions,
		PeakCores: peakCores(workers), CPUShare: steps.cpuShare,
	}
	r.PrefixesShared = r.shares(t)
	return r, err
}

// shares says whether prefixes are shared, as PrefixesShared has it.
func (r TrainResult) shares(t *train.Trainer) string {
	switch o := t.Config.Train; {
	case o.Objective == "exact":
		return "exact"
	case t.SharesPrefixes():
		return "on"
	case o.SharePrefixes == "off":
		return "off"
	case r.SharedTokensPerSecond > 0:
		return "beside"
	}
	return "few"
}

// timeShared returns the tokens a second of a model whose batches share their prefixes, 0
// where they are too few to be shared or the configuration says whether they are.
func timeShared(ctx context.Context, m Model, workers int, duration time.Duration) (float64, error) {
	if m.Config.Train.SharePrefixes != "" || m.Config.Train.Objective == "exact" {
		return 0, nil
	}
	m.Config.Train.SharePrefixes = "auto"
	t, err := train.NewTrainer(ctx, m.Config, workers)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	if !t.SharesPrefixes() {
		return 0, nil
	}
	steps, err := timeSteps(ctx, t, workers, duration)
	if err != nil {
		return 0, err
	}
	return steps.tokens / steps.median.Seconds(), nil
}

// steady are training steps against the clock.
type steady struct {
	timing
	tokens    float64 // of a step: positions after the last one learned are not computed
	positions float64 // of a step, computed
}

// stepWindow is how long steps are timed before the peak is measured anew.
const stepWindow = 50 * time.Millisecond

func timeSteps(ctx context.Context, t *train.Trainer, workers int, duration time.Duration) (steady, error) {
	step := func() error {
		_, err := t.Step(ctx)
		return err
	}
	for range warmUp {
		if err := step(); err != nil {
			return steady{}, err
		}
	}
	tokens, before := float64(t.Tokens())/warmUp, t.Positions()
	found, err := inTurn(duration, stepWindow, peakCores(workers), step)
	if err != nil {
		return steady{}, err
	}
	return steady{found, tokens, float64(t.Positions()-before) / float64(found.n)}, nil
}
