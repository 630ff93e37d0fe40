package inspect

import (
	"context"
	"fmt"
	"io"

	"foretell/internal/printable"
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
	return &Probed{report, p.Name(), words, q.Target.Title, m.Config()}, nil
}

// Print writes the report as text, with tabs between the cells of columns. A vertical tab
// ends a header whose column must stay next to the following column if the table is split
// to fit a terminal.
func (found *Probed) Print(out io.Writer) {
	if p := found.Prefix; p.Sequences > 0 {
		printable.Fprintf(out, "%s of %s over %d prefixes of %d sampled sequences of %d tokens, "+
			"in %d groups (± standard error over groups)\n",
			found.Title, found.Process, occurring(p), p.Sequences, p.Length, p.Groups)
	} else {
		printable.Fprintf(out, "%s of %s over all %d sequences of up to %d tokens\n",
			found.Title, found.Process, occurring(p), p.Length)
	}
	printable.Fprintf(out, "R²: %s\n\n", found.Convention)
	found.printScores(out)
	found.printPositions(out)
	found.printSteered(out)
	kl := fmt.Sprintf("%.2e", found.KL)
	if found.Sequences > 0 {
		kl += fmt.Sprintf(" ± %.0e", found.KLError)
	}
	printable.Fprintf(out, "KL to the optimum, mean over positions: %s nats\n", kl)
}

// sampled formats an R², with its standard error if sequences were sampled.
func (found *Probed) sampled(x, standardError float64) string {
	if found.Sequences == 0 {
		return fmt.Sprintf("%.5f", x)
	}
	return plusMinus("%.5f", probe.Estimate{Mean: x, Error: standardError})
}

func plusMinus(format string, e probe.Estimate) string {
	return fmt.Sprintf(format+" ± "+format, e.Mean, e.Error)
}

// feature returns the name that a table gives to the features of a control.
func feature(name string) string {
	if name == "next token" {
		return "optimal next token"
	}
	return name
}

func (found *Probed) printScores(w io.Writer) {
	printable.Fprintf(w, "stage\tR²\tRMSE\tuntrained\tshuffled\n")
	for _, s := range found.Stages {
		r2 := found.sampled(s.R2, s.R2Error)
		printable.Fprintf(w, "%s\t%s\t%.5f\t%.5f\t%.5f\n", found.stage(s.Stage), r2, s.RMSE, s.Random, s.Shuffled)
	}
	for _, s := range found.Controls {
		printable.Fprintf(w, "%s\t%s\t%.5f\t\t\n", feature(s.Features), found.sampled(s.R2, s.R2Error), s.RMSE)
	}
	printable.Fprintf(w, "%s\n\n", aboutShuffled)
}

// printPositions prints R² by position if each position has its own regression; otherwise
// it prints nothing.
func (found *Probed) printPositions(w io.Writer) {
	if len(found.Stages[0].R2Position) == 0 {
		return
	}
	printable.Fprintf(w, "R² after tokens")
	for _, s := range found.Stages {
		printable.Fprintf(w, "\t%s", found.stage(s.Stage))
	}
	printable.Fprintf(w, "\n")
	for t := range found.Stages[0].R2Position {
		printable.Fprintf(w, "%d", t+1)
		for _, s := range found.Stages {
			printable.Fprintf(w, "\t%.5f", s.R2Position[t])
		}
		printable.Fprintf(w, "\n")
	}
	printable.Fprintf(w, "\n")
}

func (found *Probed) printSteered(w io.Writer) {
	if len(found.Steered) == 0 {
		return
	}
	printable.Fprintf(w, "KL to the target's optimum\tunchanged\tshortest change\vrandom direction\vof spread\t"+
		"likeliest change\vrandom direction\vof spread\n")
	for _, s := range found.Steered {
		printable.Fprintf(w, "%s\t%s", found.stage(s.Stage), plusMinus("%.4f", s.Unchanged))
		for _, m := range []probe.Moved{s.Shortest, s.Likeliest} {
			along, random := plusMinus("%.4f", m.Along), plusMinus("%.4f", m.Random)
			printable.Fprintf(w, "\t%s\t%s\t%.3f", along, random, m.Distance.Mean/s.Spread)
		}
		printable.Fprintf(w, "\n")
	}
	printable.Fprintf(w, "\n")
}
