package inspect

import (
	"errors"
	"fmt"
	"strconv"

	"foretell/document"
	"foretell/probe"
	"foretell/token"
)

// Forms returns the forms of the portrait: a line for each stage for a terminal, the
// figure of the stages (.svg), a row for each sequence of the figure (.csv), the numbers
// without these rows (.json), and a page (.html) that names the command line. If there is
// nothing to read, .svg and .csv return an error.
func (p *Portrait) Forms(command string) document.Forms {
	page := func() (document.Document, error) { return p.page(command) }
	return document.Answer{
		Text: p.text, Figure: p.figure, Page: page,
		Numbers: p.numbers, Value: p,
	}.Forms(command)
}

// numbers returns a row for each sequence of the figure: its tokens, its probability, the
// true value of the target, the reading from each stage and, after AddComponents, its
// principal components, to nine digits.
func (p *Portrait) numbers() (document.Frame, error) {
	if p.seen == nil {
		return document.Frame{}, fmt.Errorf("%s: %w", p.Process, errors.New(p.Unread))
	}
	s := p.seen
	names, tables := []string{"word", "probability"}, append([]probe.Table{s.truth}, s.reads...)
	for i := range 1 + len(s.reads) {
		name := "optimal"
		if i > 0 {
			name = p.Stages[i-1].Stage
		}
		for _, column := range s.names {
			names = append(names, name+" "+column)
		}
	}
	if p.along {
		for i, stage := range p.Stages {
			names = append(names, stage.Stage+" PC 1", stage.Stage+" PC 2", stage.Stage+" PC 3")
			tables = append(tables, s.components[i])
		}
	}
	f := document.Frame{Columns: document.Named(names...)}
	for i, row := range s.rows {
		cells := []any{token.Names(p.source.Tokens()).Join(s.words.Tokens(row), ","), decimalText(s.words.Prob[row])}
		for _, t := range tables {
			for _, x := range t.Row(i) {
				cells = append(cells, decimalText(x))
			}
		}
		f.Row(cells...)
	}
	return f, nil
}

// decimalText formats a number to nine digits.
func decimalText(x float64) string { return strconv.FormatFloat(x, 'g', 9, 64) }

// text returns a line for each stage, R² with its controls, and the mean KL.
func (p *Portrait) text() []document.Section {
	s := document.Section{Text: []string{fmt.Sprintf("%s of %s over %s", p.target.Title, p.Process, p.sampled())}}
	if p.Unread != "" {
		s.Text = append(s.Text, p.Unread)
	}
	if len(p.Stages) > 0 {
		f := p.scored(1)
		f.Columns[2].Heading, f.Columns[3].Heading = "", "" // errors are on the page
		s.Tables = []document.Table{f.Table()}
	}
	sum := 0.0
	for _, e := range p.KL {
		sum += e.Mean / float64(len(p.KL))
	}
	s.Notes = []string{fmt.Sprintf("KL to the optimum, mean over positions: %.2e nats", sum)}
	return []document.Section{s}
}

// scored returns a row for each stage, R² with its controls: at most the given number of
// untrained models.
func (p *Portrait) scored(untrained int) document.Frame {
	f := document.Frame{Title: "The numbers", Columns: []document.Column{
		{Heading: "stage"},
		{Heading: "R²", Format: "%.5f"},
		{Heading: "± s.e.", Format: "%.1e"},
		{Heading: "RMSE", Format: "%.5f"},
		{Heading: "untrained"},
		{Heading: "shuffled", Format: "%.5f"},
	}}
	for _, s := range p.Stages {
		random := s.Random[:min(untrained, len(s.Random))]
		f.Row(p.stage(s.Stage), s.R2.Mean, s.R2.Error, s.RMSE, fiveDigits(random), s.Shuffled.Mean)
	}
	if p.NextToken != nil {
		f.Row("optimal next token", p.NextToken.Mean, p.NextToken.Error, "", "", "")
	}
	return f
}
