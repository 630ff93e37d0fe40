package train

import (
	"context"
	"slices"

	"foretell/process"
)

// Accuracy is how often the token that the model holds most likely is the one that
// comes, where a process has a ceiling of that (see [process.Ceiler]): of the processes
// that a configuration names the signals, which EE269 2026 judges by it, those made of
// one whose tokens keep its levels, as by noise, and those that Go code has made. It is
// averaged over the positions by their weights.
//
// Overall is the ceiling less what the model's guesses fall short of the best ones by,
// E[max_z Pr(z) − Pr(guess)] under the optimal predictor. So it is never above the
// ceiling, and free of the noise of the tokens that came.
type Accuracy struct {
	Overall float64 `json:"accuracy"`
	Ceiling float64 `json:"accuracy/ceiling"` // of the optimal predictor; exact or estimated as the floor is
	// Retrieval is the accuracy on retrieval steps alone, of which the ceiling is 1
	// (the “conditional accuracy” of EE269 2026); nil where a process marks none, or
	// none can come at the positions that count.
	Retrieval *float64 `json:"accuracy/retrieval,omitempty"`
	// RetrievalCount is the number of held-out predictions that Retrieval is the mean of:
	// those that count after which a retrieval step can come. It is 0, and not in JSON,
	// where there is no Retrieval, and in rows from before it was written.
	RetrievalCount int `json:"accuracy/retrieval_count,omitempty"`
}

// guesses judges the model's most likely tokens on the held-out sequences.
type guesses struct {
	e         *evaluator
	ceiling   []float64 // by position
	retrieves []bool    // (sequences, length, alphabet): which tokens would be retrieval steps; nil without any
	short     []float64 // (sequences, length): max_z Pr(z) − Pr(guess), filled by an evaluation
	retrieved []float64 // (sequences, length): Pr(guess) where that would be a retrieval step, else 0
}

// ceilingOf returns the process as one whose accuracy is reported, if it is.
func ceilingOf(c Config, p process.Process) (process.Ceiler, bool) {
	ceiler, ok := p.(process.Ceiler)
	if !ok || c.Process.Name == "" {
		return ceiler, ok
	}
	entry, ok := c.Process.Entry()
	return ceiler, ok && entry.IsSignal(p)
}

// newGuesses is called once e knows the optimal predictions. Its ceiling means nothing
// once ctx has ended.
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

// setCeiling takes the exact ceiling, or, where enumeration is out of reach, its mean
// over the held-out sequences.
func (g *guesses) setCeiling(ctx context.Context, ceiler process.Ceiler) {
	_, states := ceiler.(process.Machine) // its ceiling takes the beliefs that its floor does
	if g.e.exact || !states {
		if ceiling, err := ceiler.Ceiling(ctx, g.e.length+1); err == nil {
			g.ceiling = ceiling.ByPosition[1:] // as the floor, from the second token on
			return
		}
	}
	g.ceiling = make([]float64, g.e.length)
	for row := range g.e.inputs {
		g.ceiling[row%g.e.length] += slices.Max(g.e.next(row)) / float64(g.e.sequences)
	}
}

// judge judges the guess after the token of a row of the held-out sequences.
func (g *guesses) judge(row int, logits []float32) {
	guess, next := 0, g.e.next(row)
	for z, x := range logits {
		if x > logits[guess] {
			guess = z
		}
	}
	g.short[row], g.retrieved[row] = slices.Max(next), 0
	if guess >= len(next) {
		return // a token that the vocabulary has beyond the process's
	}
	g.short[row] -= next[guess]
	if g.retrieves != nil && g.retrieves[row*len(next)+guess] {
		g.retrieved[row] = next[guess]
	}
}

// accuracy sums up all rows by the weights of positions.
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
