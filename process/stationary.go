package process

import (
	"slices"

	"foretell/internal/linalg"
)

// beyondFloat64 is the end of the message when the function stationary fails.
const beyondFloat64 = "cannot be computed: some probabilities are too small " +
	"for their products or ratios to be float64 numbers; make them larger, or 0"

// stationary returns the stationary distribution of a stochastic n×n matrix with
// exactly one recurrent class; states outside that class have probability 0. ok is
// false if entries are too small to compute it.
func stationary(t []float64, n int) (pi []float64, ok bool) {
	class := recurrentClasses(t, n)[0]
	m := len(class)
	restricted := make([]float64, m*m)
	for a, i := range class {
		for b, j := range class {
			restricted[a*m+b] = t[i*n+j]
		}
	}
	within, ok := linalg.Stationary(restricted, m)
	if !ok {
		return nil, false
	}
	pi = make([]float64, n)
	for a, p := range within {
		pi[class[a]] = p
	}
	return pi, true
}

// recurrentClasses returns the classes of states that a chain never leaves once inside,
// each in ascending order and sorted by first state. Each class has one stationary
// distribution, and every mixture of these is also stationary.
//
// They are the strongly connected components that no transition leaves, found by
// Kosaraju's algorithm in time n².
func recurrentClasses(t []float64, n int) [][]int {
	seen, finished := make([]bool, n), make([]int, 0, n)
	for i := range n {
		visit(i, seen, func(i, j int) bool { return t[i*n+j] > 0 },
			func(i int) { finished = append(finished, i) })
	}
	component := make([]int, n)
	clear(seen)
	for _, root := range slices.Backward(finished) {
		visit(root, seen, func(i, j int) bool { return t[j*n+i] > 0 }, func(i int) { component[i] = root })
	}
	left := make([]bool, n) // [root]: whether a transition leaves the root's component
	for i := range n {
		for j := range n {
			if t[i*n+j] > 0 && component[i] != component[j] {
				left[component[i]] = true
			}
		}
	}
	place := map[int]int{} // [root]: the index in classes of the root's component
	var classes [][]int
	for i, root := range component {
		if left[root] {
			continue
		}
		k, known := place[root]
		if !known {
			k = len(classes)
			place[root] = k
			classes = append(classes, nil)
		}
		classes[k] = append(classes[k], i)
	}
	return classes
}

// visit searches a graph of len(seen) nodes depth first, starting from a node, and
// calls finish with each node that was not seen before, after the nodes that it leads
// to.
func visit(from int, seen []bool, edge func(i, j int) bool, finish func(i int)) {
	if seen[from] {
		return
	}
	seen[from] = true
	for j := range seen {
		if !seen[j] && edge(from, j) {
			visit(j, seen, edge, finish)
		}
	}
	finish(from)
}
