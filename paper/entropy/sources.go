package entropy

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/process"
)

const (
	mostWithin   = 1e-4    // half-width of an entropy rate that counts as exact, nats
	mostDepth    = 10      // of a context tree
	mostContexts = 1 << 16 // contexts of that length that could exist
	leastGap     = 1e-3    // a learnable gap that shares are taken of, nats
	leastExcess  = 1e-6    // of the best tree of its depth over the rate, if the source is not a tree; nats
)

// source is a process whose entropy rate is exact. Entropies are in nats.
type source struct {
	name     string
	alphabet int
	depth    int     // of the context tree
	rate     float64 // entropy rate, ± within
	within   float64
	chance   float64 // entropy of one symbol
	// excess is the entropy of a symbol given the depth symbols before it, minus the rate:
	// what the best tree of that depth misses.
	excess  float64
	process process.Process
}

// gap is the learnable gap: what the past says about the next symbol.
func (s source) gap() float64 { return s.chance - s.rate }

// isTree reports whether a context tree of the depth makes the sequences.
func (s source) isTree() bool { return s.excess+s.within <= leastExcess }

// depthFor is the depth of the context tree for an alphabet.
func depthFor(alphabet int) int {
	depth := 0
	for n := alphabet; depth < mostDepth && n <= mostContexts; n *= alphabet {
		depth++
	}
	return depth
}

// exactSources returns the processes of the catalogue that are stationary and have
// memorised no recording, and whose entropy rate is exact.
func exactSources(ctx context.Context, s *claim.Study) (list []source, err error) {
	entries := process.Catalogue()
	found := make([]*source, len(entries))
	err = s.Each(ctx, len(entries), func(ctx context.Context, i int) (err error) {
		s.Tell("entropy rate of " + entries[i].Name)
		found[i], err = newSource(ctx, entries[i].Name)
		return err
	})
	for _, of := range found {
		if of != nil {
			list = append(list, *of)
		}
	}
	return list, err
}

// newSource returns a process with its default parameters, or nil if it is not a source
// to judge by.
func newSource(ctx context.Context, name string) (*source, error) {
	made, err := process.BuildSampler(name, nil)
	if err != nil {
		return nil, err
	}
	p, known := made.(process.Process)
	limiter, stationary := made.(process.Limiter)
	if !known || !stationary || process.Memorised(made) {
		return nil, nil
	}
	limits, err := limiter.Limits(ctx)
	if err != nil || limits.NoExcessEntropy != "" || limits.EntropyRateError > mostWithin {
		return nil, err
	}
	depth := depthFor(p.Alphabet())
	floor, err := p.Floor(ctx, depth+1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &source{
		name: name, process: p, alphabet: p.Alphabet(), depth: depth,
		rate: limits.EntropyRate, within: limits.EntropyRateError, chance: floor.Chance,
		excess: floor.ByPosition[depth] - limits.EntropyRate,
	}, nil
}
