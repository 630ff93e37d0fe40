package inspect

import (
	"fmt"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/token"
)

// SteeredModel is a [Steered] with what is needed to show it.
type SteeredModel struct {
	*Steered
	Model string // the name under which the model was opened
}

// Forms returns the forms of the answer: tables for a terminal, .svg, .csv with a row for
// each token, .json, and a page (.html) that names the command line.
func (s *SteeredModel) Forms(command string) document.Forms {
	page := func() document.Document { return illustrated(s.figure(), s.text()) }
	return document.Answer{
		Text: s.text, Figure: document.Sure(s.figure), Page: document.Sure(page),
		Numbers: document.Sure(s.numbers), Value: s.Steered,
	}.Forms(command)
}

// fitted says what the regression was fitted to.
func (s *SteeredModel) fitted() string {
	return fmt.Sprintf("The regression reads the belief from %s with R² %.4f, over %s.",
		s.Stage, s.R2.Mean, wordsText(s.Words, 0, s.Length))
}

// text returns a row for each move, and a row for each token.
func (s *SteeredModel) text() []document.Section {
	f := document.Frame{Title: "Moves", Columns: []document.Column{
		{Heading: "activation"}, {Heading: "moved by", Format: "%.4f"}, {Heading: "KL, nats", Format: "%.2e"},
	}}
	for _, state := range s.States {
		f.Columns = append(f.Columns, document.Column{Heading: "reads " + state, Format: "%.4f"})
	}
	for _, m := range s.Moves {
		cells := []any{m.Name, m.Distance, m.KL}
		for _, x := range m.Read {
			cells = append(cells, x)
		}
		f.Row(cells...)
	}
	first := []string{s.fitted(), "KL from the best prediction for the belief " + s.belief() + ":"}
	return []document.Section{
		{Text: first, Tables: []document.Table{f.Table()}},
		{Tables: []document.Table{s.shown().Table()}},
	}
}

// belief returns the belief as text.
func (s *SteeredModel) belief() string {
	list := make([]string, len(s.Belief))
	for i, x := range s.Belief {
		list[i] = fmt.Sprintf("%s %.4g", s.States[i], x)
	}
	return strings.Join(list, ", ")
}

// numbers returns a row for each token: the best prediction for the belief, and the
// model's after each move.
func (s *SteeredModel) numbers() document.Frame {
	f := document.Frame{Title: "The next token", Columns: []document.Column{
		{Heading: "next token"}, {Heading: "optimal", Format: "%.6f"},
	}}
	for _, m := range s.Moves {
		f.Columns = append(f.Columns, document.Column{Heading: m.Name, Format: "%.6f"})
	}
	for z, name := range s.Names {
		cells := []any{name, at(s.Optimal, z)}
		for _, m := range s.Moves {
			cells = append(cells, m.Model[z])
		}
		f.Row(cells...)
	}
	return f
}

// shown returns the rows of the likeliest tokens.
func (s *SteeredModel) shown() document.Frame {
	f := s.numbers()
	if len(f.Rows) <= mostShown {
		return f
	}
	all := f.Rows
	f.Title, f.Rows = fmt.Sprintf("The next token: the %d likeliest of %d", mostShown, len(all)), nil
	for _, z := range token.ByProbability(s.Moves[0].Model)[:mostShown] {
		f.Rows = append(f.Rows, all[z])
	}
	return f
}

// figure draws the probabilities of the tokens, at most forty.
func (s *SteeredModel) figure() *figure.Figure {
	d := figure.Dots{
		X: figure.Axis{Label: "probability of the next token", Include: []float64{0}}, Label: "next token",
		Series: []figure.DotSeries{{Name: "best for the belief", Open: true}},
	}
	for z, name := range s.Names[:min(mostPredicted, len(s.Names))] {
		d.Groups = append(d.Groups, name)
		best := 0.0
		if z < len(s.Optimal) {
			best = s.Optimal[z]
		}
		d.Series[0].X = append(d.Series[0].X, best)
	}
	for _, m := range s.Moves {
		d.Series = append(d.Series, figure.DotSeries{Name: "model, " + m.Name, X: m.Model[:len(d.Groups)]})
	}
	f := figure.Single(s.Model+": moved to another belief", s.fitted(), d)
	f.Heading, f.Width = f.Title, 270
	f.Notes = []string{"Belief: " + s.belief() + ".", s.fitted()}
	return f
}
