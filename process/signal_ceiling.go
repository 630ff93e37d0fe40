package process

import (
	"context"
	"slices"
)

// Ceiling is the greatest accuracy that a predictor can reach at each position: the
// expected probability of the token that the optimal predictor considers most likely.
type Ceiling struct {
	// ByPosition[t-1] is E[max_z Pr(X_t = z | X_1 … X_{t−1})], in [0, 1].
	ByPosition []float64
	// Retrieval[t-1] is the probability that the token at position t is a retrieval step
	// (see [Symbolic]); nil if the process has no retrieval steps. On retrieval steps alone
	// the ceiling is 1, and the predictor that reaches ByPosition also reaches 1 there.
	Retrieval []float64
}

// Ceiling returns the greatest accuracy at each of the positions 1 … positions. It uses
// the same beliefs, and has the same precision and the same errors, as [HMM.Floor].
func (h *HMM) Ceiling(ctx context.Context, positions int) (Ceiling, error) {
	next := make([]float64, h.Alphabet())
	most := func(ctx context.Context, m *mixedStates) (float64, error) {
		return m.mean(ctx, func(k int) float64 { return slices.Max(h.nextInto(next, m.belief(k))) })
	}
	byPosition, err := h.byPosition(ctx, "ceiling", positions, floorBudget, most)
	return Ceiling{ByPosition: byPosition}, err
}
