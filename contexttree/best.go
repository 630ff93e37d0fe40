package contexttree

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/internal/portable"
)

// Best returns the k trees of the highest posterior probability, the most probable (MAP)
// first, or all trees if there are fewer (the algorithms BCT and k-BCT of Kontoyiannis et
// al. 2022). The distributions at their leaves are posterior means. It panics if k < 1.
// It takes time O(Nodes·m·k² log k).
func (t *Tree) Best(k int) []*Model {
	if k < 1 {
		panic(fmt.Sprintf("contexttree: the best %d trees: want at least 1", k))
	}
	s := search{tree: t, most: k, unseen: make([][]*choice, t.depth+1)}
	var models []*Model
	for _, c := range s.below(0, 0) {
		b := builder{tree: t, model: &Model{LogPosterior: c.log, alphabet: t.alphabet}, next: t.means}
		b.follow(c, 0, nil)
		models = append(models, b.model)
	}
	return models
}

// choice is a tree below a node, or, while it is put together, that node with the trees
// below its first children. A chain of choices holds one child each: parts of trees are
// shared, and a longer choice leaves the shorter ones as they are.
type choice struct {
	log    float64 // ln of the posterior probability, given that the node is in the model
	child  *choice // the tree below the last of the children so far
	before *choice // the choice without that child; nil for a leaf and for a start
}

// search finds the best trees below each node.
type search struct {
	tree   *Tree
	most   int
	unseen [][]*choice // by depth: below contexts that were not seen, which are all alike
}

// below returns the best trees below a node, the most probable first. Of two equally
// probable ones the smaller comes first.
func (s *search) below(node int32, depth int) []*choice {
	if node == none && s.unseen[depth] != nil {
		return s.unseen[depth]
	}
	leaf, split := s.tree.logWeights(node, depth)
	best := []*choice{{log: leaf}}
	if depth < s.tree.depth {
		whole := []*choice{{log: split}}
		for j := range s.tree.alphabet {
			whole = s.extend(whole, s.below(s.tree.child(node, j), depth+1))
		}
		best = s.keep(append(best, whole...))
	}
	if node == none {
		s.unseen[depth] = best
	}
	return best
}

// extend appends each of the trees of a child to each of the choices.
func (s *search) extend(choices, child []*choice) []*choice {
	all := make([]*choice, 0, len(choices)*len(child))
	for _, before := range choices {
		for _, c := range child {
			all = append(all, &choice{log: before.log + c.log, child: c, before: before})
		}
	}
	return s.keep(all)
}

// keep returns the most probable choices.
func (s *search) keep(choices []*choice) []*choice {
	if len(choices) > 1 {
		slices.SortStableFunc(choices, func(a, b *choice) int { return cmp.Compare(b.log, a.log) })
	}
	return choices[:min(len(choices), s.most)]
}

// none is a context that was not seen.
const none int32 = -1

// child is the node of a context that has one more symbol than a node's.
func (t *Tree) child(node int32, symbol int) int32 {
	if node == none {
		return none
	}
	if child := t.children[int(node)*t.alphabet+symbol]; child != 0 {
		return child
	}
	return none
}

// logWeights are the logarithms of [Tree.weights]. Of a context that was not seen they
// are the prior's.
func (t *Tree) logWeights(node int32, depth int) (leaf, split float64) {
	odds := t.prior
	switch {
	case depth == t.depth:
		return 0, 0
	case node != none:
		odds = t.odds[node]
	}
	return -softplus(-odds), -softplus(odds)
}

// softplus is ln(1 + eˣ), with an absolute error of rounding.
func softplus(x float64) float64 {
	if x > 0 {
		return x + softplus(-x)
	}
	return portable.Log(1 + portable.Exp(x))
}

// builder makes a model from the leaves of a tree.
type builder struct {
	tree  *Tree
	model *Model
	next  func(counts []uint32) []float64
}

// follow appends the leaves of a choice below the node of a context.
func (b *builder) follow(c *choice, node int32, context []int32) {
	if c.before == nil {
		b.leaf(node, context)
		return
	}
	children := make([]*choice, b.tree.alphabet)
	for j := len(children) - 1; j >= 0; j-- {
		children[j], c = c.child, c.before
	}
	for j, child := range children {
		b.follow(child, b.tree.child(node, j), append(context, int32(j)))
	}
}

// leaf appends a leaf.
func (b *builder) leaf(node int32, context []int32) {
	counts := make([]uint32, b.tree.alphabet)
	if node != none {
		copy(counts, b.tree.counts[int(node)*b.tree.alphabet:])
	}
	b.model.Leaves = append(b.model.Leaves, Leaf{Context: slices.Clone(context), Counts: counts, Next: b.next(counts)})
}

// means are the posterior means of a leaf's parameters: the Krichevsky–Trofimov estimate.
func (t *Tree) means(counts []uint32) []float64 {
	next, total := make([]float64, len(counts)), float64(len(counts))/2
	for _, n := range counts {
		total += float64(n)
	}
	for j, n := range counts {
		next[j] = (float64(n) + 0.5) / total
	}
	return next
}
