package inspect

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/plural"
	"foretell/internal/printable"
)

// WriteText writes everything that is known about a process as text, with tabs between
// the cells of columns. Matrices too large to read come last. WriteText ignores write
// errors; a buffered out returns them when it is flushed.
func (d *Description) WriteText(out io.Writer) {
	printHead(out, d)
	if !d.Large() {
		printMatrices(out, d)
	}
	printFacts(out, slices.Concat(d.stateFacts(), d.LimitFacts(), d.beliefFacts()))
	if d.Spectrum != nil {
		printSpectrum(out, d.Spectrum)
	}
	printFacts(out, slices.Concat(d.LinearFacts(), d.notComputed()))
	if len(d.Notes) > 0 {
		printable.Fprintf(out, "\n")
	}
	for _, note := range problemLines(d.Notes) {
		printable.Fprintf(out, "note: %s\n", note)
	}
	if d.Large() {
		printMatrices(out, d)
		printable.Fprintf(out, "\n--json has all entries of the matrices\n")
	}
}

func printMatrices(out io.Writer, d *Description) {
	for _, line := range d.MatrixLines() {
		printable.Fprintf(out, "%s\n", line)
	}
}

// printFacts prints facts as a separate table.
func printFacts(out io.Writer, facts []Fact) {
	if len(facts) > 0 {
		printable.Fprintf(out, "\n")
	}
	for _, f := range facts {
		printable.Fprintf(out, "%s\t%s\n", f.Name, f.Text)
	}
}

// printHead prints the name, the size, the summary and the parameters.
func printHead(out io.Writer, d *Description) {
	name := []string{d.Name}
	for _, p := range d.Parameters {
		name = append(name, p.Name+"="+ValueText(p.Value))
	}
	size := plural.Count(len(d.Tokens), "token")
	if d.States != nil {
		size = plural.Count(len(d.States), "state") + ", " + size
	}
	if d.Generalised {
		size += ", generalised"
	}
	printable.Fprintf(out, "%s: %s\n%s\n", strings.Join(name, " "), size, d.Summary)
	for _, rule := range d.Rules {
		printable.Fprintf(out, "%s\n", rule)
	}
	for i, p := range d.Parameters {
		if i == 0 {
			printable.Fprintf(out, "\n")
		}
		printable.Fprintf(out, "%s = %s\tin %s\tdefault %s\t%s\n",
			p.Name, ValueText(p.Value), p.Range, ValueText(p.Default), p.Summary)
	}
}

// printSpectrum prints the eigenvalues of the transition matrix T, and the attention that
// theory predicts.
func printSpectrum(out io.Writer, s *Spectrum) {
	printable.Fprintf(out, "\nhow memory decays with lag n, and the attention that tracks it (spectrum of T)\n"+
		"  eigenvalue λ\ttimes\t|λ|\tphase\tindex\theads\tattention to lag n\n")
	for _, m := range s.Modes {
		for i, cell := range m.cells() {
			if i > 0 {
				printable.Fprintf(out, "\t")
			} else {
				printable.Fprintf(out, "  ")
			}
			printable.Fprintf(out, "%s", cell) // %s escapes tabs in the cell
		}
		printable.Fprintf(out, "\n")
	}
	facts := []Fact{s.needed()}
	what := "  their attention at lag 0, 1, 2, …"
	for i, head := range s.Predicted {
		facts = append(facts, Fact{what, fmt.Sprintf("head %d: %s", i, sideBySide(head.byLag()))})
		what = ""
	}
	printFacts(out, facts)
}

// needed returns the number of attention heads that theory asks for in one layer.
func (s *Spectrum) needed() Fact {
	return Fact{"attention heads needed", fmt.Sprintf(
		"%d (for the next token only %d; for the belief over states %d; with separate heads for each mode %d)",
		s.Heads.Future, s.Heads.Next, s.Heads.Belief, s.Heads.Separate)}
}

// cells returns a row for an eigenvalue of T: the eigenvalue λ, its multiplicity, |λ|,
// phase and index, the number of heads that it needs, and their attention by lag.
func (m Mode) cells() []string {
	eigenvalue := sixDigits(m.Eigenvalue[0])
	if m.Pair {
		eigenvalue += fmt.Sprintf(" ± %si", sixDigits(m.Eigenvalue[1]))
	}
	return []string{
		eigenvalue, strconv.Itoa(m.Multiplicity), sixDigits(m.Modulus), sixDigits(m.Phase), strconv.Itoa(m.Index),
		strconv.Itoa(m.Heads), m.Attention,
	}
}

// byLag returns the attention from the last position to the position at each lag 0, 1, ….
func (h Head) byLag() []float64 {
	last := slices.Clone(h.Pattern[len(h.Pattern)-1])
	slices.Reverse(last)
	return last
}
