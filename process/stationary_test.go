package process

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The recurrent classes are those that the definition gives, by what can be reached from
// where.
func TestRecurrentClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		edges := make([]float64, n*n)
		for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
			edges[rapid.IntRange(0, n*n-1).Draw(t, "edge")] = 0.5
		}
		got, want := recurrentClasses(edges, n), classesByReach(edges, n)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("classes %v, want %v", got, want)
		}
	})
}

// classesByReach returns the recurrent classes by their definition.
func classesByReach(t []float64, n int) [][]int {
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
