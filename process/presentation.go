package process

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/linalg"
	"foretell/internal/portable"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"
)

const (
	// maxBeliefs bounds the beliefs of a mixed-state presentation.
	maxBeliefs = 1000
	// separation is the beliefDistance that any two beliefs must exceed for the set of
	// beliefs to count as finite. An infinite set of beliefs that converge to a limit has
	// beliefs that are closer to each other.
	separation = 1e-6
)

// Presentation is the mixed-state presentation of a process with finitely many beliefs:
// a graph whose nodes are the beliefs that sequences lead to, and whose edges are the
// tokens. An optimal observer walks on it. Beliefs to which it returns again and again
// are recurrent, the others transient.
type Presentation struct {
	// Beliefs are the beliefs; row 0 is π, the belief before any token.
	Beliefs [][]float64
	// Edges are ordered by From, then by Token; all have positive probability.
	Edges []Edge
	// Stationary[k] is how often belief k is visited in the long run, starting from π. It
	// is 0 for transient beliefs.
	Stationary []float64
	// Causal[k] is the index of belief k's causal state (Shalizi and Crutchfield, 2001).
	// Beliefs after which every sequence has the same probability share a causal state.
	Causal []int
}

// Edge is a step of an optimal observer from one belief to another, after a token that
// has probability P.
type Edge struct {
	From, To, Token int
	P               float64
}

// Presentation returns the mixed-state presentation. It returns an error if ctx ends, if
// the process has more than 1000 beliefs, or if two beliefs are within 1e-6 of each
// other. In the last two cases there are probably infinitely many beliefs. (This is a
// statement about float64, not a proof. Beliefs within 1e-13 count as one. Distances
// between beliefs of a generalised HMM do not depend on the scale of its right vector.)
func (h *HMM) Presentation(ctx context.Context) (*Presentation, error) {
	found := newMixedStates(h.scale)
	found.add(h.pi, 1)
	p := &Presentation{}
	next := make([]float64, h.NumStates())
	for k := 0; k < found.size(); k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for z := range h.tokens {
			if q := h.update(next, found.belief(k), z); q > 0 {
				p.Edges = append(p.Edges, Edge{k, found.add(next, 0), z, q})
			}
		}
		if found.size() > maxBeliefs {
			return nil, fmt.Errorf("%s: more than %d distinct beliefs, possibly infinitely many", h.name, maxBeliefs)
		}
	}
	for k := range found.size() {
		p.Beliefs = append(p.Beliefs, slices.Clone(found.belief(k)))
	}
	if !separated(p.Beliefs, h.scale) {
		return nil, fmt.Errorf(
			"%s: some beliefs are within %g of each other, so there are probably infinitely many",
			h.name, separation)
	}
	if !p.longRun() {
		return nil, fmt.Errorf(
			"%s: some beliefs are so rare that their frequency is below the range of float64", h.name)
	}
	p.Causal = p.causalStates(h.Alphabet())
	return p, nil
}

// Recurrent returns the number of recurrent beliefs.
func (p *Presentation) Recurrent() int {
	n := 0
	for _, q := range p.Stationary {
		if q > 0 {
			n++
		}
	}
	return n
}

// Transient returns the number of transient beliefs. π is one of them unless the
// observer returns to it.
func (p *Presentation) Transient() int { return len(p.Beliefs) - p.Recurrent() }

// BeliefEntropy returns the entropy, in nats, of the distribution over beliefs in the
// long run.
func (p *Presentation) BeliefEntropy() float64 { return portable.Entropy(p.Stationary) }

// StatisticalComplexity returns C_μ, in nats: the entropy of the causal state in the
// long run (Crutchfield and Young, 1989). It is the amount of information about the
// past that optimal prediction needs, at least the excess entropy and at most
// BeliefEntropy.
func (p *Presentation) StatisticalComplexity() float64 {
	mass := make([]float64, len(p.Beliefs))
	for k, q := range p.Stationary {
		mass[p.Causal[k]] += q
	}
	return portable.Entropy(mass)
}

// separated reports whether the beliefDistance of any two beliefs exceeds separation.
func separated(beliefs [][]float64, scale []float64) bool {
	order := make([]int, len(beliefs))
	for k := range order {
		order[k] = k
	}
	at := make([]float64, len(beliefs))
	for k, b := range beliefs {
		at[k] = projection(b, scale)
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case at[i] < at[j]:
			return -1
		case at[i] > at[j]:
			return 1
		}
		return i - j
	})
	for first, k := range order {
		for _, l := range order[first+1:] {
			if at[l]-at[k] > separation { // projection does not enlarge distances
				break
			}
			if beliefDistance(beliefs[k], beliefs[l], scale) <= separation {
				return false
			}
		}
	}
	return true
}

// longRun computes how often each belief is visited in the long run: the stationary
// distribution of each recurrent class, weighted by the probability that the walk from
// belief 0 ends in it. It reports whether float64 suffices for that.
func (p *Presentation) longRun() bool {
	class, recurrent := p.classes()
	weight, ok := p.absorbed(class, recurrent)
	if !ok {
		return false
	}
	p.Stationary = make([]float64, len(p.Beliefs))
	for c, members := range recurrent {
		n := len(members)
		place := make(map[int]int, n)
		for at, k := range members {
			place[k] = at
		}
		steps := make([]float64, n*n)
		for _, e := range p.Edges {
			if class[e.From] == c {
				steps[place[e.From]*n+place[e.To]] += e.P
			}
		}
		within, ok := linalg.Stationary(steps, n)
		if !ok {
			return false
		}
		for at, q := range within {
			p.Stationary[members[at]] = weight[c] * q
		}
	}
	return true
}

// classes returns the recurrent classes of beliefs, each in ascending order and sorted
// by first belief, and the class of each belief, −1 for a transient one.
func (p *Presentation) classes() (class []int, recurrent [][]int) {
	g := simple.NewDirectedGraph()
	for k := range p.Beliefs {
		g.AddNode(simple.Node(k))
	}
	for _, e := range p.Edges {
		if e.From != e.To {
			g.SetEdge(g.NewEdge(simple.Node(e.From), simple.Node(e.To)))
		}
	}
	component := make([]int, len(p.Beliefs))
	components := topo.TarjanSCC(g)
	for c, nodes := range components {
		for _, node := range nodes {
			component[node.ID()] = c
		}
	}
	left := make([]bool, len(components))
	for _, e := range p.Edges {
		left[component[e.From]] = left[component[e.From]] || component[e.From] != component[e.To]
	}
	class = make([]int, len(p.Beliefs))
	number := map[int]int{}
	for k := range p.Beliefs {
		class[k] = -1
		if left[component[k]] {
			continue
		}
		c, ok := number[component[k]]
		if !ok {
			c = len(recurrent)
			number[component[k]] = c
			recurrent = append(recurrent, nil)
		}
		class[k] = c
		recurrent[c] = append(recurrent[c], k)
	}
	return class, recurrent
}

// absorbed returns the probability that the walk from belief 0 ends in each recurrent
// class. Let Q be the transition matrix among transient beliefs; the solution x of
// x(1−Q) = e₀ is the expected number of visits to each of them, and the transitions out
// of them give the probabilities. ok is false if 1−Q is so close to singular that the
// probabilities do not sum to one.
func (p *Presentation) absorbed(class []int, recurrent [][]int) (weight []float64, ok bool) {
	weight = make([]float64, len(recurrent))
	if class[0] >= 0 {
		weight[class[0]] = 1
		return weight, true
	}
	if len(recurrent) == 1 {
		weight[0] = 1
		return weight, true
	}
	place, n := make([]int, len(class)), 0
	for k, c := range class {
		if c < 0 {
			place[k] = n
			n++
		}
	}
	m := mat.NewDense(n, n, nil) // the matrix (1−Q)ᵀ
	for i := range n {
		m.Set(i, i, 1)
	}
	for _, e := range p.Edges {
		if class[e.From] < 0 && class[e.To] < 0 {
			i, j := place[e.To], place[e.From]
			m.Set(i, j, m.At(i, j)-e.P)
		}
	}
	start := mat.NewVecDense(n, nil)
	start.SetVec(0, 1)
	var visits mat.VecDense
	if err := visits.SolveVec(m, start); err != nil {
		return nil, false // the walk leaves the transient beliefs with almost no probability
	}
	for _, e := range p.Edges {
		if class[e.From] < 0 && class[e.To] >= 0 {
			weight[class[e.To]] += visits.AtVec(place[e.From]) * e.P
		}
	}
	return weight, math.Abs(floats.Sum(weight)-1) < 1e-9
}

// causalStates partitions the beliefs by their futures (Moore, 1956): first by the
// distribution of the next token, then repeatedly by the classes that tokens lead to,
// until nothing changes.
func (p *Presentation) causalStates(alphabet int) []int {
	n := len(p.Beliefs)
	next, to := make([]float64, n*alphabet), make([]int, n*alphabet)
	for i := range to {
		to[i] = -1
	}
	for _, e := range p.Edges {
		next[e.From*alphabet+e.Token], to[e.From*alphabet+e.Token] = e.P, e.To
	}
	class, classes := make([]int, n), 0
	var first []int // [class]: its first belief
	for k := range n {
		row := next[k*alphabet : (k+1)*alphabet]
		c := slices.IndexFunc(first, func(l int) bool {
			return distance(row, next[l*alphabet:(l+1)*alphabet]) <= math.Sqrt(sameProbability)
		})
		if c < 0 {
			c = len(first)
			first = append(first, k)
		}
		class[k] = c
	}
	for classes != len(first) {
		classes = len(first)
		refined := make([]int, n)
		first = first[:0]
		number := map[string]int{}
		for k := range n {
			key := []int{class[k]}
			for _, l := range to[k*alphabet : (k+1)*alphabet] {
				if l >= 0 {
					l = class[l]
				}
				key = append(key, l)
			}
			name := fmt.Sprint(key)
			c, ok := number[name]
			if !ok {
				c = len(number)
				number[name] = c
				first = append(first, k)
			}
			refined[k] = c
		}
		class = refined
	}
	return class
}
