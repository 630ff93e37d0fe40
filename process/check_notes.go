package process

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// notes lists what is remarkable about a valid table.
func (t table) notes() []Problem {
	var notes []Problem
	reached := t.reached()
	for i, ok := range reached {
		if !ok {
			notes = append(notes, note(UnreachableState,
				"state %s can never be reached: the process never comes to it once it is stationary", t.states[i]))
		}
	}
	if classes := recurrentClasses(sum(t.matrices), len(t.states)); len(classes) > 1 && !t.generalised {
		notes = append(notes, note(ManyStationary,
			"%s are sets of states that are never left: the process is a mixture, and a sequence shows one of its components",
			t.describe(classes)))
	}
	for z := range t.tokens {
		if !t.occurs(z, reached) {
			notes = append(notes, note(UnusedToken, "token %s never occurs", t.tokens[z]))
		}
	}
	for _, class := range t.duplicates() {
		if len(class) > 1 {
			notes = append(notes, note(DuplicateStates,
				"states %s are duplicates: no word tells them apart, so they can be merged", t.list(class)))
		}
	}
	tokens, visible := t.visible(reached)
	switch {
	case visible && tokens == 1:
		notes = append(notes, note(VisibleStates,
			"the state can be read off the last token, so there is no belief geometry to find"))
	case visible:
		notes = append(notes, note(VisibleStates,
			"the state can be read off the last %d tokens, so there is belief geometry in shorter words alone", tokens))
	case t.firstOrder(reached):
		notes = append(notes, note(FirstOrder,
			"the belief follows from the last token alone, so the belief geometry is %d points", len(t.tokens)))
	}
	if t.generalised {
		notes = append(notes, t.wordsLookedAt())
	}
	return notes
}

// reached says which states have a part in the stationary process: those that the
// entries of T lead to from the support of π.
func (t table) reached() []bool {
	n := len(t.states)
	reached := make([]bool, n)
	var from []int
	for i, p := range t.pi {
		if p != 0 {
			reached[i] = true
			from = append(from, i)
		}
	}
	for len(from) > 0 {
		i := from[0]
		from = from[1:]
		for _, m := range t.matrices {
			for j, p := range m[i*n : (i+1)*n] {
				if p != 0 && !reached[j] {
					reached[j] = true
					from = append(from, j)
				}
			}
		}
	}
	return reached
}

// occurs says whether token z has positive probability in the stationary process.
func (t table) occurs(z int, reached []bool) bool {
	n := len(t.states)
	for i, ok := range reached {
		if ok && floats.Norm(t.matrices[z][i*n:(i+1)*n], math.Inf(1)) > 0 {
			return true
		}
	}
	return false
}

// visible says whether some number of tokens leads to one state alone, whatever came
// before them, and returns the least such number, at least 1.
//
// It follows the pairs of states that words have left apart. A word that leads from
// two states to two others keeps a pair, and as the pairs after k+1 tokens follow from
// those after k, they become fewer until there are none, or stay as they are for ever.
func (t table) visible(reached []bool) (tokens int, ok bool) {
	next, ok := t.successors(reached)
	if !ok {
		return 0, false
	}
	n := len(t.states)
	var pairs [][2]int
	for j := range n {
		for i := range j {
			if reached[i] && reached[j] {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	for tokens = 0; len(pairs) > 0; tokens++ {
		var apart [][2]int
		seen := make([]bool, n*n)
		for _, pair := range pairs {
			for _, to := range next {
				i, j := min(to[pair[0]], to[pair[1]]), max(to[pair[0]], to[pair[1]])
				if i >= 0 && i != j && !seen[i*n+j] {
					seen[i*n+j] = true
					apart = append(apart, [2]int{i, j})
				}
			}
		}
		if len(apart) == len(pairs) {
			return 0, false
		}
		pairs = apart
	}
	return max(1, tokens), true
}

// successors returns the state that each token leads to from each state, −1 for none
// and for states that are not reached. ok is false when a token leads from one state
// to several.
func (t table) successors(reached []bool) (next [][]int, ok bool) {
	n := len(t.states)
	for _, m := range t.matrices {
		to := make([]int, n)
		for i := range to {
			to[i] = -1
		}
		for k, p := range m {
			switch i := k / n; {
			case p == 0 || !reached[i]:
			case to[i] >= 0:
				return nil, false
			default:
				to[i] = k % n
			}
		}
		next = append(next, to)
	}
	return next, true
}

// firstOrder says whether the belief after each token is the same whatever came
// before: all rows of T^z have one direction. The tokens are then a Markov chain.
func (t table) firstOrder(reached []bool) bool {
	n := len(t.states)
	for _, m := range t.matrices {
		var first []float64
		for i := range n {
			row := m[i*n : (i+1)*n]
			size := floats.Norm(row, 1)
			if size == 0 || !reached[i] {
				continue
			}
			direction := make([]float64, n)
			floats.ScaleTo(direction, 1/size, row)
			if first == nil {
				first = direction
			}
			if floats.Dot(first, direction) < 0 {
				floats.Scale(-1, direction)
			}
			if floats.Distance(first, direction, math.Inf(1)) > sameProbability {
				return false
			}
		}
	}
	return true
}

// duplicates partitions the states by the words that they emit: two are in one class
// when every word has the same probability from both. These probabilities, r for the
// empty word and T^z v before a word of column v, span a space of at most n columns,
// and agree where those of a basis do (Tzeng, 1992).
func (t table) duplicates() [][]int {
	n := len(t.states)
	space := span{least: sameProbability}
	var columns [][]float64 // each scaled to a largest entry of 1
	add := func(v []float64) {
		if size := floats.Norm(v, math.Inf(1)); size > 0 {
			floats.Scale(1/size, v)
			if space.add(v) {
				columns = append(columns, v)
			}
		}
	}
	add(slices.Clone(t.right))
	for at := 0; at < len(columns) && len(columns) < n; at++ {
		for _, m := range t.matrices {
			add(times(m, columns[at]))
		}
	}
	var classes [][]int
	for i := range n {
		k := slices.IndexFunc(classes, func(class []int) bool {
			return !slices.ContainsFunc(columns, func(v []float64) bool { return math.Abs(v[i]-v[class[0]]) > sameProbability })
		})
		if k < 0 {
			k = len(classes)
			classes = append(classes, nil)
		}
		classes[k] = append(classes[k], i)
	}
	return classes
}

// futureClasses partitions the states so that two in one class give every word the same
// probability of being followed by a state of any class; they are duplicates, but there
// may be others. It refines the partition, from one class for each entry of r, until
// the states of each class agree on the probability of every (token, next class).
func (t table) futureClasses() [][]int {
	var classes [][]int
	byRight := map[float64]int{}
	for i, r := range t.right {
		k, ok := byRight[r]
		if !ok {
			k = len(classes)
			byRight[r] = k
			classes = append(classes, nil)
		}
		classes[k] = append(classes[k], i)
	}
	for {
		refined := t.refine(classes)
		if len(refined) == len(classes) {
			return classes
		}
		classes = refined
	}
}

func (t table) refine(classes [][]int) [][]int {
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
func (t table) agree(i, j int, classes [][]int) bool {
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
func (t table) list(class []int) string {
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
func (t table) describe(classes [][]int) string {
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
