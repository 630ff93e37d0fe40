package signals

import (
	"fmt"

	"foretell/process"
)

// signal is one of the five, by its name in the catalogue, with the choices that its
// constructor documents: the lecture gives the rules, and neither how often events come
// nor what stands between them.
type signal struct {
	name  string
	title string // as the lecture has it
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

// process builds the signal.
func (s signal) process() (process.Process, error) { return process.Build(s.name, nil) }

// optimal returns the optimal predictor's distribution after tokens, and which of them
// would be a retrieval step. It is an error when tokens cannot occur.
func (s signal) optimal(tokens []int32) (next []float64, retrieval []bool, err error) {
	p, err := s.process()
	if err != nil {
		return nil, nil, err
	}
	return s.after(p.Predictor(), p.Alphabet(), tokens)
}

// after is optimal by a predictor, whatever it has observed.
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
