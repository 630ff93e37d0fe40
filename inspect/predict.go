package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
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

	// Values are what the tokens stand for, in the unit of the signal that the process is;
	// nil of another.
	Values []float64 `json:"values,omitempty"`
	// Forecast and OptimalForecast are the mean and the likeliest values of the signal,
	// by the model and by the optimal predictor; nil of another process.
	Forecast        *Forecast `json:"forecast,omitempty"`
	OptimalForecast *Forecast `json:"optimal_forecast,omitempty"`

	*Optimality             // nil where no process is known, or the word cannot occur in it
	Checkpoint  *Checkpoint `json:"checkpoint,omitempty"` // nil of a model that is no run's

	// Memorised says that the optimum is that of a predictor that has memorised the one
	// recording of which sequences are windows.
	Memorised bool `json:"memorised,omitempty"`

	// Impossible is why there is no optimum although the process is known: the word
	// cannot occur in it, or is the end of its recording. JSON has null for it.
	Impossible error `json:"-"`
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

// MarshalJSON writes null for an optimum that a known process does not have.
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

// Predict compares a model with the optimal predictor of a process after a word. It is
// the model's prediction alone where s is nil, where its best possible prediction is
// not known, and where the word cannot occur in it or, as the end of a recording, has
// nothing after it ([Prediction.Impossible]). It is an error when the word does not fit
// the model, and when that computes no finite numbers ([model.ErrNotFinite]).
func Predict[F model.Float](m *model.Transformer[F], s process.Sampler, word []int32) (*Prediction, error) {
	p, known := s.(process.Process)
	if !known {
		found, _, err := predict(m, word)
		if err != nil {
			return nil, err
		}
		found.inUnits(levelsOf(s))
		return found, nil
	}
	if err := CheckLength(m.Config, word); err != nil {
		return nil, err
	}
	optimal, impossible := Optimum(p, word)
	if impossible == nil {
		impossible = atTheEnd(p, word)
	}
	found, logits, err := predict(m, word)
	if err != nil {
		return nil, cmp.Or(impossible, err)
	}
	found.Memorised = hasMemorised(p)
	found.inUnits(levelsOf(p))
	if impossible != nil {
		found.Impossible = impossible
		return found, nil
	}
	if found.Values != nil {
		found.OptimalForecast = forecastOf(optimal, found.Values)
	}
	found.Optimality = &Optimality{Optimal: optimal, KL: model.Divergence(optimal, logits)}
	return found, nil
}

// inUnits adds the values of a signal's tokens, and the forecast in their unit; levels is
// nil where tokens are no levels.
func (p *Prediction) inUnits(levels []float64) {
	if levels != nil {
		p.Values, p.Forecast = levels, forecastOf(p.Model, levels)
	}
}

// atTheEnd is the error of a word that stands in the recording from which a process draws
// only where the recording ends, or across its end: nothing was recorded after it.
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
	tokens := byProbability(p.Model)
	return tokens[:min(most, len(tokens))]
}

// byProbability lists the tokens of a distribution, the likeliest first; of two as
// likely, the one of the lesser number.
func byProbability(p []float64) []int {
	tokens := make([]int, len(p))
	for z := range tokens {
		tokens[z] = z
	}
	slices.SortStableFunc(tokens, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	return tokens
}

// mostShown is how many tokens of a prediction are shown by default where they are more,
// and mostListed up to how many are shown in the order of the alphabet.
const mostShown, mostListed = 20, 12

// shown are the tokens that are shown, in their order: all where they are few, else the
// likeliest, as many as top is, or 20 where that is 0.
func (p *Prediction) shown(top int) []int {
	if top == 0 && len(p.Model) > mostListed {
		top = mostShown
	}
	if top > 0 {
		return p.Likeliest(top)
	}
	order := make([]int, len(p.Model))
	for z := range order {
		order[z] = z
	}
	return order
}

// Print writes a row for each token, which ends its cells by tabs, and the divergence; of
// more than 12 tokens the likeliest of the model, 20 or as many as top is, and so where
// top is not 0. names are those of the process's tokens. Of a signal the value of each
// token stands beside it, and its mean and the values that hold 90 % at the end.
func (p *Prediction) Print(w io.Writer, names []string, top int) {
	order := p.shown(top)
	p.printRow(w, "next token", "value", "model", p.optimalName())
	for _, z := range order {
		name, value, best := strconv.Itoa(z), "", 0.0 // beyond the process's alphabet
		if z < len(names) {
			name = names[z]
		}
		if z < len(p.Values) {
			value = fmt.Sprintf("%.5g", p.Values[z])
		}
		if p.Optimality != nil && z < len(p.Optimal) {
			best = p.Optimal[z]
		}
		p.printRow(w, name, value, fmt.Sprintf("%.6f", p.Model[z]), fmt.Sprintf("%.6f", best))
	}
	if rest := len(p.Model) - len(order); rest > 0 && names != nil {
		printable.Fprintf(w, "and %d less likely tokens\n", rest)
	}
	if p.Optimality != nil {
		printable.Fprintf(w, "KL(optimal‖model) = %.2e nats%s\n", p.KL, p.memorised())
	}
	for _, line := range p.summaries() {
		printable.Fprintf(w, "%s\n", line)
	}
}

// memorised marks a number that holds for a predictor that has memorised the recording.
func (p *Prediction) memorised() string {
	if !p.Memorised {
		return ""
	}
	return " (memorised)"
}

// optimalName is the heading of what the optimal predictor says.
func (p *Prediction) optimalName() string { return "optimal" + p.memorised() }

// summaries are a signal's forecasts in a line each, such as
// "model: mean 2.3; 90 % at 1.9 … 2.6".
func (p *Prediction) summaries() (lines []string) {
	for _, by := range []struct {
		who string
		*Forecast
	}{{"model", p.Forecast}, {p.optimalName(), p.OptimalForecast}} {
		if by.Forecast != nil {
			lines = append(lines, fmt.Sprintf("%s: mean %.5g; 90 %% at %s", by.who, by.Mean, by.text()))
		}
	}
	return lines
}

// printRow prints the cells of a row but those of columns that a prediction lacks.
func (p *Prediction) printRow(w io.Writer, name, value, modelled, optimal string) {
	printable.Fprintf(w, "%s", name)
	if p.Values != nil {
		printable.Fprintf(w, "\t%s", value)
	}
	printable.Fprintf(w, "\t%s", modelled)
	if p.Optimality != nil {
		printable.Fprintf(w, "\t%s", optimal)
	}
	printable.Fprintf(w, "\n")
}

// Optimum returns the optimal distribution of the next token after a word. It is an error
// when the word cannot occur.
func Optimum(p process.Process, word []int32) ([]float64, error) {
	predictor, err := observer(p, word)
	if err != nil {
		return nil, err
	}
	next := make([]float64, p.Alphabet())
	predictor.Next(next)
	return next, nil
}

// observer returns the optimal predictor that has seen a word. It is an error when the
// word cannot occur.
func observer(p process.Process, word []int32) (process.Predictor, error) {
	predictor := p.Predictor()
	for _, z := range word {
		if err := predictor.Observe(int(z)); err != nil {
			return nil, err
		}
	}
	return predictor, nil
}
