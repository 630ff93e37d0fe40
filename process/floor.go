package process

import (
	"fmt"

	"foretell/internal/portable"
)

// floorBudget bounds the distinct beliefs held at one position, and so the memory
// of Floor: about 100 bytes a belief of three states. See mostBeliefs for those of many.
const floorBudget = 2_000_000

// Floor returns the least cross-entropy that any predictor can reach at each of
// the positions 1 … positions, H(X_t | X_1 … X_{t−1}) from the stationary start. The
// sum runs over the distinct beliefs that t−1 tokens lead to, not over words, so a
// process with finitely many beliefs costs the same at any position. Values are exact
// to about 1e-12.
//
// It is an error when positions is less than 1, or when a position needs more
// than two million distinct beliefs, or more than 256 MiB for them; the error names
// the last position reached.
func (h *HMM) Floor(positions int) (Floor, error) {
	byPosition, err := h.floors(positions, floorBudget)
	if err != nil {
		return Floor{}, err
	}
	return Floor{ByPosition: byPosition, Chance: portable.Entropy(h.Next(h.pi))}, nil
}

// EntropyRate returns the limit of the floors and a half-width, those of [HMM.Limits].
func (h *HMM) EntropyRate() (rate, halfWidth float64) {
	limits := h.Limits()
	return limits.EntropyRate, limits.EntropyRateError
}

// floors returns H(X_t | X_1 … X_{t−1}) for t = 1 … positions, holding at most
// budget beliefs.
func (h *HMM) floors(positions, budget int) ([]float64, error) {
	return h.byPosition("floor", positions, budget, h.nextEntropy)
}

// byPosition returns the mean over the beliefs before each of the positions
// 1 … positions, holding at most budget of them; what names it for an error.
func (h *HMM) byPosition(what string, positions, budget int, mean func(*mixedStates) float64) ([]float64, error) {
	if err := checkPositions(h.name, what, positions); err != nil {
		return nil, err
	}
	means := make([]float64, 0, positions)
	m := newMixedStates(h.NumStates())
	m.add(h.pi, 1)
	for {
		means = append(means, mean(m))
		if len(means) == positions {
			return means, nil
		}
		next, err := h.advance(m, budget)
		if err != nil {
			return nil, fmt.Errorf("%w at position %d: the %s is known to position %d, ask for no more",
				err, len(means)+1, what, len(means))
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
