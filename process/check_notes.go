package process

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// tables is what the notes of Check look at: a valid HMM, made or about to be.
type tables struct {
	tokens, states []string
	matrices       [][]float64 // [token]: T^z, n×n row-major
	net            []float64   // T, n×n
	pi             []float64   // n
}

func (t tables) notes() []Problem {
	var notes []Problem
	for i, p := range t.pi {
		if p == 0 {
			notes = append(notes, note(UnreachableState,
				"state %s can never be reached: the process never comes to it once it is stationary", t.states[i]))
		}
	}
	for z := range t.tokens {
		if !t.occurs(z) {
			notes = append(notes, note(UnusedToken, "token %s never occurs", t.tokens[z]))
		}
	}
	for _, class := range t.futureClasses() {
		if len(class) > 1 {
			notes = append(notes, note(DuplicateStates,
				"states %s are duplicates: no word tells them apart, so they can be merged", t.list(class)))
		}
	}
	switch {
	case t.visible():
		notes = append(notes, note(VisibleStates,
			"the state can be read off the last token, so there is no belief geometry to find"))
	case t.firstOrder():
		notes = append(notes, note(FirstOrder,
			"the belief follows from the last token alone, so the belief geometry is %d points", len(t.tokens)))
	}
	return notes
}

// occurs says whether token z has positive probability in the stationary process.
func (t tables) occurs(z int) bool {
	n := len(t.states)
	for i, p := range t.pi {
		if p > 0 && floats.Max(t.matrices[z][i*n:(i+1)*n]) > 0 {
			return true
		}
	}
	return false
}

// visible says whether each token leads to one state alone, whatever came before.
func (t tables) visible() bool {
	n := len(t.states)
	for _, m := range t.matrices {
		to := -1
		for k, p := range m {
			if p == 0 || t.pi[k/n] == 0 {
				continue
			}
			if to >= 0 && to != k%n {
				return false
			}
			to = k % n
		}
	}
	return true
}

// firstOrder says whether the belief after each token is the same whatever came
// before: all rows of T^z have one direction. The tokens are then a Markov chain.
func (t tables) firstOrder() bool {
	n := len(t.states)
	for _, m := range t.matrices {
		var first []float64
		for i := range n {
			row := m[i*n : (i+1)*n]
			total := floats.Sum(row)
			if total == 0 || t.pi[i] == 0 {
				continue
			}
			direction := make([]float64, n)
			floats.ScaleTo(direction, 1/total, row)
			if first == nil {
				first = direction
			}
			if floats.Distance(first, direction, math.Inf(1)) > sameProbability {
				return false
			}
		}
	}
	return true
}

// futureClasses partitions the states by the words that they emit: two states in
// one class give every word the same probability of being followed by a state of
// any class. It refines the partition, from one class, until the states of each
// class agree on the probability of every (token, next class).
func (t tables) futureClasses() [][]int {
	n := len(t.states)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	classes := [][]int{all}
	for {
		refined := t.refine(classes)
		if len(refined) == len(classes) {
			return classes
		}
		classes = refined
	}
}

func (t tables) refine(classes [][]int) [][]int {
	var refined [][]int
	for _, class := range classes {
		from := len(refined)
		for _, i := range class {
			at := from
			for at < len(refined) && !t.agree(i, refined[at][0], classes) {
				at++
			}
			if at == len(refined) {
				refined = append(refined, nil)
			}
			refined[at] = append(refined[at], i)
		}
	}
	return refined
}

// agree says whether states i and j go to each class on each token with the same
// probability.
func (t tables) agree(i, j int, classes [][]int) bool {
	n := len(t.states)
	for _, m := range t.matrices {
		for _, class := range classes {
			difference := 0.0
			for _, k := range class {
				difference += m[i*n+k] - m[j*n+k]
			}
			if math.Abs(difference) > sameProbability {
				return false
			}
		}
	}
	return true
}

// list names states, as in "A, B and C".
func (t tables) list(class []int) string {
	names := make([]string, len(class))
	for k, i := range class {
		names[k] = t.states[i]
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// describe names sets of states, as in "{A} and {B, C}".
func (t tables) describe(classes [][]int) string {
	sets := make([]string, len(classes))
	for k, class := range classes {
		names := make([]string, len(class))
		for at, i := range class {
			names[at] = t.states[i]
		}
		sets[k] = "{" + strings.Join(names, ", ") + "}"
	}
	last := len(sets) - 1
	return strings.Join(sets[:last], ", ") + " and " + sets[last]
}
