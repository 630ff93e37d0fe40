package contexttree

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/linalg"
	"foretell/internal/portable"
	"foretell/internal/random"
)

// fullChain is the entropy rate by the chain on all m^D contexts, as in the paper.
func fullChain(t *testing.T, m *Model, depth int) float64 {
	t.Helper()
	n := int(math.Pow(float64(m.alphabet), float64(depth)))
	matrix, entropies := make([]float64, n*n), make([]float64, n)
	for state := range n { // the most recent symbol is the most significant digit
		var past []int32
		for rest, d := state, 0; d < depth; d++ {
			past = append([]int32{int32(rest % m.alphabet)}, past...)
			rest /= m.alphabet
		}
		for _, leaf := range m.Leaves {
			if !slices.Equal(leaf.Context, past[:min(len(past), len(leaf.Context))]) {
				continue
			}
			entropies[state] = portable.Entropy(leaf.Next)
			for symbol, p := range leaf.Next {
				matrix[state*n+symbol*n/m.alphabet+state/m.alphabet] += p
			}
		}
	}
	pi, ok := linalg.Stationary(matrix, n)
	if !ok {
		t.Fatal("no stationary distribution")
	}
	rate := 0.0
	for i, p := range pi {
		rate += p * entropies[i]
	}
	return rate
}

// The refined tree has the entropy rate of the chain on all contexts, and iteration that
// of direct elimination.
func TestEntropyRateIsThatOfAllContexts(t *testing.T) {
	for _, c := range []struct{ m, depth, n int }{{2, 6, 200}, {3, 4, 300}, {4, 3, 50}, {2, 1, 50}} {
		tree := learned(t, Options{Alphabet: c.m, Depth: c.depth, Beta: 1 - 1/float64(c.m)}, drawn(c.n, c.m, 9))
		for i := range uint64(30) {
			model := tree.Sample(2, i)
			got, err := model.EntropyRate()
			if err != nil {
				t.Fatal(err)
			}
			near(t, "the entropy rate", got, fullChain(t, model, c.depth), 1e-12)
			chain := model.chain()
			direct, err := chain.stationary()
			if err != nil {
				t.Fatal(err)
			}
			iterated, err := chain.iterate()
			if err != nil {
				t.Fatal(err)
			}
			for j := range direct {
				near(t, "an iterated probability", iterated[j], direct[j], 1e-9)
			}
		}
	}
}

// A leaf that forgets what a longer one needs: after a 0 nothing matters, but 100 and 101
// differ in the symbol before the two 0s.
func TestShortLeavesAreRefined(t *testing.T) {
	leaves := []Leaf{
		{Context: []int32{0}, Next: []float64{0.3, 0.7}},
		{Context: []int32{1, 0, 0}, Next: []float64{0.9, 0.1}},
		{Context: []int32{1, 0, 1}, Next: []float64{0.2, 0.8}},
		{Context: []int32{1, 1}, Next: []float64{0.5, 0.5}},
	}
	model := &Model{Leaves: leaves, alphabet: 2}
	if states := len(model.chain().leaf); states != 5 {
		t.Errorf("%d states, want 5: 00, 01, 100, 101, 11", states)
	}
	got, err := model.EntropyRate()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the entropy rate", got, fullChain(t, model, 3), 1e-14)
}

// Models of more states than direct elimination takes are iterated. A single leaf has the
// entropy of its distribution.
func TestEntropyRateOfLargeAndSmallModels(t *testing.T) {
	tree := learned(t, Options{Alphabet: 2, Depth: 9, Beta: 0.5}, drawn(300, 2, 4))
	var leaves []Leaf
	for state := range 512 {
		context := make([]int32, 9)
		for d := range context {
			context[d] = int32(state >> (8 - d) & 1)
		}
		p := 0.1 + 0.8*float64(state*37%512)/512
		leaves = append(leaves, Leaf{Context: context, Next: []float64{p, 1 - p}})
	}
	model := &Model{Leaves: leaves, alphabet: 2}
	got, err := model.EntropyRate()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the entropy rate", got, fullChain(t, model, 9), 1e-9)

	const leave0, leave1 = 0.002, 0.001 // changes shrink by 0.15 % in each iteration
	for i, leaf := range model.Leaves {
		model.Leaves[i].Next = []float64{1 - leave0, leave0}
		if leaf.Context[0] == 1 {
			model.Leaves[i].Next = []float64{leave1, 1 - leave1}
		}
	}
	if got, err = model.EntropyRate(); err != nil {
		t.Fatal(err)
	}
	slow := (leave1*portable.Entropy([]float64{leave0, 1 - leave0}) +
		leave0*portable.Entropy([]float64{leave1, 1 - leave1})) / (leave0 + leave1)
	near(t, "the entropy rate of a slow chain", got, slow, 1e-12)

	single := &Model{Leaves: tree.Best(1)[0].Leaves[:1], alphabet: 2}
	single.Leaves[0].Context, single.Leaves[0].Next = nil, []float64{0.25, 0.75}
	if got, err = single.EntropyRate(); err != nil {
		t.Fatal(err)
	}
	near(t, "the entropy rate of a single leaf", got, portable.Entropy([]float64{0.25, 0.75}), 1e-15)
}

// known is the chain of memory {0, 10, 11}, and its probabilities of a 1.
var known = &Model{alphabet: 2, Leaves: []Leaf{
	{Context: []int32{0}, Next: []float64{0.1, 0.9}},
	{Context: []int32{1, 0}, Next: []float64{0.3, 0.7}},
	{Context: []int32{1, 1}, Next: []float64{0.8, 0.2}},
}}

// knownSymbols are drawn from it.
func knownSymbols(n int, seed uint64) []int32 {
	stream, x := random.New(seed, "contexttree/known"), make([]int32, n)
	for i := 2; i < n; i++ {
		leaf := known.Leaves[0]
		if x[i-1] == 1 {
			leaf = known.Leaves[1+x[i-2]]
		}
		if stream.Float64() >= leaf.Next[0] {
			x[i] = 1
		}
	}
	return x
}

// Of a source in the class the tree is found, the code length is its entropy rate plus
// about ½·ln n for each parameter, and the posterior interval contains the rate as often
// as it says.
func TestKnownChain(t *testing.T) {
	const n, seeds, samples = 10_000, 40, 200
	rate, err := known.EntropyRate()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the entropy rate", rate, 0.472160, 1e-5)
	excess, covered := 0.0, 0
	for seed := range uint64(seeds) {
		x := knownSymbols(n, seed)
		tree := learned(t, Options{Alphabet: 2, Depth: 6}, x)
		if got := contexts(tree.Best(1)[0]); got != "0 10 11" {
			t.Errorf("seed %d: the best tree is %s", seed, got)
		}
		own := 0.0 // ln of the probability by the source
		for _, leaf := range known.Leaves {
			for j, count := range tree.leafCounts(leaf.Context) {
				own += float64(count) * math.Log(leaf.Next[j])
			}
		}
		excess += (own - tree.LogLikelihood()) / seeds
		rates := make([]float64, samples)
		for i := range rates {
			if rates[i], err = tree.Sample(seed, uint64(i)).EntropyRate(); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(rates)
		if rates[samples/10] <= rate && rate <= rates[samples*9/10] {
			covered++
		}
	}
	// ½·ln n for each of three parameters is 13.8, minus what the leaves' shares take, and
	// the prior of the tree takes ln 32.
	if excess < 10 || excess > 20 {
		t.Errorf("the code is %.1f nats longer than the source's own", excess)
	}
	if covered < 25 || covered > 38 { // P < 0.01 outside, for 80 % of 40
		t.Errorf("the 80 %% interval contains the rate for %d seeds of %d", covered, seeds)
	}
}

// leafCounts are the counts of a context that was seen.
func (t *Tree) leafCounts(context []int32) []uint32 {
	node := int32(0)
	for _, symbol := range context {
		node = t.child(node, int(symbol))
	}
	return t.counts[int(node)*t.alphabet : (int(node)+1)*t.alphabet]
}
