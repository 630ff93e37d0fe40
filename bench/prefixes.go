package bench

import (
	"context"
	"slices"
	"time"

	"foretell/internal/kernel"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// PrefixesResult is the time of an analysis over all prefixes; see [Prefixes].
type PrefixesResult struct {
	Model     string  `json:"model"`
	Workers   int     `json:"workers"`
	Sequences int     `json:"sequences"` // number of full-length sequences
	Prefixes  int     `json:"prefixes"`  // number of prefixes of any length
	Seconds   float64 `json:"seconds"`   // median time of a pass over all prefixes
	Width     int     `json:"width"`     // d_model
	Passes    int     `json:"passes"`    // number of timed passes
	ISA       string  `json:"isa"`
}

// Prefixes times the forward pass over every prefix of Mess3 of up to n_ctx = 10 tokens
// through the model of Piotrowski et al. 2025. It keeps the residual stream after
// attention and after the block, the moments of the attention pattern, and the divergence
// from the optimal predictor after each prefix. If ctx ends, it returns ctx's error.
func Prefixes(ctx context.Context, workers int, duration time.Duration) (PrefixesResult, error) {
	reference, _ := Named("mess3")
	c, err := reference.Config.Resolve()
	if err != nil {
		return PrefixesResult{}, err
	}
	m, err := model.New[float32](c.Model, c.Train.Seed)
	if err != nil {
		return PrefixesResult{}, err
	}
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		return PrefixesResult{}, err
	}
	words, err := mess3.Prefixes(ctx, c.Model.NCtx)
	if err != nil {
		return PrefixesResult{}, err
	}
	plan := probe.Plan{
		Features: probe.Stages("blocks.0.hook_resid_mid", "blocks.0.hook_resid_post"), Keep: true,
		Patterns: true, Workers: workers,
	}
	var times []time.Duration
	for start := time.Now(); len(times) == 0 || time.Since(start) < duration; {
		pass := time.Now()
		if _, err := probe.Analyze(ctx, m, words, plan); err != nil {
			return PrefixesResult{}, err
		}
		times = append(times, time.Since(pass))
	}
	slices.Sort(times)
	from, to := words.Range(words.Length)
	return PrefixesResult{
		Model: reference.Name, Workers: workers, Sequences: to - from, Prefixes: words.Rows(),
		Seconds: times[len(times)/2].Seconds(), Width: c.Model.DModel, Passes: len(times), ISA: kernel.ISA(),
	}, nil
}
