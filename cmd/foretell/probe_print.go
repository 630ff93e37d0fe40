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
		fmt.Fprintf(out, "%s of %s over %d words that begin %d sampled sequences of %d tokens, "+
			"in %d groups (± standard error over these)\n", found.title, process, found.Words, p.Sequences, p.Length, p.Groups)
	} else {
		fmt.Fprintf(out, "%s of %s over %d words of up to %d tokens\n", found.title, process, found.Words, p.Length)
	}
	fmt.Fprintf(out, "R²: %s\n\n", found.Convention)
	found.printScores(out)
	found.printPositions(out)
	found.printSteered(out)
	kl := found.sampled("%.2e", found.KL, found.KLError)
	fmt.Fprintf(out, "KL to the optimum, mean over positions: %s nats\n", kl)
}

// sampled writes a number, with its error if there is one of sampling.
func (found probed) sampled(format string, x, standardError float64) string {
	if found.Sequences == 0 {
		return fmt.Sprintf(format, x)
	}
	return plusMinus(format, probe.Estimate{Mean: x, Error: standardError})
}

func plusMinus(format string, e probe.Estimate) string {
	return fmt.Sprintf(format+" ± "+format, e.Mean, e.Error)
}

func (found probed) printScores(w io.Writer) {
	fmt.Fprintln(w, "features\tR²\tRMSE\trandom init\tshuffled")
	for _, s := range found.Stages {
		r2 := found.sampled("%.5f", s.R2, s.R2Error)
		fmt.Fprintf(w, "%s\t%s\t%.5f\t%.5f\t%.5f\n", s.Stage, r2, s.RMSE, s.Random, s.Shuffled)
	}
	for _, s := range found.Controls {
		fmt.Fprintf(w, "%s\t%s\t%.5f\t\t\n", s.Features, found.sampled("%.5f", s.R2, s.R2Error), s.RMSE)
	}
	fmt.Fprintln(w)
}

// printPositions prints R² by position, where each has its own fit.
func (found probed) printPositions(w io.Writer) {
	if len(found.Stages[0].R2Position) == 0 {
		return
	}
	fmt.Fprint(w, "R² at position")
	for _, s := range found.Stages {
		fmt.Fprint(w, "\t"+s.Stage)
	}
	fmt.Fprintln(w)
	for t := range found.Stages[0].R2Position {
		fmt.Fprint(w, t+1)
		for _, s := range found.Stages {
			fmt.Fprintf(w, "\t%.5f", s.R2Position[t])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

func (found probed) printSteered(w io.Writer) {
	if len(found.Steered) == 0 {
		return
	}
	fmt.Fprintln(w, "KL to the target's optimum\tunchanged\tshortest change\trandom direction\tof the spread\t"+
		"likeliest change\trandom direction\tof the spread")
	for _, s := range found.Steered {
		fmt.Fprintf(w, "%s\t%s", s.Stage, plusMinus("%.4f", s.Unchanged))
		for _, m := range []probe.Moved{s.Shortest, s.Likeliest} {
			along, random := plusMinus("%.4f", m.Along), plusMinus("%.4f", m.Random)
			fmt.Fprintf(w, "\t%s\t%s\t%.3f", along, random, m.Distance.Mean/s.Spread)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
