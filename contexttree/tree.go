package contexttree

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

// Options are the parameters of a [Tree].
type Options struct {
	// Alphabet is m, the number of symbols, 2 to 256. The symbols are 0 to m−1.
	Alphabet int
	// Depth is D, the largest number of past symbols that a context can have, 0 to 255.
	Depth int
	// Beta is the prior probability that a context of less than D symbols is not longer;
	// 0 means 1 − 2^(1−m). It must be at least 1 − 1/m and less than 1: below this bound a
	// tree drawn from the prior grows exponentially with D.
	Beta float64
	// Nodes is the largest number of nodes that the tree may have; 0 means the number that
	// takes 512 MiB. A node takes 8m + 12 bytes, and more for a moment while slices grow.
	Nodes int
}

// A Tree predicts the next symbol of a sequence by the mixture of all context trees, and
// learns from each symbol. It is not safe for concurrent use.
//
// Each node is a context that was seen, and has the counts of the symbols that came after
// it. It also has the posterior odds that its context ends there, given that it is in the
// model: ln β·P_e(s) − ln (1−β)·Π_j P_w(js) in Kontoyiannis et al. 2022. They are all
// that prediction, the best trees and samples need, and a symbol changes them by one
// logarithm in each node on its path: ln P_e and ln P_w themselves, which grow with the
// sequence, are never subtracted from each other.
type Tree struct {
	alphabet, depth, most int
	prior                 float64 // ln β/(1−β)

	odds     []float64 // by node; the root is node 0
	totals   []uint32  // by node: the sum of its counts
	counts   []uint32  // alphabet for each node
	children []int32   // alphabet for each node; 0 for a missing child

	past   []int32 // the symbols since the last restart, or at least depth of them
	path   []int32 // nodes of the present context, the root first
	likely sum     // ln of the prior predictive likelihood
}

// New returns the tree that has seen nothing. It returns a one-line error if an option is
// outside its range.
func New(o Options) (*Tree, error) {
	if o.Alphabet < 2 || o.Alphabet > 256 {
		return nil, fmt.Errorf("contexttree: an alphabet of %d symbols: want 2 to 256", o.Alphabet)
	}
	if o.Depth < 0 || o.Depth > 255 {
		return nil, fmt.Errorf("contexttree: depth %d: want 0 to 255", o.Depth)
	}
	m := float64(o.Alphabet)
	if o.Beta != 0 && !(o.Beta >= 1-1/m && o.Beta < 1) {
		return nil, fmt.Errorf("contexttree: β = %g: with %d symbols, want at least %g and less than 1",
			o.Beta, o.Alphabet, 1-1/m)
	}
	perNode := 8*o.Alphabet + 12
	if o.Nodes == 0 {
		o.Nodes = 1 << 29 / perNode
	}
	if o.Nodes < 1 || o.Nodes > math.MaxInt32 {
		return nil, fmt.Errorf("contexttree: a budget of %d nodes: want 1 to %d", o.Nodes, math.MaxInt32)
	}
	t := &Tree{alphabet: o.Alphabet, depth: o.Depth, most: o.Nodes, path: make([]int32, 0, o.Depth+1)}
	if t.prior = portable.Log(math.Ldexp(1, o.Alphabet-1) - 1); o.Beta != 0 {
		t.prior = portable.Log(o.Beta) - portable.Log(1-o.Beta)
	}
	t.add()
	return t, nil
}

// Alphabet is the number of symbols.
func (t *Tree) Alphabet() int { return t.alphabet }

// Nodes is the number of contexts seen so far, the empty one included.
func (t *Tree) Nodes() int { return len(t.odds) }

// Coded is the number of symbols that were predicted: all except the first D, and the
// first D after each [Tree.Restart].
func (t *Tree) Coded() int { return int(t.totals[0]) }

// LogLikelihood is the natural logarithm of the prior predictive likelihood of the coded
// symbols: of their probability given the initial context, averaged over all trees and
// parameters. It equals the sum of the logarithms of their predictions ([Tree.Next]), so
// minus LogLikelihood is their prequential code length in nats.
func (t *Tree) LogLikelihood() float64 { return t.likely.value() }

// BitsPerSymbol is the prequential code length in bits for each coded symbol. It is NaN
// if there is no such symbol.
func (t *Tree) BitsPerSymbol() float64 {
	return -t.LogLikelihood() / (math.Ln2 * float64(t.Coded()))
}

// Restart declares a gap: the next D symbols are an initial context again. What was
// learned stays.
func (t *Tree) Restart() { t.past = t.past[:0] }

// Next fills dst, of length m, with the probability of each possible next symbol, given
// all observed ones: the mixture over all trees and their parameters. While the initial
// context is incomplete, it is the uniform distribution. It takes time O(D·m), and panics
// if the length is wrong.
func (t *Tree) Next(dst []float64) { t.After(dst, t.past) }

// After is [Tree.Next] after another past, whose last symbol is the most recent one. The
// tree does not learn from that past, so it can be an imagined one: a forecast of several
// symbols draws one after another. After also panics if it meets a symbol outside the
// alphabet.
func (t *Tree) After(dst []float64, past []int32) {
	if len(dst) != t.alphabet {
		panic(fmt.Sprintf("contexttree: room for %d probabilities: want %d", len(dst), t.alphabet))
	}
	for j := range dst {
		dst[j] = 1 / float64(t.alphabet) // what all trees predict after a context never seen
	}
	if len(past) < t.depth {
		return
	}
	t.walk(past)
	for d := len(t.path) - 1; d >= 0; d-- {
		leaf, split := t.weights(t.path[d], d)
		for j := range dst {
			dst[j] = float64(leaf*t.estimate(t.path[d], j)) + float64(split*dst[j])
		}
	}
}

// Observe learns the next symbol. It returns a one-line error if the symbol is outside
// the alphabet, or if the tree would exceed its budget of nodes; the tree is then
// unchanged. It takes time O(D).
func (t *Tree) Observe(symbol int) error {
	if symbol < 0 || symbol >= t.alphabet {
		return fmt.Errorf("contexttree: symbol %d: want 0 to %d", symbol, t.alphabet-1)
	}
	if len(t.past) >= t.depth {
		known, err := t.grow()
		if err != nil {
			return err
		}
		t.learn(symbol, known)
	}
	t.remember(symbol)
	return nil
}

// Append observes symbols one after another. Its error names the index of the first that
// cannot be observed; those before it have been.
func (t *Tree) Append(symbols []int32) error {
	for i, symbol := range symbols {
		if err := t.Observe(int(symbol)); err != nil {
			return fmt.Errorf("%w, at index %d", err, i)
		}
	}
	return nil
}

// walk sets path to the nodes of the context after a past that exist. The first symbol of
// a context is the most recent one.
func (t *Tree) walk(past []int32) {
	node, last := int32(0), len(past)-1
	t.path = append(t.path[:0], node)
	for d := range t.depth {
		symbol := int(past[last-d])
		if symbol < 0 || symbol >= t.alphabet {
			panic(fmt.Sprintf("contexttree: symbol %d in a past: want 0 to %d", symbol, t.alphabet-1))
		}
		if node = t.children[int(node)*t.alphabet+symbol]; node == 0 {
			return
		}
		t.path = append(t.path, node)
	}
}

// grow sets path to the nodes of the present context, adds those that are missing, and
// returns the number of the others.
func (t *Tree) grow() (known int, err error) {
	t.walk(t.past)
	known = len(t.path)
	switch missing := t.depth + 1 - known; {
	case len(t.odds)+missing > t.most:
		return 0, fmt.Errorf("contexttree: more than %d nodes after %d symbols: want a larger budget or depth < %d",
			t.most, t.Coded(), t.depth)
	case t.totals[0] == math.MaxUint32:
		return 0, fmt.Errorf("contexttree: the counts end at %d symbols", t.Coded())
	}
	last := len(t.past) - 1
	for d := known - 1; d < t.depth; d++ {
		child := t.add()
		t.children[int(t.path[d])*t.alphabet+int(t.past[last-d])] = child
		t.path = append(t.path, child)
	}
	return known, nil
}

// add appends a node without counts.
func (t *Tree) add() int32 {
	t.odds = append(t.odds, t.prior)
	t.totals = append(t.totals, 0)
	t.counts = append(t.counts, make([]uint32, t.alphabet)...)
	t.children = append(t.children, make([]int32, t.alphabet)...)
	return int32(len(t.odds) - 1)
}

// learn counts a symbol in the nodes of path, deepest first, and multiplies the odds of
// each by the ratio of the predictions of both hypotheses: that its context ends there,
// and that it continues. known is the number of nodes that existed before; to the others
// the symbol is the first one, of probability 1/m by both.
func (t *Tree) learn(symbol, known int) {
	p := 1 / float64(t.alphabet)
	for d := t.depth; d >= 0; d-- {
		node := t.path[d]
		if d < known {
			leaf, split := t.weights(node, d)
			ends := t.estimate(node, symbol)
			if d < t.depth {
				t.odds[node] += portable.Log(ends / p)
			}
			p = float64(leaf*ends) + float64(split*p)
		}
		t.counts[int(node)*t.alphabet+symbol]++
		t.totals[node]++
	}
	t.likely.add(portable.Log(p))
}

// remember appends a symbol to the past, and forgets what no context can contain.
func (t *Tree) remember(symbol int) {
	if len(t.past) >= 4096 {
		t.past = append(t.past[:0], t.past[len(t.past)-t.depth:]...)
	}
	t.past = append(t.past, int32(symbol))
}

// estimate is the probability of a symbol by the counts of a node: the estimate of
// Krichevsky and Trofimov, the mean under the Dirichlet prior with parameters ½.
func (t *Tree) estimate(node int32, symbol int) float64 {
	count, total := t.counts[int(node)*t.alphabet+symbol], t.totals[node]
	return (float64(count) + 0.5) / (float64(total) + float64(t.alphabet)/2)
}

// weights are the posterior probabilities that the context of a node at a depth ends
// there, and that it continues, given that it is in the model.
func (t *Tree) weights(node int32, depth int) (leaf, split float64) {
	if depth == t.depth {
		return 1, 0
	}
	odds := t.odds[node]
	small := portable.Exp(-math.Abs(odds))
	if leaf, split = 1/(1+small), small/(1+small); odds < 0 {
		leaf, split = split, leaf
	}
	return leaf, split
}

// sum adds numbers with compensation for rounding (Kahan 1965).
type sum struct{ total, lost float64 }

func (s *sum) add(x float64) {
	x -= s.lost
	next := s.total + x
	s.lost = (next - s.total) - x
	s.total = next
}

func (s *sum) value() float64 { return s.total }
