package signals

import (
	"fmt"

	"foretell/process"
)

// signal is one of the five signals. Where the lecture is silent, the constructor of the
// process makes and documents a choice: the lecture gives the rules, but neither how
// often events occur nor the tokens between them.
type signal struct {
	name  string // in the catalogue of package process
	title string // number and name in the lecture
}

// The five signals in the lecture's order.
var (
	sine        = signal{"sine", "1. Sine"}
	mackeyGlass = signal{"mackey_glass", "2. Mackey-Glass"}
	switching   = signal{"switching_delay", "3. Switching Delay"}
	brackets    = signal{"brackets", "4. Bracket Matching"}
	routing     = signal{"routing", "5. Conditional Routing"}

	allSignals = []signal{sine, mackeyGlass, switching, brackets, routing}
)

// process builds the signal's process.
func (s signal) process() (process.Process, error) { return process.Build(s.name, nil) }

// optimal returns the optimal predictor's distribution of the token that follows the
// given tokens. It also returns which next tokens would be a retrieval step (no token, in
// signals without such steps). It returns an error if the process cannot produce the
// given tokens.
func (s signal) optimal(tokens []int32) (next []float64, retrieval []bool, err error) {
	p, err := s.process()
	if err != nil {
		return nil, nil, err
	}
	return s.after(p.Predictor(), p.Alphabet(), tokens)
}

// after does the same as [signal.optimal], with the given predictor, which it resets
// first.
func (s signal) after(predictor process.Predictor, alphabet int, tokens []int32) (
	next []float64, retrieval []bool, err error,
) {
	predictor.Reset()
	for i, t := range tokens {
		if err := predictor.Observe(int(t)); err != nil {
			return nil, nil, fmt.Errorf("%s: position %d: %w", s.name, i+1, err)
		}
	}
	next, retrieval = make([]float64, alphabet), make([]bool, alphabet)
	predictor.Next(next)
	if marks, ok := predictor.(process.RetrievalPredictor); ok {
		for z := range retrieval {
			retrieval[z] = marks.Retrieves(z)
		}
	}
	return next, retrieval, nil
}
