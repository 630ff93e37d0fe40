package contexttree

import (
	"errors"
	"math"

	"foretell/internal/linalg"
	"foretell/internal/portable"
)

// A Model is one context tree with a distribution at each leaf: a Markov chain of
// variable memory.
type Model struct {
	// Leaves are the leaves, in lexicographic order of their contexts. Every past of D
	// symbols begins with exactly one of the contexts.
	Leaves []Leaf
	// LogPosterior is the natural logarithm of the tree's posterior probability.
	LogPosterior float64

	alphabet int
}

// A Leaf is a context at which a tree ends.
type Leaf struct {
	// Context are the past symbols, the most recent first. It is empty if nothing of the
	// past matters.
	Context []int32
	// Counts are the numbers of times that each symbol came after the context.
	Counts []uint32
	// Next is the distribution of the next symbol.
	Next []float64
}

// Depth is the length of the longest context.
func (m *Model) Depth() int {
	most := 0
	for _, leaf := range m.Leaves {
		most = max(most, len(leaf.Context))
	}
	return most
}

// MaxLogLikelihood is the greatest log-likelihood of the coded symbols that any
// parameters of the tree reach, in nats. They are the relative frequencies. AIC and BIC
// start from it, with m − 1 parameters at each leaf.
func (m *Model) MaxLogLikelihood() float64 {
	var likely sum
	for _, leaf := range m.Leaves {
		total := 0.0
		for _, n := range leaf.Counts {
			total += float64(n)
		}
		for _, n := range leaf.Counts {
			if n > 0 {
				likely.add(float64(n) * portable.Log(float64(n)/total))
			}
		}
	}
	return likely.value()
}

// EntropyRate is the entropy rate of the chain, in nats a symbol: Σ_s π(s)·H(θ_s) over
// its contexts s, with their stationary distribution π and the entropies H of the next
// symbol. It is a property of the model alone. For a model from [Tree.Sample] it is
// therefore a sample from the posterior of the entropy rate (Papageorgiou and
// Kontoyiannis, arXiv 2212.06705).
//
// The leaves need not be the states of a Markov chain, because the next context can
// depend on symbols that a short leaf has forgotten. EntropyRate refines the tree until
// they are. That multiplies their number by at most the tree's depth d; a chain of order
// d would have m^d states. For at most 256 states π is exact except for rounding, by
// elimination. For more states it comes from iteration, until the estimated error of the
// rate is below 1e-9. EntropyRate returns a one-line error if 100,000 steps do not reach
// that, or if products of probabilities underflow.
func (m *Model) EntropyRate() (float64, error) {
	c := m.chain()
	pi, err := c.stationary()
	if err != nil {
		return 0, err
	}
	entropies := make([]float64, len(m.Leaves))
	for i, leaf := range m.Leaves {
		entropies[i] = portable.Entropy(leaf.Next)
	}
	rate := 0.0
	for state, p := range pi {
		rate += float64(p * entropies[c.leaf[state]])
	}
	return rate, nil
}

// chain is the Markov chain of a model. Its states are contexts, and state i moves by a
// symbol to state after[i*alphabet+symbol], with the probability at leaf[i].
type chain struct {
	model *Model
	leaf  []int32
	after []int32
}

// chain returns the smallest one whose states refine the model's leaves. The next context
// is determined if a tree has, with each inner context, the same one without its most
// recent symbol.
func (m *Model) chain() *chain {
	t := refinement{alphabet: m.alphabet, first: []int32{0}, leaf: []int32{0}}
	for i, leaf := range m.Leaves {
		t.leaf[t.reach(leaf.Context)] = int32(i)
	}
	for _, leaf := range m.Leaves {
		for i := 1; i < len(leaf.Context); i++ {
			t.reach(leaf.Context[i:])
		}
	}
	c := &chain{model: m}
	t.state = make([]int32, len(t.first))
	for node, first := range t.first {
		if first == 0 {
			t.state[node] = int32(len(c.leaf))
			c.leaf = append(c.leaf, t.leaf[node])
		}
	}
	c.after = make([]int32, len(c.leaf)*m.alphabet)
	after := make([]int32, m.alphabet)
	for symbol := range after {
		after[symbol] = t.below(0, int32(symbol))
	}
	t.link(c, 0, after)
	return c
}

// refinement is a tree of contexts under construction. A node has no children or all.
type refinement struct {
	alphabet int
	first    []int32 // by node: its first child, 0 for a leaf; the others follow it
	leaf     []int32 // by node: the leaf of the model that its context begins with
	state    []int32 // by node: the number of a leaf
}

// reach returns the node of a context, and splits the nodes above it that are leaves.
func (t *refinement) reach(context []int32) (node int32) {
	for _, symbol := range context {
		if t.first[node] == 0 {
			t.first[node] = int32(len(t.first))
			for range t.alphabet {
				t.first = append(t.first, 0)
				t.leaf = append(t.leaf, t.leaf[node])
			}
		}
		node = t.first[node] + symbol
	}
	return node
}

// link sets the next states of all contexts at or below a node. after[i] is the node of
// the context that follows by symbol i, as far as the node's context determines it.
func (t *refinement) link(c *chain, node int32, after []int32) {
	if t.first[node] == 0 {
		for symbol, next := range after {
			c.after[int(t.state[node])*t.alphabet+symbol] = t.state[next]
		}
		return
	}
	for older := range int32(t.alphabet) {
		deeper := make([]int32, len(after))
		for symbol, next := range after {
			deeper[symbol] = t.below(next, older)
		}
		t.link(c, t.first[node]+older, deeper)
	}
}

// below is a child of a node, or the node if the node is a leaf.
func (t *refinement) below(node, symbol int32) int32 {
	if t.first[node] == 0 {
		return node
	}
	return t.first[node] + symbol
}

// Bounds of the stationary distribution: states of direct elimination, whose time grows
// with their cube, and steps and error of the iteration.
const (
	directStates   = 256
	iterationSteps = 100_000
	iterationError = 1e-10
)

var errStationary = errors.New("contexttree: the stationary distribution of the model's contexts was not found")

// stationary returns the stationary distribution of the states.
func (c *chain) stationary() ([]float64, error) {
	n := len(c.leaf)
	if n > directStates {
		return c.iterate()
	}
	matrix := make([]float64, n*n)
	for i := range n {
		for symbol, p := range c.next(i) {
			matrix[i*n+int(c.after[i*c.model.alphabet+symbol])] += p
		}
	}
	pi, ok := linalg.Stationary(matrix, n)
	if !ok {
		return nil, errStationary
	}
	return pi, nil
}

// next is the distribution of the next symbol in a state.
func (c *chain) next(state int) []float64 { return c.model.Leaves[c.leaf[state]].Next }

// iterate moves a distribution by half steps of the chain, which also converge if the
// chain is nearly periodic. The changes shrink geometrically in the end, so the rest of
// their sum follows from the last two.
func (c *chain) iterate() ([]float64, error) {
	n := len(c.leaf)
	pi, moved := make([]float64, n), make([]float64, n)
	for i := range pi {
		pi[i] = 1 / float64(n)
	}
	before := math.Inf(1)
	for range iterationSteps {
		c.step(moved, pi)
		change := 0.0
		for i := range pi {
			change += math.Abs(moved[i] - pi[i])
		}
		if rest := change / (1 - change/before); change == 0 || change < before && rest < iterationError {
			return moved, nil
		}
		before, pi, moved = change, moved, pi
	}
	return nil, errStationary
}

// step sets moved to the mean of a distribution and the one after a symbol.
func (c *chain) step(moved, pi []float64) {
	for i, p := range pi {
		moved[i] = p / 2
	}
	for i, p := range pi {
		for symbol, q := range c.next(i) {
			moved[c.after[i*c.model.alphabet+symbol]] += float64(p*q) / 2
		}
	}
}
