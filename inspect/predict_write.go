package inspect

import (
	"fmt"
	"strings"

	"foretell/document"
	"foretell/internal/text"
	"foretell/token"
)

// Predicted is a prediction with what is needed to show it.
type Predicted struct {
	*Prediction
	Model string      // the name under which the model was opened
	Word  []int32     // the tokens before the prediction
	Names token.Names // names of the process's tokens, nil if not known
	// Top is the number of likeliest tokens that a terminal shows; 0 means all tokens of an
	// alphabet of up to 12, or else the 20 likeliest.
	Top int
}

// Forms returns the forms of the prediction: a table for a terminal, .svg, .csv with a
// row for each token, .json, and a page (.html) that names the command line.
func (p *Predicted) Forms(command string) document.Forms {
	page := func() document.Document {
		table, f := p.numbers().Table(), p.figure()
		return document.Document{Title: f.Title, Sections: []document.Section{{
			Figure: f, Caption: p.caption(), Tables: []document.Table{table},
		}}}
	}
	return document.Answer{
		Text: p.text, Figure: document.Sure(p.figure), Page: document.Sure(page),
		Numbers: document.Sure(p.numbers), Value: p.Prediction,
	}.Forms(command)
}

// text returns a row for each token that is shown, and the KL. For a signal, rows have
// the token's value, and the last lines have the mean and the values that hold 90 %.
func (p *Predicted) text() []document.Section {
	value, optimal := "", "" // a named column without a heading is not shown
	if p.Values != nil {
		value = "value"
	}
	if p.Optimality != nil {
		optimal = p.optimalName()
	}
	f := document.Frame{Columns: []document.Column{
		{Heading: "next token"},
		{Name: "value", Heading: value, Format: "%.5g"},
		{Heading: "model", Format: "%.6f"},
		{Name: "optimal", Heading: optimal, Format: "%.6f"},
	}}
	order := p.shown(p.Top)
	for _, z := range order {
		f.Row(p.Names.Of(int32(z)), at(p.Values, z), p.Prediction.Model[z], p.optimal(z))
	}
	s := document.Section{Tables: []document.Table{f.Table()}}
	if rest := len(p.Prediction.Model) - len(order); rest > 0 && p.Names != nil {
		s.Notes = append(s.Notes, "and "+text.Count(rest, "less likely token"))
	}
	if p.Optimality != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("KL(optimal‖model) = %.2e nats%s", p.KL, p.memorised()))
	}
	s.Notes = append(s.Notes, p.summaries()...)
	return []document.Section{s}
}

// optimal returns the optimal predictor's probability of a token, which is 0 if the token
// is outside the process's alphabet, or nil if it is not known.
func (p *Predicted) optimal(z int) *float64 {
	if p.Optimality == nil {
		return nil
	}
	if z < len(p.Optimal) {
		return &p.Optimal[z]
	}
	return new(float64)
}

// longestAfter is the largest number of tokens that a title lists.
const longestAfter = 16

// after lists the tokens before the prediction, only the last 16 if there are more.
func (p *Predicted) after() string {
	word, cut := p.Word, ""
	if len(word) > longestAfter {
		word, cut = word[len(word)-longestAfter:], "… "
	}
	if len(word) == 0 {
		return "Before any token."
	}
	return "After " + cut + p.Names.Join(word, ",") + "."
}

func (p *Predicted) divergence() string {
	return fmt.Sprintf("KL from the optimal prediction to the model's: %.2e\u00a0nats.", p.KL)
}

func (p *Predicted) caption() string {
	text := "The model's probability of each next token"
	if p.Values != nil {
		text = "The model's probability of each value of the next sample, in the signal's unit"
	} else if n, drawn := len(p.Prediction.Model), len(p.drawn()); n > drawn {
		text += fmt.Sprintf(", for the %d likeliest of %d tokens", drawn, n)
	}
	switch {
	case p.Impossible != nil:
		text += ". There is no optimum after these tokens: " + p.Impossible.Error() + ". " + p.after()
	case p.Optimality == nil:
		text += "; the best possible prediction is not known. " + p.after()
	default:
		text += ", and the optimal probability under its process" + p.memorised() + ". " + p.after() + " " +
			p.divergence()
	}
	return strings.Join(append([]string{text}, p.forecasts()...), " ")
}

// numbers returns a row for each token: its number and name, its probability under the
// model, its optimal probability (empty if not known) and, for a signal, its value.
func (p *Predicted) numbers() document.Frame {
	names := []string{"token", "name", "model", "optimal"}
	if p.Values != nil {
		names = append(names, "value")
	}
	f := document.Frame{Title: "The numbers", Columns: document.Plain(names...)}
	for z, q := range p.Prediction.Model {
		cells := []any{z, p.Names.Of(int32(z)), q, p.optimal(z), at(p.Values, z)}
		f.Row(cells[:len(names)]...)
	}
	return f
}
