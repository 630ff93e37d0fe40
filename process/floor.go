package process

import (
	"context"
	"errors"
	"fmt"
	"math"

	"foretell/internal/portable"
)

// floorBudget bounds the number of distinct beliefs held at one position, and so the
// memory of Floor: about 100 bytes per belief of three states. For processes with many
// states see mostBeliefs.
const floorBudget = 2_000_000

// Floor returns the least cross-entropy that any predictor can reach at each of the
// positions 1 … positions, H(X_t | X_1 … X_{t−1}) from the stationary start. Floor sums
// over the distinct beliefs that t−1 tokens lead to, not over prefixes, so a process with
// finitely many beliefs costs the same at every position. Values are exact to about
// 1e-12.
//
// Floor returns an error if positions is less than 1. If a position needs more than two
// million distinct beliefs, or more than 256 MiB for them, the error is a [*BudgetError]
// with the floors of the earlier positions.
func (h *HMM) Floor(ctx context.Context, positions int) (Floor, error) {
	return h.FloorWithin(ctx, positions, math.MaxInt64)
}

// FloorWithin computes Floor with at most the given number of products; if it needs more,
// the error is a [*BudgetError]. It counts the products of a belief's entries with
// entries of the matrices, and ten more for each entry of a belief that a token leads to.
func (h *HMM) FloorWithin(ctx context.Context, positions int, products int64) (Floor, error) {
	chance := portable.Entropy(h.Next(h.pi))
	byPosition, err := h.meansWithin(ctx, "floor", positions, floorBudget, products, h.nextEntropy)
	return Floor{byPosition, chance}.orBudget(err, chance)
}

// BudgetError reports that the exact computation of a floor exceeds its budget.
type BudgetError struct {
	Floor  Floor // the floors of the positions that were reached, at least one, with chance
	Reason string
}

func (e *BudgetError) Error() string { return e.Reason }

// orBudget returns f if err is nil, and err otherwise. It adds chance to the floor of a
// [*BudgetError].
func (f Floor) orBudget(err error, chance float64) (Floor, error) {
	if err == nil {
		return f, nil
	}
	var spent *BudgetError
	if errors.As(err, &spent) {
		spent.Floor.Chance = chance
	}
	return Floor{}, err
}

// EntropyRate returns the limit of the floors and its half-width, both from
// [HMM.Limits].
func (h *HMM) EntropyRate(ctx context.Context) (rate, halfWidth float64, err error) {
	limits, err := h.Limits(ctx)
	return limits.EntropyRate, limits.EntropyRateError, err
}

// byPosition returns, for each of the positions 1 … positions, the result of mean for the
// distribution of beliefs before that position. It stores at most the given number of
// beliefs. In errors, the computation has the given name.
func (h *HMM) byPosition(ctx context.Context, what string, positions, budget int, mean meanOf) ([]float64, error) {
	return h.meansWithin(ctx, what, positions, budget, math.MaxInt64, mean)
}

// meansWithin does the same as byPosition with at most the given number of products. If a
// budget is exceeded, the error is a [*BudgetError] with the means of the earlier
// positions.
func (h *HMM) meansWithin(ctx context.Context, what string, positions, budget int, products int64,
	mean meanOf,
) ([]float64, error) {
	if err := checkPositions(h.name, what, positions); err != nil {
		return nil, err
	}
	means := make([]float64, 0, min(positions, budget))
	m := newMixedStates(h.scale)
	m.add(h.pi, 1)
	for {
		value, err := mean(ctx, m)
		if err != nil {
			return nil, err
		}
		means = append(means, value)
		if len(means) == positions {
			return means, nil
		}
		next, err := m, fmt.Errorf("%s: more than %d products", h.name, products)
		if work := h.work(m) + h.passes(m); work <= products {
			products -= work
			next, err = h.advance(ctx, m, budget)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, &BudgetError{Floor{ByPosition: means}, fmt.Sprintf("%v at position %d: the %s is known up to "+
				"position %d; ask for no more", err, len(means)+1, what, len(means))}
		}
		m = next
	}
}

// checkPositions returns an error unless a floor, a ceiling or a filter has at least one
// position.
func checkPositions(process, what string, positions int) error {
	if positions < 1 {
		return fmt.Errorf("%s: a %s of %d positions, want at least 1", process, what, positions)
	}
	return nil
}
