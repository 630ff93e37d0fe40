package train

import (
	"context"
	"slices"

	"foretell/model"
	"foretell/process"
)

// Accuracy is the probability that the model's most likely token is the next token,
// averaged over the positions by their weights. It is reported only for processes that
// have a ceiling (see [process.Ceiler]). A process made by Go code needs nothing else. A
// process that a configuration names must also be a signal, which EE269 2026 judges by
// accuracy, or be made from one signal and keep its levels, such as a noisy signal.
//
// Overall is the ceiling minus the shortfall of the model's guesses, E[max_z Pr(z) −
// Pr(guess)] under the optimal predictor. So it never exceeds the ceiling, and has no
// noise from the tokens that were drawn.
type Accuracy struct {
	Overall float64 `json:"accuracy"`
	Ceiling float64 `json:"accuracy/ceiling,omitempty"` // the optimal accuracy; exact or estimated, like the floor
	// Constant is the accuracy of always guessing the most frequent token, in an [Observed]
	// evaluation; else 0. In such an evaluation Overall is the share of tokens that were
	// guessed correctly, and there is no ceiling.
	Constant float64 `json:"accuracy/constant,omitempty"`
	// Retrieval is the accuracy on retrieval steps alone (the “conditional accuracy” of
	// EE269 2026), whose ceiling is 1. It is nil if the process marks no retrieval steps, or
	// if they cannot occur at the positions with a nonzero weight.
	Retrieval *float64 `json:"accuracy/retrieval,omitempty"`
	// RetrievalCount is the number of held-out predictions that Retrieval averages. They are
	// the predictions at positions with a nonzero weight, where the next token can be a
	// retrieval step. It is 0, and omitted in JSON, if Retrieval is nil.
	RetrievalCount int `json:"accuracy/retrieval_count,omitempty"`
}

// guesses scores the model's most likely tokens on the held-out sequences.
type guesses struct {
	e         *evaluator
	ceiling   []float64 // ceiling at each position
	retrieves []bool    // (sequences, length, alphabet): which tokens would be retrieval steps; nil if none are marked
	short     []float64 // (sequences, length): max_z Pr(z) − Pr(guess), filled by an evaluation
	retrieved []float64 // (sequences, length): Pr(guess) if the guess would be a retrieval step, else 0
}

// ceilingOf returns p as a Ceiler, and whether evaluations report the accuracy on p.
func ceilingOf(c Config, p process.Sampler) (process.Ceiler, bool) {
	ceiler, ok := p.(process.Ceiler)
	if !ok || c.Process.Name == "" {
		return ceiler, ok
	}
	entry, ok := c.Process.Entry()
	return ceiler, ok && entry.IsSignal(p)
}

// newGuesses returns the scorer for the held-out sequences of e, which must already have
// the optimal predictions. If ctx has ended, the ceiling is meaningless.
func newGuesses(ctx context.Context, e *evaluator, p process.Process, ceiler process.Ceiler) *guesses {
	g := &guesses{e: e, short: make([]float64, len(e.inputs)), retrieved: make([]float64, len(e.inputs))}
	g.setCeiling(ctx, ceiler)
	marks, ok := p.Predictor().(process.RetrievalPredictor)
	if !ok {
		return g
	}
	g.retrieves = make([]bool, len(e.optimal))
	for i, token := range e.inputs {
		if i%e.length == 0 {
			marks.Reset()
		}
		observe(marks, token)
		for z := range e.alphabet {
			g.retrieves[i*e.alphabet+z] = marks.Retrieves(z)
		}
	}
	return g
}

// setCeiling computes the exact ceiling or, if enumeration is too large, its mean over
// the held-out sequences.
func (g *guesses) setCeiling(ctx context.Context, ceiler process.Ceiler) {
	_, states := ceiler.(process.Machine) // for a Machine, ceiling and floor need the same beliefs
	if g.e.exact || !states {
		if ceiling, err := ceiler.Ceiling(ctx, g.e.length+1); err == nil {
			g.ceiling = ceiling.ByPosition[1:] // like the floor, from the second token on
			return
		}
	}
	g.ceiling = make([]float64, g.e.length)
	for row := range g.e.inputs {
		g.ceiling[row%g.e.length] += slices.Max(g.e.next(row)) / float64(g.e.sequences)
	}
}

// judge scores the model's guess of the token that follows the given row of the held-out
// inputs.
func (g *guesses) judge(row, guess int) {
	next := g.e.next(row)
	g.short[row], g.retrieved[row] = slices.Max(next), 0
	if guess >= len(next) {
		return // a token of the vocabulary that the process does not have
	}
	g.short[row] -= next[guess]
	if g.retrieves != nil && g.retrieves[row*len(next)+guess] {
		g.retrieved[row] = next[guess]
	}
}

// likeliest returns the token with the largest logit, the first if several are equal.
func likeliest[F model.Float](logits []F) int {
	guess := 0
	for z, x := range logits {
		if x > logits[guess] {
			guess = z
		}
	}
	return guess
}

// accuracy returns the accuracy over all rows, weighted by position.
func (g *guesses) accuracy(weights []float64) *Accuracy {
	a, short, retrieved, steps := &Accuracy{}, 0.0, 0.0, 0.0
	for t, weight := range weights {
		a.Ceiling += float64(weight * g.ceiling[t])
	}
	for row := range g.short {
		weight := weights[row%len(weights)] / float64(g.e.sequences)
		short += float64(weight * g.short[row])
		if g.retrieves == nil {
			continue
		}
		retrieved += float64(weight * g.retrieved[row])
		before := steps
		for z, q := range g.e.next(row) {
			if g.retrieves[row*g.e.alphabet+z] {
				steps += float64(weight * q)
			}
		}
		if steps > before {
			a.RetrievalCount++
		}
	}
	a.Overall = a.Ceiling - short
	if steps > 0 {
		share := retrieved / steps
		a.Retrieval = &share
	}
	return a
}
