package process

import (
	"fmt"
	"math"
	"strings"
)

// Kind tells one sort of Problem from another.
type Kind string

// The faults, with which the tables are not an HMM with one stationary
// distribution. New refuses them. (A table whose rows sum to one has at least one
// stationary distribution, so "none" is always reported as a row.)
const (
	BadShape       Kind = "shape"       // a matrix has the wrong size, or there is no token or no state
	BadName        Kind = "name"        // a token or state has no name, or shares one
	BadEntry       Kind = "entry"       // an entry is negative, infinite or not a number
	BadRow         Kind = "row-sum"     // the probabilities that leave a state do not sum to one
	ManyStationary Kind = "non-ergodic" // several sets of states are never left: many stationary distributions
)

// The notes: the HMM is valid, but perhaps not what was meant.
const (
	UnreachableState Kind = "unreachable-state" // the state has probability zero in the stationary distribution
	UnusedToken      Kind = "unused-token"      // the token never occurs
	DuplicateStates  Kind = "duplicate-states"  // no word tells the states apart
	VisibleStates    Kind = "visible-states"    // the last token gives the state
	FirstOrder       Kind = "first-order"       // the last token gives the belief
)

// Problem is one finding of Check.
type Problem struct {
	Kind    Kind   `json:"kind"`
	Invalid bool   `json:"invalid"` // a fault that New refuses; otherwise a note
	Text    string `json:"text"`    // one line that names the state or token
}

const (
	// rowSumTolerance is how far the probabilities that leave a state may be
	// from summing to one. New divides by the sum.
	rowSumTolerance = 1e-9
	// sameProbability is the difference up to which the notes count two
	// probabilities as one.
	sameProbability = 1e-12
)

// Check lists what is wrong with, or remarkable about, the labelled transition
// matrices that New would be given: matrices[z][i][j] = T^z[i,j]. Each sort of
// problem is looked for once those before it are out of the way: shapes, then names
// and entries, then stationary distributions, and the notes in a table without any
// fault. The order is fixed. An empty list is a clean bill.
func Check(tokens, states []string, matrices [][][]float64) []Problem {
	if problems := checkShape(tokens, states, matrices); len(problems) > 0 {
		return problems
	}
	problems := append(checkNames("token", tokens), checkNames("state", states)...)
	problems = append(problems, checkEntries(tokens, states, matrices)...)
	if len(problems) > 0 {
		return problems
	}
	n := len(states)
	t := tables{tokens: tokens, states: states, matrices: normalised(matrices, n)}
	t.net = sum(t.matrices)
	if classes := recurrentClasses(t.net, n); len(classes) > 1 {
		return []Problem{fault(ManyStationary,
			"%s are sets of states that are never left, so there is a stationary distribution for each: want exactly one such set",
			t.describe(classes))}
	}
	t.pi = stationary(t.net, n)
	return t.notes()
}

// Check lists the notes about a valid HMM; see the function Check.
func (h *HMM) Check() []Problem {
	return tables{h.tokens, h.states, h.matrices, h.net, h.pi}.notes()
}

// firstInvalid returns the first fault as an error of one line that counts the
// other faults, or nil when there is none.
func firstInvalid(name string, problems []Problem) error {
	var faults []Problem
	for _, p := range problems {
		if p.Invalid {
			faults = append(faults, p)
		}
	}
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: %s", name, faults[0].Text)
	case 2:
		return fmt.Errorf("%s: %s (and 1 more fault)", name, faults[0].Text)
	}
	return fmt.Errorf("%s: %s (and %d more faults)", name, faults[0].Text, len(faults)-1)
}

func fault(kind Kind, format string, args ...any) Problem {
	return Problem{Kind: kind, Invalid: true, Text: fmt.Sprintf(format, args...)}
}

func note(kind Kind, format string, args ...any) Problem {
	return Problem{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

func checkNames(what string, names []string) []Problem {
	var problems []Problem
	first := map[string]int{}
	for i, name := range names {
		if j, ok := first[name]; ok {
			problems = append(problems, fault(BadName, "%ss %d and %d are both named %q", what, j, i, name))
			continue
		}
		first[name] = i
		if strings.TrimSpace(name) == "" {
			problems = append(problems, fault(BadName, "%s %d has no name", what, i))
		}
	}
	return problems
}

func checkShape(tokens, states []string, matrices [][][]float64) []Problem {
	switch {
	case len(tokens) == 0:
		return []Problem{fault(BadShape, "there is no token: want at least one")}
	case len(states) == 0:
		return []Problem{fault(BadShape, "there is no state: want at least one")}
	case len(matrices) != len(tokens):
		return []Problem{fault(BadShape, "there are %d matrices for %d tokens", len(matrices), len(tokens))}
	}
	n := len(states)
	var problems []Problem
	for z, m := range matrices {
		if len(m) != n {
			problems = append(problems, fault(BadShape, "token %s: its matrix has %d rows, want one for each of %d states", tokens[z], len(m), n))
			continue
		}
		for i, row := range m {
			if len(row) != n {
				problems = append(problems, fault(BadShape, "token %s: row %s of its matrix has %d entries, want one for each of %d states",
					tokens[z], states[i], len(row), n))
			}
		}
	}
	return problems
}

func checkEntries(tokens, states []string, matrices [][][]float64) []Problem {
	var problems []Problem
	for i, state := range states {
		total, sound := 0.0, true
		for z, m := range matrices {
			for j, p := range m[i] {
				total += p
				if p < 0 || math.IsNaN(p) || math.IsInf(p, 0) {
					sound = false
					problems = append(problems, fault(BadEntry, "state %s: its probability to emit %s and go to %s is %g, want a number of at least 0",
						state, tokens[z], states[j], p))
				}
			}
		}
		if sound && math.Abs(total-1) > rowSumTolerance {
			problems = append(problems, fault(BadRow, "state %s: its probabilities sum to %.10g, want 1", state, total))
		}
	}
	return problems
}
