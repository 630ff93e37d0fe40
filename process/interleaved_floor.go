package process

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/portable"
	"foretell/internal/text"
)

// Floor returns the least cross-entropy that any predictor can reach at each of the
// positions 1 … positions. It is H(π) for the first k̂ positions, where tokens are
// independent. From then on, the posterior over lags and the last k̂ tokens together
// determine the distribution of all later tokens, so
//
//	H(X_t | X_1 … X_{t−1}) = Σ_s Pr(s)·H(Σ_k s_k P[x_{t−k}]),
//
// where the sum runs over the distinct situations s. A situation is a posterior together
// with the last k̂ tokens, and s_k is the posterior probability of lag k. Values are
// exact to about 1e-12. Chance is H(π), the floor of position 1.
//
// Floor returns an error if positions is less than 1. If there are more than two million
// situations over all positions, or if they take more than 256 MiB, the error is a
// [*BudgetError] with the floors of the earlier positions.
func (c *Interleaved) Floor(ctx context.Context, positions int) (Floor, error) {
	return c.FloorWithin(ctx, positions, math.MaxInt64)
}

// FloorWithin computes Floor with at most the given number of products, counting ten for
// each lag of a situation that a token leads to; if it needs more, the error is a
// [*BudgetError].
func (c *Interleaved) FloorWithin(ctx context.Context, positions int, products int64) (Floor, error) {
	if err := checkPositions(c.Name(), "floor", positions); err != nil {
		return Floor{}, err
	}
	chance := portable.Entropy(c.pi)
	budget := mostBeliefs(floorBudget, len(c.lags)+1) // a situation also has a label
	byPosition, err := c.floors(ctx, positions, budget, products)
	return Floor{byPosition, chance}.orBudget(err, chance)
}

// floors computes the floors within a budget of situations, at most floorBudget, and of
// products.
func (c *Interleaved) floors(ctx context.Context, positions, budget int, products int64) ([]float64, error) {
	longest, unconditional, left := c.longest(), portable.Entropy(c.pi), budget
	floors := make([]float64, min(positions, longest))
	for t := range floors {
		floors[t] = unconditional
	}
	if positions <= longest {
		return floors, nil
	}
	next, rows := make([]float64, c.Alphabet()), make([][]float64, len(c.lags))
	m, ok := c.firstSituations(left)
	for ok {
		mean, err := m.mean(ctx, func(s int) float64 {
			return portable.Entropy(c.nextInto(next, rows, m.belief(s), int(m.labels[s])))
		})
		if err != nil {
			return nil, err
		}
		floors = append(floors, mean)
		if len(floors) == positions {
			return floors, nil
		}
		if products -= ratePasses * int64(m.size()) * int64(c.Alphabet()*len(c.lags)); products < 0 {
			break
		}
		left -= m.size()
		m, ok = c.advance(ctx, m, left)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	reason := fmt.Sprintf("interleaved: more than %d distinct pairs of a posterior and the last %s up to position %d",
		budget, text.Count(longest, "token"), len(floors)+1)
	if products < 0 {
		reason = fmt.Sprintf("interleaved: too many products at position %d", len(floors)+1)
	}
	return nil, &BudgetError{
		Floor{ByPosition: floors},
		fmt.Sprintf("%s: the floor is known up to position %d; ask for no more", reason, len(floors)),
	}
}

// firstSituations returns the situations after k̂ tokens: every sequence of k̂ tokens,
// with the uniform posterior. A situation is stored as a belief with a label: the belief
// is the posterior over the lags, and the label is the number whose digits in base A are
// the last k̂ tokens. ok is false if there are more situations than the budget allows.
func (c *Interleaved) firstSituations(budget int) (m *mixedStates, ok bool) {
	a, count := c.Alphabet(), 1
	for range c.longest() {
		if count *= a; count > budget {
			return nil, false
		}
	}
	m = newMixedStates(ones(len(c.lags)))
	posterior := make([]float64, len(c.lags))
	for i := range posterior {
		posterior[i] = 1 / float64(len(c.lags))
	}
	for recent := range count {
		prob := 1.0
		for digit, rest := 0, recent; digit < c.longest(); digit++ {
			prob *= c.pi[rest%a]
			rest /= a
		}
		if prob > 0 {
			m.addWith(int32(recent), posterior, prob)
		}
	}
	return m, true
}

// advance returns the situations one token later. ok is false if there are more
// situations than the budget allows, or if ctx ends.
func (c *Interleaved) advance(ctx context.Context, m *mixedStates, budget int) (next *mixedStates, ok bool) {
	a, k := c.Alphabet(), len(c.lags)
	oldest := 1 // the place value of the oldest of the last k̂ tokens
	for range c.longest() - 1 {
		oldest *= a
	}
	next = newMixedStates(m.scale)
	after, rows := make([]float64, k), make([][]float64, k)
	for at, prob := range m.prob {
		posterior, recent := m.belief(at), int(m.labels[at])
		c.follow(rows, recent)
		for z := range a {
			total := 0.0
			for i, row := range rows {
				after[i] = float64(posterior[i] * row[z])
				total += after[i]
			}
			if total == 0 {
				continue
			}
			for i := range rows {
				after[i] /= total
			}
			next.addWith(int32(recent%oldest*a+z), after, float64(prob*total))
		}
		if next.size() > budget || ctx.Err() != nil {
			return nil, false
		}
	}
	return next, true
}

// nextInto sets dst, of length A, to the distribution of the next token, given a
// posterior over lags and the number of the last k̂ tokens (see firstSituations). It sets
// rows as follow does.
func (c *Interleaved) nextInto(dst []float64, rows [][]float64, posterior []float64, recent int) []float64 {
	clear(dst)
	c.follow(rows, recent)
	for i, row := range rows {
		for z, q := range row {
			dst[z] += float64(posterior[i] * q)
		}
	}
	return dst
}

// follow sets rows[k] to the row of P that lags[k] selects, given the number of the last
// k̂ tokens (see firstSituations).
func (c *Interleaved) follow(rows [][]float64, recent int) {
	back := 1
	for i, lag := range c.lags {
		for ; back < lag; back++ {
			recent /= c.Alphabet()
		}
		rows[i] = c.p[recent%c.Alphabet()]
	}
}
