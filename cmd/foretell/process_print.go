package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"foretell/inspect"
	"foretell/internal/plural"
	"foretell/process"
)

// printDescription prints all that is known of a process.
func printDescription(out io.Writer, d *inspect.Description) {
	printHead(out, d)
	for _, token := range d.Tokens {
		if d.Matrices == nil {
			break
		}
		what := fmt.Sprintf("Pr(emit %s, go to j | in i)", token)
		if d.Generalised {
			what = "the generalised matrix of token " + token
		}
		printf(out, "\nT^%s[i,j] = %s\n", token, what)
		for i, row := range d.Matrices[token] {
			printf(out, "  %s  %s\n", d.States[i], numbers(row))
		}
	}
	printf(out, "\n")
	if d.Generalised {
		fact(out, "right vector r", "%s", numbers(d.Right))
	}
	if d.Stationary != nil {
		fact(out, "stationary distribution", "%s", numbers(d.Stationary))
	}
	printEntropies(out, d)
	printCeiling(out, d)
	printBeliefs(out, d)
	if d.Spectrum != nil {
		printSpectrum(out, d.Spectrum)
	}
	for _, f := range d.LinearFacts() {
		fact(out, f.Name, "%s", f.Text)
	}
	for _, n := range d.Notes {
		printf(out, "note: %s\n", n.Text)
	}
}

// printHead prints the name, the size, the summary and the parameters.
func printHead(out io.Writer, d *inspect.Description) {
	name := []string{d.Name}
	for _, p := range d.Parameters {
		name = append(name, p.Name+"="+process.FormatValue(p.Value))
	}
	size := plural.Count(len(d.Tokens), "token")
	if d.States != nil {
		size = plural.Count(len(d.States), "state") + ", " + size
	}
	if d.Generalised {
		size += ", generalised"
	}
	printf(out, "%s: %s\n%s\n", strings.Join(name, " "), size, d.Summary)
	for i, p := range d.Parameters {
		if i == 0 {
			printf(out, "\n")
		}
		printf(out, "%s = %s\tin %s\tdefault %s\t%s\n",
			p.Name, process.FormatValue(p.Value), p.Range, process.FormatValue(p.Default), p.Summary)
	}
}

// printEntropies prints the limits.
func printEntropies(out io.Writer, d *inspect.Description) {
	estimated := ""
	if d.Estimated {
		estimated = ", estimated"
	}
	fact(out, "entropy rate", "%s nats (± %.1g%s)", number(d.EntropyRate), d.EntropyRateError, estimated)
	if d.ExcessEntropy != nil {
		fact(out, "excess entropy", "%s nats (± %.1g%s)", number(*d.ExcessEntropy), *d.ExcessEntropyError, estimated)
	} else if d.NoExcessEntropy != "" {
		fact(out, "excess entropy", "%s", d.NoExcessEntropy)
	}
	fact(out, "chance", "%s nats", number(d.Chance))
}

// printCeiling prints the greatest accuracy of a signal.
func printCeiling(out io.Writer, d *inspect.Description) {
	c := d.Ceiling
	if c == nil {
		if d.CeilingError != "" {
			fact(out, "accuracy ceiling", "%s", d.CeilingError)
		}
		return
	}
	fact(out, "accuracy ceiling", "%s, mean over the tokens 2 … %d", number(c.Accuracy), c.Context+1)
	if c.Retrieval != nil {
		fact(out, "retrieval steps", "%s of these tokens; on them alone the ceiling is 1", number(*c.Retrieval))
	}
}

// printBeliefs prints what is known of the beliefs.
func printBeliefs(out io.Writer, d *inspect.Description) {
	b := d.Beliefs
	if b == nil {
		fact(out, "beliefs", "%s", d.BeliefsError)
		return
	}
	fact(out, "beliefs", "%d recurrent, %d transient", b.Recurrent, b.Transient)
	fact(out, "belief entropy", "%s nats", number(b.Entropy))
	fact(out, "statistical complexity", "%s nats", number(b.StatisticalComplexity))
}

// printSpectrum prints the modes of T and the attention that theory asks for.
func printSpectrum(out io.Writer, s *inspect.Spectrum) {
	printf(out, "\nspectrum of T (what one layer of attention has to do, by the lag n)\n")
	for _, m := range s.Modes {
		sign := ""
		if m.Pair {
			sign = fmt.Sprintf(" ± %si", number(m.Eigenvalue[1]))
		}
		printf(out, "  λ = %s%s\t×%d\t|λ| %s\tphase %s\tindex %d\t%s\t%s\n",
			number(m.Eigenvalue[0]), sign, m.Multiplicity, number(m.Modulus), number(m.Phase),
			m.Index, plural.Count(m.Heads, "head"), m.Attention)
	}
	fact(out, "attention heads",
		"%d (for the next token alone %d; for the belief over states %d; with heads of its own for each mode %d)",
		s.Heads.Future, s.Heads.Next, s.Heads.Belief, s.Heads.Separate)
	what := "  by lag 0, 1, 2 …"
	for i, head := range s.Predicted {
		last := slices.Clone(head.Pattern[len(head.Pattern)-1])
		slices.Reverse(last)
		fact(out, what, "head %d: %s", i, numbers(last))
		what = ""
	}
}
