package probe

import (
	"context"
	"errors"

	"foretell/internal/strict"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// Target is what is read from features: some numbers for each word.
type Target struct {
	Name  string // one word, such as "next"
	Title string // in a sentence, such as "next-token distributions"

	ofStates bool // of a process that has them
	of       func(ctx context.Context, p *process.Prefixes) (Table, error)
}

// What a process knows of a word, and a model may.
var (
	// Beliefs are the probabilities of the states after the word, (n) of an HMM.
	Beliefs = Target{
		Name: "beliefs", Title: "beliefs", ofStates: true,
		of: func(_ context.Context, p *process.Prefixes) (Table, error) { return stateTable(p, p.Beliefs) },
	}
	// Constrained are the constrained beliefs, (n) of an HMM: what a single layer of
	// attention can know of them (Piotrowski et al. 2025, Eq. 26).
	Constrained = Target{
		Name: "constrained", Title: "constrained beliefs", ofStates: true,
		of: func(_ context.Context, p *process.Prefixes) (Table, error) { return stateTable(p, p.Constrained) },
	}
	// Linear are the linear beliefs, (n) of an HMM: of all sums of functions of (position,
	// token), which attention that does not look at tokens can build, the nearest to the
	// beliefs ([process.LinearFilter]).
	Linear = Target{
		Name: "linear", Title: "linear beliefs", ofStates: true,
		of: func(ctx context.Context, p *process.Prefixes) (Table, error) {
			linear, err := p.Linear(ctx)
			if err != nil {
				return Table{}, err
			}
			return stateTable(p, linear)
		},
	}
	// NextTokens are the optimal next-token distribution, (A), of any process.
	NextTokens = Target{
		Name: "next", Title: "next-token distributions",
		of: func(_ context.Context, p *process.Prefixes) (Table, error) {
			return Table{Data: p.Next, Width: p.Alphabet}, nil
		},
	}
)

// namedTargets are those that a name stands for.
var namedTargets = []Target{Beliefs, Constrained, Linear, NextTokens}

// TargetNames lists the names of [ParseTarget].
func TargetNames() (names []string) {
	for _, t := range namedTargets {
		names = append(names, t.Name)
	}
	return names
}

// ParseTarget returns the target of a name: beliefs, constrained, linear or next.
// Another name is an error that lists them.
func ParseTarget(name string) (Target, error) {
	for _, t := range namedTargets {
		if t.Name == name {
			return t, nil
		}
	}
	return Target{}, errors.New(strict.NotOneOf(name, TargetNames()))
}

// TableTarget is any table of numbers with a row for each word, in the order of the
// words.
func TableTarget(name string, t Table) Target {
	return Target{Name: name, Title: name, of: func(context.Context, *process.Prefixes) (Table, error) { return t, nil }}
}

// Of returns the target of every word, a view where the words hold it: (rows, any). It
// is an error, [ErrNoBeliefs], where a process has no beliefs, and when ctx ends.
func (t Target) Of(ctx context.Context, p *process.Prefixes) (Table, error) {
	return t.of(ctx, p)
}

// ErrNoBeliefs is the error of [Beliefs], [Constrained] and [Linear] where the words are
// of a process that has none.
var ErrNoBeliefs = errors.New("probe: the process has no beliefs, as hidden Markov models have; " +
	"its next tokens can be probed")

// stateTable returns a table of a column for each state.
func stateTable(p *process.Prefixes, data []float64) (Table, error) {
	if p.States == 0 || len(data) == 0 {
		return Table{}, ErrNoBeliefs
	}
	return Table{Data: data, Width: p.States}, nil
}

// Varies says whether the target differs between words that can occur, so that there is
// something to read. It has the errors of [Target.Of].
func (t Target) Varies(ctx context.Context, p *process.Prefixes) (bool, error) {
	y, err := t.Of(ctx, p)
	return err == nil && !y.constant(p.Prob), err
}

// constant says whether all words that can occur have the same numbers, to rounding.
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
