package bench

import (
	"context"
	"time"

	"foretell/internal/kernel"
	"foretell/train"
)

// TrainResult is the result of [Train]. Floating-point operations are counted as 6·N·D,
// as is common: for each of N parameters and D positions, two operations forward and four
// backward, without the products inside attention. D is the number of positions computed;
// a prefix that several sequences share counts once if it goes through the model once. If
// only the last position is learned, the count includes the last block's work at other
// positions, although that work is not done.
type TrainResult struct {
	Model           string  `json:"model"`
	Workers         int     `json:"workers"`
	Parameters      int     `json:"parameters"`
	TokensPerSecond float64 `json:"tokens_per_second"` // at the median step time
	// SharedTokensPerSecond is the speed with train.share_prefixes: on, which computes fewer
	// positions for the same gradient. It is 0 if few sequences of a batch share prefixes.
	SharedTokensPerSecond float64 `json:"shared_tokens_per_second,omitempty"`
	GFLOPS                float64 `json:"gflops"` // 6·N·D per second, for D positions computed
	// PeakGFLOPS is the rate of multiply-adds in registers on PeakCores. Measurements of it
	// alternate with the steps, because the speed of a shared machine changes over time.
	PeakGFLOPS    float64 `json:"peak_gflops"`
	AllocsPerStep float64 `json:"allocs_per_step"`
	ISA           string  `json:"isa"`
	StepMillis    float64 `json:"step_ms"` // median
	Steps         int     `json:"steps"`   // number of timed steps
	// PositionsPerStep is the number of positions that go forward and backward, averaged
	// over the timed steps; see [train.Trainer.Positions].
	PositionsPerStep float64 `json:"positions_per_step"`
	// PrefixesShared is "exact" with the exact objective, for which each prefix is one
	// position; else "on" if the trainer shares prefixes, and "off" if the configuration
	// rules that out. If the configuration leaves it open, it is "both" if
	// SharedTokensPerSecond is known, or "few" if too few prefixes are shared.
	PrefixesShared string `json:"prefixes_shared"`
	// PeakCores is Workers, but at most the number of processors.
	PeakCores int `json:"peak_cores"`
	// CPUShare is the fraction of the requested processor time that this process got: the
	// running time of its threads, divided by their running plus waiting time. While they
	// waited, other work ran. It is 0 if the system does not report these times; Linux does.
	CPUShare float64 `json:"cpu_share,omitempty"`
}

// TrainResults are the results for several models.
type TrainResults []TrainResult

// TrainEach is [Train] for several models in order.
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

// warmUp is the number of steps before timing starts.
const warmUp = 5

// Train times training steps of a model for a duration: fresh batches, forward, loss,
// backward, reduction and update, as in a run. If sequences of a batch share prefixes, it
// also times steps with shared prefixes for the same duration. If ctx ends, it returns
// ctx's error.
func Train(ctx context.Context, m Model, workers int, duration time.Duration) (TrainResult, error) {
	t, err := train.NewTrainer(ctx, m.Config, train.Setup{Workers: workers})
	if err != nil {
		return TrainResult{}, err
	}
	defer t.Close()
	workers = t.Plan.Workers
	steps, err := timeSteps(ctx, t, workers, duration)
	if err != nil {
		return TrainResult{}, err
	}
	seconds, n := steps.median.Seconds(), t.Config.Model.Parameters()
	shared, err := timeShared(ctx, m, workers, duration)
	r := TrainResult{
		Model: m.Name, Workers: workers, Parameters: n,
		TokensPerSecond: steps.tokens / seconds, SharedTokensPerSecond: shared,
		GFLOPS: 6 * float64(n) * steps.positions / seconds / 1e9, PeakGFLOPS: steps.peak / 1e9,
		AllocsPerStep: steps.allocs, ISA: kernel.ISA(), StepMillis: 1000 * seconds, Steps: steps.n,
		PositionsPerStep: steps.positions, PeakCores: peakCores(workers), CPUShare: steps.cpuShare,
	}
	r.PrefixesShared = r.shares(t)
	return r, err
}

// shares returns the value of [TrainResult].PrefixesShared.
func (r TrainResult) shares(t *train.Trainer) string {
	switch o := t.Config.Train; {
	case o.Objective == "exact":
		return "exact"
	case t.Plan.SharesPrefixes:
		return "on"
	case o.SharePrefixes == "off":
		return "off"
	case r.SharedTokensPerSecond > 0:
		return "both"
	}
	return "few"
}

// timeShared returns the tokens per second if common prefixes of a batch are computed
// once. It returns 0 if too few prefixes are shared, or if the configuration already
// decides whether to share them.
func timeShared(ctx context.Context, m Model, workers int, duration time.Duration) (float64, error) {
	if m.Config.Train.SharePrefixes != "" || m.Config.Train.Objective == "exact" {
		return 0, nil
	}
	m.Config.Train.SharePrefixes = "auto"
	t, err := train.NewTrainer(ctx, m.Config, train.Setup{Workers: workers})
	if err != nil {
		return 0, err
	}
	defer t.Close()
	if !t.Plan.SharesPrefixes {
		return 0, nil
	}
	steps, err := timeSteps(ctx, t, workers, duration)
	if err != nil {
		return 0, err
	}
	return steps.tokens / steps.median.Seconds(), nil
}

// steady is the timing of training steps.
type steady struct {
	timing
	tokens    float64 // tokens trained on per step; positions after the last one with a loss do not count
	positions float64 // positions computed per step
}

// stepWindow is the time between measurements of the machine's peak.
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
