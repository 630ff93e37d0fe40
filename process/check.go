package process

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/internal/text"
)

// Fault says which fault or note a Problem is.
type Fault string

// The faults. Tables with a fault do not define an HMM with exactly one stationary
// distribution, and New and NewGeneralised refuse them. (A table of probabilities whose
// rows sum to one has at least one stationary distribution, but float64 may be too coarse
// to compute it; a generalised HMM need not have one.)
const (
	BadShape       Fault = "shape"         // a matrix has the wrong size, or there are no tokens or no states
	BadName        Fault = "name"          // a token or state has no name, or the same name as another
	BadEntry       Fault = "entry"         // an entry is negative, infinite or not a number
	BadRow         Fault = "row-sum"       // the probabilities of leaving a state do not sum to one: Tr ≠ r
	NoStationary   Fault = "no-stationary" // no π satisfies πT = π and πr = 1
	ManyStationary Fault = "non-ergodic"   // several closed sets of states: many stationary distributions
	NegativeWord   Fault = "negative-word" // a sequence of a generalised HMM has a negative probability
)

// The notes: the HMM is valid, but may not be what was intended.
const (
	UnreachableState Fault = "unreachable-state" // the state has probability zero in the stationary distribution
	UnusedToken      Fault = "unused-token"      // the token never occurs
	DuplicateStates  Fault = "duplicate-states"  // every sequence is equally likely from each of the states
	VisibleStates    Fault = "visible-states"    // the last token, or the last few, determine the state
	FirstOrder       Fault = "first-order"       // the last token determines the belief
	// WordsLookedAt says up to which length no sequence of a generalised HMM has a
	// negative probability.
	WordsLookedAt Fault = "words-looked-at"
)

// Problem is one finding of Check.
type Problem struct {
	Kind    Fault  `json:"kind"`
	Invalid bool   `json:"invalid"` // a fault that New refuses; otherwise a note
	Text    string `json:"text"`    // one line that names the state or token
	// Token is the name of the token that the problem concerns, or empty if it concerns no
	// token or several.
	Token string `json:"token,omitempty"`

	at place // where a fault is; not set for a note
}

// place is the place of a fault in the matrices: the indices of the token and the
// state, each plus one, or 0 for all of them. If right is set, the fault is in the
// right vector.
type place struct {
	token, state int
	right        bool
}

const (
	// rowSumTolerance is how far the sum of the probabilities of leaving a state may be from
	// one; New divides by the sum. For a generalised HMM it is relative to the mean size of
	// the two sides of Tr = r.
	rowSumTolerance = 1e-9
	// leastRight and mostRight bound the size of the largest entry of a right vector, to
	// keep squares of beliefs within the range of float64.
	leastRight, mostRight = 1e-100, 1e100
	// sameProbability is the largest difference between two probabilities that the notes
	// treat as equal.
	sameProbability = 1e-12
)

// Check lists faults of the labelled transition matrices that would be passed to New, and
// notes about them: matrices[z][i][j] = T^z[i,j]. It looks for problems in this order:
// shapes, then names and entries, then stationary distributions, then notes. It stops
// after the first of these checks that finds a fault. The order of problems is fixed. The
// list is empty if there is nothing to report. Check returns an error if ctx ends.
func Check(ctx context.Context, tokens, states []string, matrices [][][]float64) ([]Problem, error) {
	t, faults := plainTable(tokens, states, matrices)
	if len(faults) > 0 {
		return faults, nil
	}
	return t.notes(ctx)
}

// plainTable makes the table of an HMM that is not generalised, or returns its faults.
func plainTable(tokens, states []string, matrices [][][]float64) (t table, faults []Problem) {
	if faults := checkShape(tokens, states, matrices); len(faults) > 0 {
		return t, faults
	}
	faults = append(checkNames("token", tokens), checkNames("state", states)...)
	faults = append(faults, checkEntries(tokens, states, matrices)...)
	if len(faults) > 0 {
		return t, faults
	}
	n := len(states)
	t = table{tokens: tokens, states: states, matrices: normalised(matrices, n), right: ones(n)}
	net := sum(t.matrices)
	if classes := recurrentClasses(net, n); len(classes) > 1 {
		return t, []Problem{fault(ManyStationary,
			"the sets of states %s are never left, so each has its own stationary distribution: "+
				"want exactly one such set",
			t.describe(classes))}
	}
	pi, ok := stationary(net, n)
	if !ok {
		return t, []Problem{fault(NoStationary, "the stationary distribution %s", beyondFloat64)}
	}
	t.pi = pi
	return t, nil
}

// CheckGeneralised does the same as Check for the arguments of NewGeneralised. It also
// looks for sequences of negative probability, shortest sequences first, until they have
// led to 10,000 different beliefs. A note says up to which length it examined them.
// (Whether any sequence has a negative probability cannot be decided in general: Denisov
// and Paz; Wiewiora 2008.)
func CheckGeneralised(ctx context.Context, tokens, states []string, matrices [][][]float64,
	right []float64,
) ([]Problem, error) {
	t, faults := generalisedTable(tokens, states, matrices, right)
	if len(faults) > 0 {
		return faults, nil
	}
	return t.notes(ctx)
}

// generalisedTable does the same as plainTable for a generalised HMM.
func generalisedTable(tokens, states []string, matrices [][][]float64, right []float64) (t table, faults []Problem) {
	faults = checkShape(tokens, states, matrices)
	if len(faults) == 0 && len(right) != len(states) {
		faults = []Problem{fault(BadShape, "right has %d entries, want one for each of %d states",
			len(right), len(states))}
	}
	if len(faults) > 0 {
		return t, faults
	}
	faults = append(checkNames("token", tokens), checkNames("state", states)...)
	faults = append(faults, checkGeneralisedEntries(tokens, states, matrices, right)...)
	if len(faults) > 0 {
		return t, faults
	}
	t = table{generalised: true, tokens: tokens, states: states, right: slices.Clone(right)}
	for _, m := range matrices {
		t.matrices = append(t.matrices, slices.Concat(m...))
	}
	pi, problem := t.stationary()
	if problem != nil {
		return t, []Problem{*problem}
	}
	t.pi = pi
	found := assemble("", t).searchSequences(searchBudget)
	if found.negative != nil {
		return t, []Problem{fault(NegativeWord, "the sequence %s has probability %.4g, "+
			"want at least 0 (found among the sequences of up to %s)",
			t.spell(found.negative), found.probability, text.Count(len(found.negative), "token"))}
	}
	return t, nil
}

// Check lists the notes about a valid HMM; see the functions Check and CheckGeneralised.
// It returns an error if ctx ends.
func (h *HMM) Check(ctx context.Context) ([]Problem, error) { return h.table().notes(ctx) }

// firstInvalid returns the first fault as an error of one line with the number of other
// faults, or nil if there are no faults.
func firstInvalid(name string, faults []Problem) error {
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

// longestName is the length in bytes at which names are cut in the text of a fault. Every
// matrix entry may have a fault, and each fault would repeat a long name.
const longestName = 300

func fault(kind Fault, format string, args ...any) Problem {
	for i, arg := range args {
		if name, ok := arg.(string); ok && len(name) > longestName {
			args[i] = strings.ToValidUTF8(name[:longestName], "") + "…"
		}
	}
	return Problem{Kind: kind, Invalid: true, Text: fmt.Sprintf(format, args...)}
}

// locatedAt returns p with the place of a fault in the matrices; −1 means all tokens or
// all states.
func (p Problem) locatedAt(token, state int) Problem {
	p.at = place{token: token + 1, state: state + 1}
	return p
}

// locatedInRight returns p with the right vector as the place of the fault.
func (p Problem) locatedInRight() Problem {
	p.at = place{right: true}
	return p
}

// aboutToken returns p with the name of the token that the problem concerns.
func (p Problem) aboutToken(token string) Problem {
	p.Token = token
	return p
}

func note(kind Fault, format string, args ...any) Problem {
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
		return []Problem{fault(BadShape, "there are no tokens: want at least one")}
	case len(states) == 0:
		return []Problem{fault(BadShape, "there are no states: want at least one")}
	case len(matrices) != len(tokens):
		return []Problem{fault(BadShape, "there are %d matrices for %d tokens, want one for each",
			len(matrices), len(tokens))}
	}
	n := len(states)
	var problems []Problem
	for z, m := range matrices {
		if len(m) != n {
			problems = append(problems,
				fault(BadShape, "token %s: its matrix has %d rows, want one for each of %d states",
					tokens[z], len(m), n).locatedAt(z, -1).aboutToken(tokens[z]))
			continue
		}
		for i, row := range m {
			if len(row) != n {
				problems = append(problems, fault(BadShape, "token %s: row %s of its matrix has %d entries, "+
					"want one for each of %d states",
					tokens[z], states[i], len(row), n).locatedAt(z, i).aboutToken(tokens[z]))
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
					problems = append(problems, fault(BadEntry,
						"state %s: its probability to emit %s and go to %s is %g, want at least 0",
						state, tokens[z], states[j], p).locatedAt(z, i).aboutToken(tokens[z]))
				}
			}
		}
		if sound && math.Abs(total-1) > rowSumTolerance {
			problems = append(problems, fault(BadRow, "state %s: its probabilities sum to %.10g, want 1",
				state, total).locatedAt(-1, i))
		}
	}
	return problems
}

// checkGeneralisedEntries looks for NaNs and infinities, and for rows in which Tr = r
// does not hold.
func checkGeneralisedEntries(tokens, states []string, matrices [][][]float64, right []float64) []Problem {
	problems := checkRight(states, right)
	if len(problems) > 0 {
		return problems
	}
	for i, state := range states {
		total, terms, sound := 0.0, math.Abs(right[i]), true
		for z, m := range matrices {
			for j, p := range m[i] {
				total += float64(p * right[j])
				terms += math.Abs(p * right[j])
				if math.IsNaN(p) || math.IsInf(p, 0) {
					sound = false
					problems = append(problems, fault(BadEntry,
						"state %s: its entry for token %s and state %s is %g, want a number",
						state, tokens[z], states[j], p).locatedAt(z, i).aboutToken(tokens[z]))
				}
			}
		}
		if sound && !(math.Abs(total-right[i]) <= rowSumTolerance*terms/2 && !math.IsInf(terms, 0)) {
			problems = append(problems, fault(BadRow,
				"state %s: its entry of T times right is %.10g, want %.10g, its entry of right",
				state, total, right[i]).locatedAt(-1, i))
		}
	}
	return problems
}

// checkRight looks for NaNs and infinities in right, and for a right vector from which
// no probability can be computed.
func checkRight(states []string, right []float64) []Problem {
	var problems []Problem
	largest := 0.0
	for i, r := range right {
		largest = max(largest, math.Abs(r))
		if math.IsNaN(r) || math.IsInf(r, 0) {
			problems = append(problems,
				fault(BadEntry, "state %s: its entry of right is %g, want a number", states[i], r).locatedInRight())
		}
	}
	switch {
	case len(problems) > 0:
	case largest == 0:
		problems = []Problem{fault(BadEntry, "right is all zeros, so every sequence would have probability 0: "+
			"want at least one entry that is not 0").locatedInRight()}
	case !(largest >= leastRight && largest <= mostRight):
		problems = []Problem{fault(BadEntry, "the largest entry of right has size %g, want a size in [%g, %g]; "+
			"multiply right by a number, which leaves the process the same", largest, leastRight, mostRight).locatedInRight()}
	}
	return problems
}
