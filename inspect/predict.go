package inspect

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"foretell/internal/printable"
	"foretell/model"
	"foretell/process"
)

// Prediction is of the next token after a word.
type Prediction struct {
	Model []float64 `json:"model"` // the model's probability of each token

	*Optimality             // nil where no process is known
	Checkpoint  *Checkpoint `json:"checkpoint,omitempty"` // nil of a model that is no run's
}

// Optimality is what the optimal predictor says beside a model.
type Optimality struct {
	Optimal []float64 `json:"optimal"` // its probability of each of the process's tokens
	KL      float64   `json:"kl"`      // from it to the model's, in nats
}

// Checkpoint says which of a run's models has predicted.
type Checkpoint struct {
	Step     int  `json:"step"`
	FellBack bool `json:"fell_back"` // a later one is damaged
}

// Predict compares a model with the optimal predictor of a process after a word. It is an
// error when the word does not fit the model's context or cannot occur, and when the
// model computes no finite numbers ([model.ErrNotFinite]).
func Predict[F model.Float](m *model.Transformer[F], p process.Process, word []int32) (*Prediction, error) {
	if err := CheckLength(m.Config, word); err != nil {
		return nil, err
	}
	optimal, err := Optimum(p, word)
	if err != nil {
		return nil, err
	}
	found, logits, err := predict(m, word)
	if err == nil {
		found.Optimality = &Optimality{Optimal: optimal, KL: model.Divergence(optimal, logits)}
	}
	return found, err
}

// predict returns a model's prediction after a word with the logits of which it is made.
func predict[F model.Float](m *model.Transformer[F], word []int32) (*Prediction, []F, error) {
	if err := CheckLength(m.Config, word); err != nil {
		return nil, nil, err
	}
	all, err := m.Logits(word)
	if err != nil {
		return nil, nil, err
	}
	if err := model.CheckLogits(all, m.Config.DVocab); err != nil {
		return nil, nil, err
	}
	logits := all[len(all)-m.Config.DVocab:]
	return &Prediction{Model: model.Probabilities(logits)}, logits, nil
}

// Likeliest returns the tokens that are predicted with the greatest probabilities, at
// most so many, the likeliest first; of two as likely, the one of the lesser number.
func (p *Prediction) Likeliest(most int) []int {
	tokens := make([]int, len(p.Model))
	for z := range tokens {
		tokens[z] = z
	}
	slices.SortStableFunc(tokens, func(a, b int) int { return cmp.Compare(p.Model[b], p.Model[a]) })
	return tokens[:min(most, len(tokens))]
}

// mostShown is how many tokens of a prediction without an optimum are shown.
const mostShown = 20

// Print writes a row for each token, which ends its cells by tabs, and the divergence;
// without an optimum the likeliest tokens. names are those of the process's tokens.
func (p *Prediction) Print(w io.Writer, names []string) {
	if p.Optimality == nil {
		printable.Fprintf(w, "next token\tmodel\n")
		for _, z := range p.Likeliest(mostShown) {
			printable.Fprintf(w, "%d\t%.6f\n", z, p.Model[z])
		}
		return
	}
	printable.Fprintf(w, "next token\tmodel\toptimal\n")
	for z, q := range p.Model {
		name, best := strconv.Itoa(z), 0.0 // beyond the process's alphabet
		if z < len(names) {
			name, best = names[z], p.Optimal[z]
		}
		printable.Fprintf(w, "%s\t%.6f\t%.6f\n", name, q, best)
	}
	printable.Fprintf(w, "KL(optimal‖model) = %.2e nats\n", p.KL)
}

// Optimum returns the optimal distribution of the next token after a word. It is an error
// when the word cannot occur.
func Optimum(p process.Process, word []int32) ([]float64, error) {
	predictor := p.Predictor()
	for _, z := range word {
		if err := predictor.Observe(int(z)); err != nil {
			return nil, err
		}
	}
	next := make([]float64, p.Alphabet())
	predictor.Next(next)
	return next, nil
}
