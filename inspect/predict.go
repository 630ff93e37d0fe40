package inspect

import (
	"foretell/model"
	"foretell/process"
)

// Prediction is of the next token after a word.
type Prediction struct {
	Model   []float64 `json:"model"`   // the model's probability of each token
	Optimal []float64 `json:"optimal"` // that of the optimal predictor
	KL      float64   `json:"kl"`      // from the optimal to the model's, in nats

	Checkpoint *Checkpoint `json:"checkpoint,omitempty"` // nil of a model that is no run's
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
	all, err := m.Logits(word)
	if err != nil {
		return nil, err
	}
	if err := model.CheckLogits(all, m.Config.DVocab); err != nil {
		return nil, err
	}
	logits := all[len(all)-m.Config.DVocab:]
	return &Prediction{
		Model: model.Probabilities(logits), Optimal: optimal, KL: model.Divergence(optimal, logits),
	}, nil
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
