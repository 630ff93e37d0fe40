package process

import (
	"fmt"
	"math"
	"sync"

	"foretell/internal/portable"
)

const (
	// floorBudget bounds the distinct beliefs held at one position, and so
	// the memory of Floor: about 100 bytes a belief of three states.
	floorBudget = 2_000_000
	// rateBudget bounds the beliefs that the entropy rate is computed from.
	rateBudget = 400_000
	// rateGap is the difference between the bounds of the entropy rate at
	// which they are close enough.
	rateGap = 1e-10
	// rounding bounds what float64 arithmetic may shift an entropy by.
	rounding = 1e-13
)

// Floor returns the least cross-entropy that any predictor can reach at each of
// the positions 1 … positions, H(X_t | X_1 … X_{t−1}) from the stationary start, and
// the entropy rate to which it falls. The sum runs over the distinct beliefs that
// t−1 tokens lead to, not over words, so a process with finitely many beliefs costs
// the same at any position. Values are exact to about 1e-12.
//
// It is an error when positions is less than 1, or when a position needs more
// than two million distinct beliefs; the error names the last position reached.
//
// The rate lies between two bounds computed the same way,
//
//	H(X_L | X_1 … X_{L−1}, S_0) ≤ h ≤ H(X_L | X_1 … X_{L−1})
//
// (Cover and Thomas, Theorem 4.5.1), where the left one also knows the start
// state. L grows until the bounds are within 1e-10 or the next L would need more
// than 400,000 beliefs; EntropyRate is the middle and EntropyRateError half the
// distance, with what merging beliefs and rounding may have shifted added.
func (h *HMM) Floor(positions int) (Floor, error) {
	if positions < 1 {
		return Floor{}, fmt.Errorf("%s: a floor of %d positions, want at least 1", h.name, positions)
	}
	byPosition, err := h.floors(positions, floorBudget)
	if err != nil {
		return Floor{}, err
	}
	rate := h.entropyRate()
	return Floor{
		ByPosition:       byPosition,
		EntropyRate:      rate.middle,
		EntropyRateError: rate.halfWidth,
		Chance:           portable.Entropy(h.Next(h.pi)),
	}, nil
}

// floors returns H(X_t | X_1 … X_{t−1}) for t = 1 … positions, holding at most
// budget beliefs.
func (h *HMM) floors(positions, budget int) ([]float64, error) {
	floors := make([]float64, 0, positions)
	m := newMixedStates(h.NumStates())
	m.add(h.pi, 1)
	for {
		floors = append(floors, h.nextEntropy(m))
		if len(floors) == positions {
			return floors, nil
		}
		next, err := h.advance(m, budget)
		if err != nil {
			return nil, fmt.Errorf("%w at position %d: the floor is known to position %d, ask for no more",
				err, len(floors)+1, len(floors))
		}
		m = next
	}
}

// rateBounds is an interval that holds the entropy rate.
type rateBounds struct{ middle, halfWidth float64 }

// rateOnce keeps the entropy rate of an immutable HMM.
type rateOnce struct {
	once   sync.Once
	bounds rateBounds
}

func (h *HMM) entropyRate() rateBounds {
	h.rate.once.Do(func() { h.rate.bounds = h.boundRate(rateBudget) })
	return h.rate.bounds
}

// boundRate narrows the bounds on the entropy rate until they meet or the
// beliefs looked at exceed budget.
func (h *HMM) boundRate(budget int) rateBounds {
	n := h.NumStates()
	above := newMixedStates(n) // knows the tokens
	above.add(h.pi, 1)
	below := newMixedStates(n) // knows the tokens and the start state
	for i, p := range h.pi {
		if p > 0 {
			vertex := make([]float64, n)
			vertex[i] = 1
			below.add(vertex, p)
		}
	}
	bounds := rateBounds{halfWidth: math.Inf(1)}
	for {
		lower, upper := h.nextEntropy(below), h.nextEntropy(above)
		slack := rounding + max(h.mergeSlack(above), h.mergeSlack(below))
		if half := max(0, upper-lower)/2 + slack; half < bounds.halfWidth {
			bounds = rateBounds{middle: (upper + lower) / 2, halfWidth: half}
		}
		budget -= above.size() + below.size()
		if upper-lower < rateGap {
			return bounds
		}
		var err error
		if above, err = h.advance(above, budget); err != nil {
			return bounds
		}
		if below, err = h.advance(below, budget); err != nil {
			return bounds
		}
	}
}

// mergeSlack bounds how far merging beliefs has moved nextEntropy(m). To move a
// belief of probability p by d in each entry changes the joint law of tokens and
// state by at most p·n·d/2 in total variation; and laws within ε of each other have
// conditional entropies within ε·ln A + (1+ε)·H₂(ε/(1+ε)) (Winter 2016, Lemma 2).
func (h *HMM) mergeSlack(m *mixedStates) float64 {
	e := m.moved * float64(m.n) / 2
	if e == 0 {
		return 0
	}
	q := e / (1 + e)
	return float64(e*portable.Log(float64(h.Alphabet()))) + float64((1+e)*portable.Entropy([]float64{q, 1 - q}))
}
