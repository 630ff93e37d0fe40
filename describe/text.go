package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/document"
	"foretell/internal/text"
)

// text returns everything that is known about a process. Matrices too large to read come
// last.
func (d *Description) text() []document.Section {
	sections, matrices := d.head(), d.matrices()
	if !d.Large() {
		sections = append(sections, matrices...)
	}
	sections = append(sections, document.Section{
		Facts: slices.Concat(d.stateFacts(), d.LimitFacts(), d.beliefFacts()),
	})
	if d.Spectrum != nil {
		sections = append(sections, d.Spectrum.text()...)
	}
	rest := slices.Concat(d.LinearFacts(), d.notComputed())
	sections = append(sections, document.Section{Facts: rest}, document.Section{Text: noteLines(d.Notes)})
	if d.Large() {
		sections = append(sections, matrices...)
	}
	if d.Large() && d.flags.JSON != "" {
		sections = append(sections, document.Section{Text: []string{d.flags.JSON + " has all entries of the matrices"}})
	}
	return sections
}

// head returns the name, the size, the summary and the parameters.
func (d *Description) head() []document.Section {
	name := []string{d.Name}
	params := document.Texts("", nil)
	for _, p := range d.Parameters {
		name = append(name, p.Name+"="+ValueText(p.Value))
		params.Rows = append(params.Rows, []string{
			p.Name + " = " + ValueText(p.Value), "in " + p.Range, "default " + ValueText(p.Default), p.Summary,
		})
	}
	size := text.Count(len(d.Tokens), "token")
	if d.States != nil {
		size = text.Count(len(d.States), "state") + ", " + size
	}
	if d.Generalised {
		size += ", generalised"
	}
	about := []string{strings.Join(name, " ") + ": " + size, d.Summary}
	sections := []document.Section{{Text: append(about, d.Rules...)}}
	if params.Rows != nil {
		sections = append(sections, document.Section{Tables: []document.Table{params}})
	}
	return sections
}

// text returns the eigenvalues of the transition matrix T, and the attention that theory
// predicts.
func (s *Spectrum) text() []document.Section {
	facts := []document.Fact{s.needed()}
	what := "  their attention at lag 0, 1, 2, …"
	for i, head := range s.Predicted {
		facts = append(facts, fact(what, fmt.Sprintf("head %d: %s", i, sideBySide(head.byLag()))))
		what = ""
	}
	return []document.Section{
		{
			Text:   []string{"how memory decays with lag n, and the attention that tracks it (spectrum of T)"},
			Tables: []document.Table{s.modes("  ")},
		},
		{Facts: facts},
	}
}

// modes returns a table with a row for each eigenvalue. Its lines begin with indent.
func (s *Spectrum) modes(indent string) document.Table {
	t := document.Texts("The spectrum of T", []string{
		indent + "eigenvalue λ", "times", "|λ|", "phase", "index", "heads", "attention to lag n",
	})
	for _, m := range s.Modes {
		cells := m.cells()
		cells[0] = indent + cells[0]
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// needed returns the number of attention heads that theory asks for in one layer.
func (s *Spectrum) needed() document.Fact {
	return fact("attention heads needed", fmt.Sprintf(
		"%d (for the next token only %d; for the belief over states %d; with separate heads for each mode %d)",
		s.Heads.Future, s.Heads.Next, s.Heads.Belief, s.Heads.Separate))
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
