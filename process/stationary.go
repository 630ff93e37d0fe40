package process

import "foretell/internal/linalg"

// beyondFloat64 is what to say where stationary has no answer.
const beyondFloat64 = "cannot be computed: some probabilities " +
	"are so small that their products or ratios are beyond a float64; want them larger, or 0"

// stationary returns the stationary distribution of a stochastic n×n matrix
// with exactly one recurrent class; states outside that class get 0. ok is false
// when entries are too small for it to be computed.
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

// recurrentClasses returns the classes of states that a chain, once inside,
// never leaves, each in ascending order and ordered by first state. There is one
// stationary distribution for each class, and every mixture of them is another.
func recurrentClasses(t []float64, n int) [][]int {
	reach := reachable(t, n)
	var classes [][]int
	for i := range n {
		class, first := []int{}, true
		for j := range n {
			if !reach[i*n+j] {
				continue
			}
			if !reach[j*n+i] {
				class = nil // i can be left for good: transient
				break
			}
			first = first && j >= i
			class = append(class, j)
		}
		if class != nil && first {
			classes = append(classes, class)
		}
	}
	return classes
}

// reachable returns the reflexive transitive closure of the chain's graph:
// entry (i, j) says whether j can be reached from i in zero or more steps.
func reachable(t []float64, n int) []bool {
	reach := make([]bool, n*n)
	for i := range n {
		for j := range n {
			reach[i*n+j] = i == j || t[i*n+j] > 0
		}
	}
	for k := range n {
		for i := range n {
			if !reach[i*n+k] {
				continue
			}
			for j := range n {
				reach[i*n+j] = reach[i*n+j] || reach[k*n+j]
			}
		}
	}
	return reach
}
