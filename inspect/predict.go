package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"foretell/model"
	"foretell/process"
	"foretell/token"
)

// Prediction is a prediction of the token after a sequence.
type Prediction struct {
	Model []float64 `json:"model"` // the model's probability of each token

	// Values are the values of the tokens in the unit of the signal, or nil if the process
	// is not a signal.
	Values []float64 `json:"values,omitempty"`
	// Forecast and OptimalForecast are the mean and the likeliest values of the signal under
	// the model and the optimal predictor, or nil if the process is not a signal.
	Forecast        *Forecast `json:"forecast,omitempty"`
	OptimalForecast *Forecast `json:"optimal_forecast,omitempty"`

	*Optimality             // nil if no process is known, or if Impossible is set
	Checkpoint  *Checkpoint `json:"checkpoint,omitempty"` // nil if the model does not come from a run

	// Memorised reports that the optimum assumes a predictor that has memorised the one
	// recording from which sequences are drawn as windows.
	Memorised bool `json:"memorised,omitempty"`

	// Impossible explains why there is no optimum although the process is known: the
	// sequence has probability 0, or is the end of its recording. The optimum is null in
	// JSON in that case.
	Impossible error `json:"-"`
}

// Optimality is the optimal predictor's distribution, and the model's distance from it.
type Optimality struct {
	Optimal []float64 `json:"optimal"` // probability of each of the process's tokens
	KL      float64   `json:"kl"`      // KL(optimal‖model) in nats
}

// Checkpoint identifies the checkpoint of the run whose model predicted.
type Checkpoint struct {
	Step     int  `json:"step"`
	FellBack bool `json:"fell_back"` // whether a later checkpoint exists but is damaged
}

// MarshalJSON writes "optimal": null and "kl": null if [Prediction].Impossible is set.
func (p *Prediction) MarshalJSON() ([]byte, error) {
	type plain Prediction
	if p.Impossible == nil {
		return json.Marshal((*plain)(p))
	}
	return json.Marshal(struct {
		*plain
		Optimal []float64 `json:"optimal"`
		KL      *float64  `json:"kl"`
	}{plain: (*plain)(p)})
}

// Predict compares a model with the optimal predictor of a process after a sequence. The
// result has only the model's prediction if s is nil, if the best possible prediction of
// s is not known, or if [Prediction.Impossible] is set: the sequence has probability 0,
// or it is the end of a recording and has no next token. Predict returns an error if the
// sequence does not fit the model, or if the model computes numbers that are not finite
// ([model.ErrNotFinite]).
func Predict[F model.Float](m *model.Transformer[F], s process.Sampler, word []int32) (*Prediction, error) {
	if err := checkLength(m.Config, word); err != nil {
		return nil, err
	}
	p, known := s.(process.Process)
	var optimal []float64
	var impossible error
	if known {
		if optimal, impossible = process.NextAfter(p, word); impossible == nil {
			impossible = atTheEnd(p, word)
		}
	}
	logits, err := lastLogits(m, word)
	if err != nil {
		return nil, cmp.Or(impossible, err)
	}
	found := &Prediction{
		Model: model.Probabilities(logits), Values: process.LevelsOf(s), Memorised: process.Memorised(s),
		Impossible: impossible,
	}
	signal, optimum := found.Values != nil, known && impossible == nil
	if signal {
		found.Forecast = forecastOf(found.Model, found.Values)
	}
	if optimum {
		found.Optimality = &Optimality{Optimal: optimal, KL: model.Divergence(optimal, logits)}
	}
	if signal && optimum {
		found.OptimalForecast = forecastOf(optimal, found.Values)
	}
	return found, nil
}

// atTheEnd returns an error if a sequence occurs in the recording only at its end, or
// only across its end, where the process continues with the beginning: no sample was
// recorded after such a sequence.
func atTheEnd(p process.Process, word []int32) error {
	recorder, ok := p.(process.Recorder)
	if !ok {
		return nil
	}
	record := recorder.Record()
	for at := 0; at+len(word) < len(record); at++ {
		if slices.Equal(record[at:at+len(word)], word) {
			return nil
		}
	}
	return fmt.Errorf("%s: these tokens end the recording, and nothing was recorded after them", p.Name())
}

// lastLogits returns the logits of the token after a sequence, all finite.
func lastLogits[F model.Float](m *model.Transformer[F], word []int32) ([]F, error) {
	logits, err := m.Logits(word)
	if err == nil {
		err = model.CheckLogits(logits, m.Config.DVocab)
	}
	if err != nil {
		return nil, err
	}
	return logits[len(logits)-m.Config.DVocab:], nil
}

// Likeliest returns the n tokens with the largest probabilities, or all tokens if there
// are fewer, in descending order. Of equally likely tokens the smaller comes first.
func (p *Prediction) Likeliest(n int) []int {
	tokens := token.ByProbability(p.Model)
	return tokens[:min(n, len(tokens))]
}

// An alphabet of up to mostListed tokens is shown completely, in its order. Of a larger
// one, the mostShown likeliest tokens are shown by default.
const mostShown, mostListed = 20, 12

// shown returns the tokens to show. top is the requested number of likeliest tokens; 0
// means all tokens of an alphabet of up to 12, in its order, or else the 20 likeliest.
func (p *Prediction) shown(top int) []int {
	if top == 0 && len(p.Model) > mostListed {
		top = mostShown
	}
	if top > 0 {
		return p.Likeliest(top)
	}
	order := p.Likeliest(len(p.Model))
	slices.Sort(order)
	return order
}

// memorised returns a mark for numbers that assume a predictor that has memorised the
// recording, or "".
func (p *Prediction) memorised() string {
	if !p.Memorised {
		return ""
	}
	return " (memorised)"
}

// optimalName returns the column header of the optimal prediction.
func (p *Prediction) optimalName() string { return "optimal" + p.memorised() }

// summaries returns a line for each forecast of a signal, such as "model: mean 2.3; 90 %
// of the probability: 1.9–2.6".
func (p *Prediction) summaries() (lines []string) {
	for _, by := range []struct {
		who string
		*Forecast
	}{{"model", p.Forecast}, {p.optimalName(), p.OptimalForecast}} {
		if by.Forecast != nil {
			lines = append(lines, fmt.Sprintf("%s: mean %.5g; 90 %% of the probability: %s",
				by.who, by.Mean, by.text()))
		}
	}
	return lines
}
