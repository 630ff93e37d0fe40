package main

import (
	"fmt"
	"io"

	"foretell/probe"
	"foretell/process"
)

// probed is what probes found, with the words that they looked at.
type probed struct {
	*probe.Report
	words *process.Prefixes
	title string // of the target
}

func (found probed) print(out io.Writer, process string) {
	if p := found.words; p.Sequences > 0 {
		printf(out, "%s of %s over %d words that begin %d sampled sequences of %d tokens, "+
			"in %d groups (± standard error over these)\n", found.title, process, found.Words, p.Sequences, p.Length, p.Groups)
	} else {
		printf(out, "%s of %s over %d words of up to %d tokens\n", found.title, process, found.Words, p.Length)
	}
	printf(out, "R²: %s\n\n", found.Convention)
	found.printScores(out)
	found.printPositions(out)
	found.printSteered(out)
	kl := fmt.Sprintf("%.2e", found.KL)
	if found.Sequences > 0 {
		kl += fmt.Sprintf(" ± %.0e", found.KLError)
	}
	printf(out, "KL to the optimum, mean over positions: %s nats\n", kl)
}

// sampled writes an R², with its error if there is one of sampling.
func (found probed) sampled(x, standardError float64) string {
	if found.Sequences == 0 {
		return fmt.Sprintf("%.5f", x)
	}
	return plusMinus("%.5f", probe.Estimate{Mean: x, Error: standardError})
}

func plusMinus(format string, e probe.Estimate) string {
	return fmt.Sprintf(format+" ± "+format, e.Mean, e.Error)
}

func (found probed) printScores(w io.Writer) {
	printf(w, "features\tR²\tRMSE\trandom init\tshuffled\n")
	for _, s := range found.Stages {
		r2 := found.sampled(s.R2, s.R2Error)
		printf(w, "%s\t%s\t%.5f\t%.5f\t%.5f\n", s.Stage, r2, s.RMSE, s.Random, s.Shuffled)
	}
	for _, s := range found.Controls {
		printf(w, "%s\t%s\t%.5f\t\t\n", s.Features, found.sampled(s.R2, s.R2Error), s.RMSE)
	}
	printf(w, "\n")
}

// printPositions prints R² by position, where each has its own fit.
func (found probed) printPositions(w io.Writer) {
	if len(found.Stages[0].R2Position) == 0 {
		return
	}
	printf(w, "R² after tokens")
	for _, s := range found.Stages {
		printf(w, "\t%s", s.Stage)
	}
	printf(w, "\n")
	for t := range found.Stages[0].R2Position {
		printf(w, "%d", t+1)
		for _, s := range found.Stages {
			printf(w, "\t%.5f", s.R2Position[t])
		}
		printf(w, "\n")
	}
	printf(w, "\n")
}

func (found probed) printSteered(w io.Writer) {
	if len(found.Steered) == 0 {
		return
	}
	printf(w, "KL to the target's optimum\tunchanged\tshortest change\vrandom direction\vof the spread\t"+
		"likeliest change\vrandom direction\vof the spread\n")
	for _, s := range found.Steered {
		printf(w, "%s\t%s", s.Stage, plusMinus("%.4f", s.Unchanged))
		for _, m := range []probe.Moved{s.Shortest, s.Likeliest} {
			along, random := plusMinus("%.4f", m.Along), plusMinus("%.4f", m.Random)
			printf(w, "\t%s\t%s\t%.3f", along, random, m.Distance.Mean/s.Spread)
		}
		printf(w, "\n")
	}
	printf(w, "\n")
}
