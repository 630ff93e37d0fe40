package inspect

import (
	"context"
	"fmt"

	"foretell/document"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// Probed is the result of [Model.Probe], with the sequences that it used.
type Probed struct {
	*probe.Report
	Process string            `json:"-"` // name of the process
	Prefix  *process.Prefixes `json:"-"` // the sequences
	Title   string            `json:"-"` // name of the target, in the plural
	// LastFlag is the same as in [Portrait].
	LastFlag string `json:"-"`

	config model.Config
}

// stage returns the name of a stage in words; see [stageName].
func (found *Probed) stage(hook string) string { return stageName(found.config, hook) }

// Probe examines a trained model over sequences of 1 … length tokens of its process, see
// [probe.Examine]. It returns the errors of [probe.Question.Words] and [probe.Examine],
// an error if the process is not known, and an error for a hand-written model, which has
// no random initialisation to compare with.
func (m *Model) Probe(ctx context.Context, q probe.Question, length int) (*Probed, error) {
	p, err := m.Process()
	if err != nil {
		return nil, err
	}
	seed, err := m.InitialSeed()
	if err != nil {
		return nil, err
	}
	words, err := q.Words(ctx, p, length)
	if err != nil {
		return nil, err
	}
	report, err := probe.Examine(ctx, probe.Subject{Model: m.network.inFloat32(), Seed: seed}, words, q)
	if err != nil {
		return nil, err
	}
	return &Probed{
		Report: report, Process: p.Name(), Prefix: words, Title: q.Target.Title, config: m.Config(),
	}, nil
}

// Forms returns the form of the report for a terminal.
func (found *Probed) Forms() document.Forms {
	return document.Forms{document.Terminal: document.Text(found.text)}
}

func (found *Probed) text() []document.Section {
	p := found.Prefix
	about := found.Title + " of " + found.Process + " over " + wordsText(occurring(p), p.Sequences, p.Length)
	if p.Sequences > 0 {
		about += fmt.Sprintf(", in %d groups (± standard error over groups)", p.Groups)
	}
	kl := fmt.Sprintf("%.2e", found.KL)
	if found.Sequences > 0 {
		kl += fmt.Sprintf(" ± %.0e", found.KLError)
	}
	return []document.Section{
		{Text: []string{about, "R²: " + found.Convention}},
		{Tables: []document.Table{found.scores()}, Notes: []string{aboutShuffled(found.LastFlag)}},
		{Tables: found.byPosition()},
		{Tables: found.steered()},
		{Text: []string{"KL to the optimum, mean over positions: " + kl + " nats"}},
	}
}

// sampled returns the cell of an R², with its standard error if sequences were sampled.
func (found *Probed) sampled(x, standardError float64) any {
	if found.Sequences == 0 {
		return x
	}
	return document.Spread{Mean: x, Deviation: standardError}
}

func (found *Probed) scores() document.Table {
	f := document.Frame{Columns: []document.Column{
		{Heading: "stage"},
		{Heading: "R²", Format: "%.5f"},
		{Heading: "RMSE", Format: "%.5f"},
		{Heading: "untrained", Format: "%.5f"},
		{Heading: "shuffled", Format: "%.5f"},
	}}
	for _, s := range found.Stages {
		f.Row(found.stage(s.Stage), found.sampled(s.R2, s.R2Error), s.RMSE, s.Random, s.Shuffled)
	}
	for _, s := range found.Controls {
		name := s.Features
		if name == "next token" {
			name = "optimal next token"
		}
		f.Row(name, found.sampled(s.R2, s.R2Error), s.RMSE, "", "")
	}
	return f.Table()
}

// byPosition returns R² by position if each position has its own regression.
func (found *Probed) byPosition() []document.Table {
	if len(found.Stages[0].R2Position) == 0 {
		return nil
	}
	f := document.Frame{Columns: []document.Column{{Heading: "R² after tokens"}}}
	for _, s := range found.Stages {
		f.Columns = append(f.Columns, document.Column{Heading: found.stage(s.Stage), Format: "%.5f"})
	}
	for t := range found.Stages[0].R2Position {
		row := []any{t + 1}
		for _, s := range found.Stages {
			row = append(row, float64(s.R2Position[t]))
		}
		f.Row(row...)
	}
	return []document.Table{f.Table()}
}

// steered returns the KL after activations were moved to another belief, if they were.
func (found *Probed) steered() []document.Table {
	if len(found.Steered) == 0 {
		return nil
	}
	f := document.Frame{Columns: []document.Column{
		{Heading: "KL to the target's optimum"}, {Heading: "unchanged", Format: "%.4f"},
	}}
	for _, change := range []string{"shortest change", "likeliest change"} {
		f.Columns = append(f.Columns, document.Column{Heading: change, Format: "%.4f", Joined: true},
			document.Column{Heading: "random direction", Format: "%.4f", Joined: true},
			document.Column{Heading: "of spread", Format: "%.3f"})
	}
	for _, s := range found.Steered {
		row := []any{found.stage(s.Stage), plusMinus(s.Unchanged)}
		for _, m := range []probe.Moved{s.Shortest, s.Likeliest} {
			row = append(row, plusMinus(m.Along), plusMinus(m.Random), m.Distance.Mean/s.Spread)
		}
		f.Row(row...)
	}
	return []document.Table{f.Table()}
}

func plusMinus(e probe.Estimate) document.Spread {
	return document.Spread{Mean: e.Mean, Deviation: e.Error}
}
