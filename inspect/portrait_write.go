package inspect

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"foretell/internal/csvtable"
	"foretell/internal/printable"
	"foretell/probe"
)

// Write returns the portrait in the format of a file extension: .svg is the figure of the
// stages, .html a self-contained page that names the command line, .csv a row for each
// sequence of the figure, and .json the numbers without these rows. Any other extension
// is an error, and so are .svg and .csv if there is nothing to read.
func (p *Portrait) Write(ending, command string) ([]byte, error) {
	return written(ending, p.Figure, func() ([]byte, error) { return p.HTML(command) }, p.CSV, p)
}

// CSV returns a row for each sequence of the figure: its tokens, its probability, the
// true value of the target, and the reading from each stage.
func (p *Portrait) CSV() ([]byte, error) {
	if p.seen == nil {
		return nil, fmt.Errorf("%s: %w", p.Process, errors.New(p.Unread))
	}
	s := p.seen
	head, tables := []string{"word", "probability"}, append([]probe.Table{s.truth}, s.reads...)
	for i := range tables {
		name := "optimal"
		if i > 0 {
			name = p.Stages[i-1].Stage
		}
		for _, column := range s.names {
			head = append(head, name+" "+column)
		}
	}
	rows := [][]string{head}
	for i, row := range s.rows {
		cells := []string{wordText(s.words.Tokens(row), p.source.Tokens()), decimalText(s.words.Prob[row])}
		for _, t := range tables {
			for _, x := range t.Row(i) {
				cells = append(cells, decimalText(x))
			}
		}
		rows = append(rows, cells)
	}
	return csvtable.Bytes(rows)
}

// decimalText formats a number to nine digits.
func decimalText(x float64) string { return strconv.FormatFloat(x, 'g', 9, 64) }

// Print writes a line for each stage: R² with its controls. Tabs separate the cells.
func (p *Portrait) Print(w io.Writer) {
	printable.Fprintf(w, "%s of %s over %s\n", p.target.Title, p.Process, p.sampled())
	if p.Unread != "" {
		printable.Fprintf(w, "%s\n", p.Unread)
	}
	if len(p.Stages) > 0 {
		printable.Fprintf(w, "stage\tR²\tuntrained\tshuffled\n")
	}
	for _, s := range p.Stages {
		random := ""
		if len(s.Random) > 0 {
			random = fmt.Sprintf("%.5f", s.Random[0])
		}
		printable.Fprintf(w, "%s\t%.5f\t%s\t%.5f\n", p.stage(s.Stage), s.R2.Mean, random, s.Shuffled.Mean)
	}
	if p.NextToken != nil {
		printable.Fprintf(w, "optimal next token\t%.5f\t\t\n", p.NextToken.Mean)
	}
	sum := 0.0
	for _, e := range p.KL {
		sum += e.Mean / float64(len(p.KL))
	}
	printable.Fprintf(w, "KL to the optimum, mean over positions: %.2e nats\n", sum)
}
