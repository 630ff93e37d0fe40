package bench

import (
	"slices"
	"time"

	"foretell/internal/kernel"
	"foretell/internal/random"
	"foretell/process"
)

// SampleResult is the result of a sampling benchmark.
type SampleResult struct {
	Process         string  `json:"process"`
	Length          int     `json:"length"` // tokens per sequence
	TokensPerSecond float64 `json:"tokens_per_second"`
	ISA             string  `json:"isa"`
}

// Sample times the sampling of sequences of the given length on one core. Each sequence
// has its own stream of random numbers, as in training.
func Sample(p process.Sampler, length int, duration time.Duration) SampleResult {
	const sequences = 256 // number of sequences in each timed block
	dst, purpose := make([]int32, length), random.Purpose("bench/sample")
	var stream random.Stream
	var times []time.Duration
	for start := time.Now(); len(times) == 0 || time.Since(start) < duration; {
		block := time.Now()
		for i := range sequences {
			stream.Reset(1, purpose, uint64(len(times)), uint64(i))
			p.Sample(dst, &stream)
		}
		times = append(times, time.Since(block))
	}
	slices.Sort(times)
	return SampleResult{
		Process: p.Name(), Length: length,
		TokensPerSecond: sequences * float64(length) / times[len(times)/2].Seconds(), ISA: kernel.ISA(),
	}
}
