package probe

import (
	"context"
	"errors"

	"foretell/internal/strict"
	"foretell/process"
	"foretell/theory"

	"gonum.org/v1/gonum/floats"
)

// Target is the output of a regression: some numbers for each prefix.
type Target struct {
	Name  string // one word, such as "next", which identifies the target in a [Plan]
	Title string // for use in a sentence, such as "next-token distributions"

	ofStates bool // exists only for a process with hidden states
	of       func(ctx context.Context, p *process.Prefixes) (Table, error)
}

// The targets that a process defines.
var (
	// Beliefs are the probabilities of the hidden states after the prefix, (n) for an HMM
	// with n states.
	Beliefs = Target{
		Name: "beliefs", Title: "beliefs", ofStates: true,
		of: func(_ context.Context, p *process.Prefixes) (Table, error) { return stateTable(p, p.Beliefs) },
	}
	// Constrained are the constrained beliefs, (n) for an HMM with n states: the part of the
	// beliefs that a single layer of attention can represent (Piotrowski et al. 2025, Eq.
	// 26).
	Constrained = Target{
		Name: "constrained", Title: "constrained beliefs", ofStates: true,
		of: func(_ context.Context, p *process.Prefixes) (Table, error) { return stateTable(p, p.Constrained) },
	}
	// Linear are the linear beliefs, (n) for an HMM with n states: the best approximation of
	// the beliefs by a sum of functions of (position, token) ([theory.LinearFilter]).
	// Attention that ignores tokens can compute such sums.
	Linear = Target{
		Name: "linear", Title: "linear beliefs", ofStates: true,
		of: func(ctx context.Context, p *process.Prefixes) (Table, error) {
			linear, err := theory.LinearPrefixes(ctx, p)
			if err != nil {
				return Table{}, err
			}
			return stateTable(p, linear)
		},
	}
	// NextTokens are the optimal next-token distributions, (A), for any process.
	NextTokens = Target{
		Name: "next", Title: "next-token distributions",
		of: func(_ context.Context, p *process.Prefixes) (Table, error) {
			return Table{Data: p.Next, Width: p.Alphabet}, nil
		},
	}
)

// namedTargets are the targets that [ParseTarget] can return.
var namedTargets = []Target{Beliefs, Constrained, Linear, NextTokens}

// TargetNames lists the names that [ParseTarget] accepts.
func TargetNames() (names []string) {
	for _, t := range namedTargets {
		names = append(names, t.Name)
	}
	return names
}

// ParseTarget returns the target with a name: beliefs, constrained, linear or next. For
// any other text it returns an error that lists these names.
func ParseTarget(name string) (Target, error) {
	for _, t := range namedTargets {
		if t.Name == name {
			return t, nil
		}
	}
	return Target{}, errors.New(strict.NotOneOf(name, TargetNames()))
}

// tableTarget returns a table of numbers as a target. It has a row for each prefix, in
// the order of the prefixes.
func tableTarget(name string, t Table) Target {
	of := func(context.Context, *process.Prefixes) (Table, error) { return t, nil }
	return Target{Name: name, Title: name, of: of}
}

// Of returns the target's numbers, (rows, any), with a row for each prefix in p; they
// share memory with p if p holds them. It returns [ErrNoBeliefs] if the target needs
// beliefs and the process has no beliefs, and an error if ctx ends.
func (t Target) Of(ctx context.Context, p *process.Prefixes) (Table, error) {
	return t.of(ctx, p)
}

// ErrNoBeliefs is the error of [Beliefs], [Constrained] and [Linear] for a process
// without beliefs.
var ErrNoBeliefs = errors.New("probe: the process is not a hidden Markov model, so it has no beliefs; " +
	"its next tokens can be probed")

// stateTable returns a table with a column for each state, or [ErrNoBeliefs].
func stateTable(p *process.Prefixes, data []float64) (Table, error) {
	if p.States == 0 || len(data) == 0 {
		return Table{}, ErrNoBeliefs
	}
	return Table{Data: data, Width: p.States}, nil
}

// named reports whether u has the name of t.
func (t Target) named(u Target) bool { return t.Name == u.Name }

// Varies reports whether the target differs between prefixes that can occur, so that
// there is something to read. It returns the errors of [Target.Of].
func (t Target) Varies(ctx context.Context, p *process.Prefixes) (bool, error) {
	y, err := t.Of(ctx, p)
	return err == nil && !y.constant(p.Prob), err
}

// constant reports whether all prefixes that can occur have the same numbers, up to
// rounding.
func (t Table) constant(prob []float64) bool {
	first := -1
	for row, p := range prob {
		if p == 0 {
			continue
		}
		if first < 0 {
			first = row
		}
		if !floats.EqualApprox(t.Row(row), t.Row(first), 1e-12) {
			return false
		}
	}
	return true
}
