package contexttree

import (
	"foretell/internal/portable"
	"foretell/internal/random"
)

// Sample draws a tree and its parameters from their joint posterior distribution, exactly
// and independently of other samples (Papageorgiou and Kontoyiannis, arXiv 2202.02239).
// From the root on, a context ends where it is with its posterior probability, and
// otherwise has one more symbol, a branching process; at each leaf the distribution is
// Dirichlet with the counts plus ½. The seed and the index select the random numbers.
func (t *Tree) Sample(seed, index uint64) *Model {
	s := sampler{stream: random.New(seed, "contexttree/posterior", index)}
	s.builder = builder{tree: t, model: &Model{alphabet: t.alphabet}, next: s.dirichlet}
	s.draw(0, nil)
	return s.model
}

// sampler draws one model.
type sampler struct {
	builder
	stream *random.Stream
}

// draw appends the leaves of a tree below the node of a context.
func (s *sampler) draw(node int32, context []int32) {
	leaf, split := s.tree.logWeights(node, len(context))
	if len(context) == s.tree.depth || s.stream.Float64() < portable.Exp(leaf) {
		s.model.LogPosterior += leaf
		s.leaf(node, context)
		return
	}
	s.model.LogPosterior += split
	for j := range s.tree.alphabet {
		s.draw(s.tree.child(node, j), append(context, int32(j)))
	}
}

// dirichlet draws a distribution from the posterior of a leaf's parameters.
func (s *sampler) dirichlet(counts []uint32) []float64 {
	next, total := make([]float64, len(counts)), 0.0
	for j, n := range counts {
		next[j] = gamma(s.stream, n)
		total += next[j]
	}
	for j := range next {
		next[j] /= total
	}
	return next
}

// gamma draws from the Gamma distribution with shape n + ½ and scale 1: half the square
// of a normal number if n is 0, and otherwise by [random.Stream.Gamma].
func gamma(stream *random.Stream, n uint32) float64 {
	if n == 0 {
		x := stream.Normal()
		return float64(x*x) / 2
	}
	d, cube := stream.Gamma(float64(n) + 0.5)
	return float64(d * cube)
}
