package process

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"foretell/internal/linalg"
	"foretell/internal/text"

	"gonum.org/v1/gonum/floats"
)

// notes lists noteworthy properties of a valid table. It returns an error if ctx ends.
func (t table) notes(ctx context.Context) ([]Problem, error) {
	var notes []Problem
	reached := t.reached()
	for i, ok := range reached {
		if !ok {
			notes = append(notes, note(UnreachableState,
				"state %s is never reached: its probability is 0 in the stationary distribution", t.states[i]))
		}
	}
	if classes := recurrentClasses(sum(t.matrices), len(t.states)); len(classes) > 1 && !t.generalised {
		notes = append(notes, note(ManyStationary, "the sets of states %s are never left: "+
			"the process is a mixture, and each sequence comes from one of its components",
			t.describe(classes)))
	}
	for z := range t.tokens {
		if !t.occurs(z, reached) {
			notes = append(notes, note(UnusedToken, "token %s never occurs", t.tokens[z]).aboutToken(t.tokens[z]))
		}
	}
	inScale := t.inScale()
	duplicates, err := inScale.duplicates(ctx)
	if err != nil {
		return nil, err
	}
	for _, class := range duplicates {
		if len(class) > 1 {
			notes = append(notes, note(DuplicateStates,
				"states %s are indistinguishable: no sequence separates them, so they can be merged", t.list(class)))
		}
	}
	tokens, visible := t.visible(reached)
	switch {
	case visible && tokens == 1:
		notes = append(notes, note(VisibleStates,
			"the last token reveals the state, so there is no belief geometry to find"))
	case visible:
		notes = append(notes, note(VisibleStates,
			"the last %d tokens reveal the state, so only shorter sequences have belief geometry", tokens))
	case inScale.firstOrder(reached):
		notes = append(notes, note(FirstOrder,
			"the belief depends on the last token alone, so the belief geometry is %d points", len(t.tokens)))
	}
	if t.generalised {
		notes = append(notes, t.examinedNote())
	}
	return notes, ctx.Err()
}

// reached reports, for each state, whether it takes part in the stationary process,
// that is, whether entries of T lead to it from the support of π.
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

// occurs reports whether token z has positive probability in the stationary process.
func (t table) occurs(z int, reached []bool) bool {
	n := len(t.states)
	for i, ok := range reached {
		if ok && floats.Norm(t.matrices[z][i*n:(i+1)*n], math.Inf(1)) > 0 {
			return true
		}
	}
	return false
}

// visible reports whether some number of consecutive tokens determines the state,
// whatever came before them, and returns the least such number, at least 1.
//
// A token leads from a pair of different states to another such pair, unless it reveals
// the state. The result is the number of pairs on the longest path of such steps; if the
// paths contain a cycle, no number of tokens suffices. Pairs are removed once no
// remaining pair leads to them (Kahn, 1962).
func (t table) visible(reached []bool) (tokens int, ok bool) {
	next, ok := t.successors(reached)
	if !ok {
		return 0, false
	}
	n := len(t.states)
	into := make([]int32, n*n) // [pair]: the number of steps that lead to it from remaining pairs
	left := 0
	for i := range n * n {
		if i/n < i%n && reached[i/n] && reached[i%n] {
			left++
			eachPair(next, i, n, func(to int) { into[to]++ })
		}
	}
	var pairs []int // pairs that no step leads to
	for i := range n * n {
		if i/n < i%n && reached[i/n] && reached[i%n] && into[i] == 0 {
			pairs = append(pairs, i)
		}
	}
	for tokens = 0; len(pairs) > 0; tokens++ {
		left -= len(pairs)
		var after []int
		for _, i := range pairs {
			eachPair(next, i, n, func(to int) {
				if into[to]--; into[to] == 0 {
					after = append(after, to)
				}
			})
		}
		pairs = after
	}
	return max(1, tokens), left == 0
}

// eachPair calls report with each pair of different states that a token leads to from a
// given pair. The pair of the states i < j is numbered i·n + j.
func eachPair(next [][]int, pair, n int, report func(to int)) {
	for _, to := range next {
		i, j := min(to[pair/n], to[pair%n]), max(to[pair/n], to[pair%n])
		if i >= 0 && i != j {
			report(i*n + j)
		}
	}
}

// successors returns the state that each token leads to from each state, or −1 if the
// token cannot occur there or the state is not reached. ok is false if a token leads from
// one state to several different states.
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

// firstOrder reports whether the belief after each token is the same whatever came
// before it, that is, whether all rows of T^z have the same direction. The tokens are
// then a Markov chain.
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

// duplicates partitions the states by the sequences that they emit. Two states are in one
// class if every sequence has the same probability from both, up to one positive factor
// for all sequences (1 unless the HMM is generalised). These probabilities are column
// vectors over the states: r for the empty sequence, and T^z v for token z followed by
// the sequence whose column is v. They span a space of at most n dimensions, so it
// suffices to compare the entries of a basis (Tzeng, 1992). duplicates returns an error
// if ctx ends.
func (t table) duplicates(ctx context.Context) ([][]int, error) {
	n := len(t.states)
	space := linalg.Span{Least: sameProbability}
	var columns [][]float64 // a basis of the space, each scaled so that its largest entry is 1
	add := func(v []float64) {
		if size := floats.Norm(v, math.Inf(1)); size > 0 {
			floats.Scale(1/size, v)
			if space.Add(v) {
				columns = append(columns, v)
			}
		}
	}
	add(slices.Clone(t.right))
	for at := 0; at < len(columns) && len(columns) < n; at++ {
		for _, m := range t.matrices {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			add(linalg.MulVec(m, columns[at]))
		}
	}
	rows := make([][]float64, n) // [state]: the state's entries in the columns
	for i := range rows {
		for _, v := range columns {
			rows[i] = append(rows[i], v[i])
		}
		if size := floats.Norm(rows[i], math.Inf(1)); size > 0 {
			floats.Scale(1/size, rows[i])
		}
	}
	var classes [][]int
	for i, row := range rows {
		k := slices.IndexFunc(classes, func(class []int) bool { return alike(rows[class[0]], row) })
		if k < 0 {
			k = len(classes)
			classes = append(classes, nil)
		}
		classes[k] = append(classes[k], i)
	}
	return classes, nil
}

// alike reports whether two lists of probabilities are equal within sameProbability.
func alike(a, b []float64) bool {
	for k, x := range a {
		if math.Abs(x-b[k]) > sameProbability {
			return false
		}
	}
	return true
}

// futureClasses partitions the states: for two states in one class, every sequence and
// every class, the probability of emitting the sequence and ending in a state of that
// class is the same. Such states are duplicates, but not all duplicates are found. It
// starts with one class per value of r and refines the partition until the states of each
// class agree on the probability of every (token, next class).
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
	steps := t.steps()
	for {
		refined := refine(steps, classes)
		if len(refined) == len(classes) {
			return classes
		}
		classes = refined
	}
}

// outcome is a token, the state (or class of states) that the token leads to, and the
// probability of both.
type outcome struct {
	token, to int
	p         float64
}

// steps lists the possible outcomes in each state, by token and then by state.
func (t table) steps() [][]outcome {
	n := len(t.states)
	steps := make([][]outcome, n)
	for i := range n {
		for z, m := range t.matrices {
			for j, p := range m[i*n : (i+1)*n] {
				if p != 0 {
					steps[i] = append(steps[i], outcome{z, j, p})
				}
			}
		}
	}
	return steps
}

func refine(steps [][]outcome, classes [][]int) [][]int {
	of := make([]int, len(steps)) // [state]: the number of the state's class
	for k, class := range classes {
		for _, i := range class {
			of[i] = k
		}
	}
	outcomes := make([][]outcome, len(steps))
	for i := range steps {
		outcomes[i] = byClass(steps[i], of)
	}
	var refined [][]int
	for _, class := range classes {
		from := len(refined)
		for _, i := range class {
			at := from
			for at < len(refined) && !agree(outcomes[i], outcomes[refined[at][0]]) {
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

// byClass returns a state's outcomes with classes in place of states. The probabilities
// of the same token and class are added, and the order is by token and then by class.
func byClass(steps []outcome, of []int) []outcome {
	sums := make([]outcome, len(steps))
	for k, s := range steps {
		sums[k] = outcome{s.token, of[s.to], s.p}
	}
	slices.SortStableFunc(sums, outcome.compare)
	last := 0
	for k := 1; k < len(sums); k++ {
		if sums[last].compare(sums[k]) == 0 {
			sums[last].p += sums[k].p
		} else {
			last++
			sums[last] = sums[k]
		}
	}
	return sums[:min(len(sums), last+1)]
}

func (o outcome) compare(other outcome) int {
	return cmp.Or(cmp.Compare(o.token, other.token), cmp.Compare(o.to, other.to))
}

// agree reports whether two states have the same outcomes with the same probabilities.
func agree(a, b []outcome) bool {
	for len(a) > 0 || len(b) > 0 {
		difference := 0.0
		inA := len(b) == 0 || len(a) > 0 && a[0].compare(b[0]) <= 0
		inB := len(a) == 0 || len(b) > 0 && b[0].compare(a[0]) <= 0
		if inA {
			difference, a = a[0].p, a[1:]
		}
		if inB {
			difference, b = difference-b[0].p, b[1:]
		}
		if math.Abs(difference) > sameProbability {
			return false
		}
	}
	return true
}

// list joins the names of states, as in "A, B and C".
func (t table) list(class []int) string {
	names := make([]string, len(class))
	for k, i := range class {
		names[k] = t.states[i]
	}
	return text.And(names)
}

// describe joins the names of sets of states, as in "{A} and {B, C}".
func (t table) describe(classes [][]int) string {
	sets := make([]string, len(classes))
	for k, class := range classes {
		names := make([]string, len(class))
		for at, i := range class {
			names[at] = t.states[i]
		}
		sets[k] = "{" + strings.Join(names, ", ") + "}"
	}
	return text.And(sets)
}
