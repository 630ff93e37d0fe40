package process

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"foretell/internal/strict"
)

const (
	// maxStates bounds the states of a process that is not in the zoo. The computation of
	// reachable states takes time proportional to their cube.
	maxStates = 1024
	// maxEntries bounds the entries of all matrices together: 128 MB.
	maxEntries = 1 << 24
)

// checkSize returns an error unless the matrices of a process with these numbers of
// states and tokens fit into memory.
func checkSize(name string, states, tokens int) error {
	if states > maxStates || tokens > maxEntries || states*states*tokens > maxEntries {
		return fmt.Errorf("%s: %d states and %d tokens are too many: "+
			"want at most %d states, and %d entries in all matrices",
			name, states, tokens, maxStates, maxEntries)
	}
	return nil
}

// build makes the process that d defines, or returns a [*FieldError] for the first
// fault.
func (d Definition) build(name string) (*HMM, error) {
	if err := d.checkFields(); err != nil {
		return nil, err
	}
	if err := checkSize(name, len(d.States), len(d.Tokens)); err != nil {
		return nil, strict.Fieldf("states", "is not possible: %v", err)
	}
	matrices, err := d.labelledMatrices()
	if err != nil {
		return nil, err
	}
	var t table
	var faults []Problem
	if d.Right == nil {
		t, faults = plainTable(d.Tokens, d.States, matrices)
	} else {
		t, faults = generalisedTable(d.Tokens, d.States, matrices, d.Right)
	}
	if err := firstInvalid(name, faults); err != nil {
		return nil, strict.Fieldf(d.locate(faults[0].at), "is not possible: %v", err)
	}
	return assemble(name, t), nil
}

// definition returns h as a Definition by matrices.
func (h *HMM) definition() Definition {
	d := Definition{States: slices.Clone(h.states), Tokens: slices.Clone(h.tokens), Matrices: map[string][][]float64{}}
	n := len(h.states)
	for z, token := range h.tokens {
		for i := range n {
			d.Matrices[token] = append(d.Matrices[token], slices.Clone(h.matrices[z][i*n:(i+1)*n]))
		}
	}
	if h.generalised {
		d.Right = slices.Clone(h.right)
	}
	return d
}

// checkFields checks that required fields are present and that names are valid.
func (d Definition) checkFields() error {
	switch {
	case len(d.States) == 0:
		return strict.Fieldf("states", "is missing; name the states, such as [A, B]")
	case len(d.Tokens) == 0:
		return strict.Fieldf("tokens", "is missing; name the tokens, such as [heads, tails]")
	case d.Transitions != nil && d.Matrices != nil:
		return strict.Fieldf("matrices", "and transitions are both given; give one of them")
	case len(d.Transitions) == 0 && len(d.Matrices) == 0:
		return strict.Fieldf("transitions", "is missing; list them as {from: A, to: B, token: heads, p: 0.5}, "+
			"or give matrices")
	case d.Right != nil && len(d.Right) != len(d.States):
		return strict.Fieldf("right", "has %d entries, want one for each of %d states", len(d.Right), len(d.States))
	}
	for _, of := range []struct {
		path, what string
		names      []string
	}{{"states", "state", d.States}, {"tokens", "token", d.Tokens}} {
		if problems := checkNames(of.what, of.names); len(problems) > 0 {
			return strict.Fieldf(of.path, "is not possible: %s", problems[0].Text)
		}
	}
	return nil
}

// labelledMatrices returns matrices[z][i][j] = T^z[i,j].
func (d Definition) labelledMatrices() ([][][]float64, error) {
	if d.Matrices != nil {
		return d.givenMatrices()
	}
	states, tokens := numbersOf(d.States), numbersOf(d.Tokens)
	matrices := make([][][]float64, len(d.Tokens))
	for z := range matrices {
		matrices[z] = zeros(len(d.States))
	}
	type edge struct{ z, i, j int }
	first := map[edge]int{}
	for k, t := range d.Transitions {
		at := fmt.Sprintf("transitions[%d]", k)
		i, okFrom := states[t.From]
		j, okTo := states[t.To]
		z, okToken := tokens[t.Token]
		switch {
		case !okFrom:
			return nil, unknownName(at+".from", t.From, "state", d.States)
		case !okTo:
			return nil, unknownName(at+".to", t.To, "state", d.States)
		case !okToken:
			return nil, unknownName(at+".token", t.Token, "token", d.Tokens)
		case math.IsNaN(t.P) || d.Right == nil && !(t.P >= 0 && t.P <= 1):
			return nil, strict.Fieldf(at+".p", "= %g is not a probability: from state %s by token %s to state %s, "+
				"want a number in [0, 1]",
				t.P, t.From, t.Token, t.To)
		}
		e := edge{z, i, j}
		if k0, twice := first[e]; twice {
			return nil, strict.Fieldf(at, "is given twice: transitions[%d] also goes from %s by %s to %s",
				k0, t.From, t.Token, t.To)
		}
		first[e] = k
		matrices[z][i][j] = t.P
	}
	return matrices, nil
}

func (d Definition) givenMatrices() ([][][]float64, error) {
	known := numbersOf(d.Tokens)
	for _, token := range slices.Sorted(maps.Keys(d.Matrices)) {
		if _, ok := known[token]; !ok {
			return nil, unknownName("matrices."+token, token, "token", d.Tokens)
		}
	}
	var matrices [][][]float64
	for _, token := range d.Tokens {
		m, ok := d.Matrices[token]
		if !ok {
			return nil, strict.Fieldf("matrices", "has no matrix for token %s; want one for each token", token)
		}
		matrices = append(matrices, m)
	}
	return matrices, nil
}

// locate returns the path of the field of d that holds a fault, given the place of the
// fault in the matrices or the right vector.
func (d Definition) locate(at place) string {
	if at.right {
		return "right"
	}
	if d.Matrices != nil {
		switch {
		case at.token == 0:
			return "matrices"
		case at.state == 0:
			return "matrices." + d.Tokens[at.token-1]
		}
		return fmt.Sprintf("matrices.%s[%d]", d.Tokens[at.token-1], at.state-1)
	}
	for k, t := range d.Transitions {
		if at.state > 0 && t.From == d.States[at.state-1] && (at.token == 0 || t.Token == d.Tokens[at.token-1]) {
			return fmt.Sprintf("transitions[%d]", k)
		}
	}
	return "transitions"
}

func unknownName(path, name, what string, known []string) error {
	return strict.Fieldf(path, "= %q is not a %s: %s", name, what, strict.Choice(name, known))
}

func numbersOf(names []string) map[string]int {
	numbers := make(map[string]int, len(names))
	for i, name := range names {
		numbers[name] = i
	}
	return numbers
}

// zeros returns an n×n matrix of zeros.
func zeros(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}
