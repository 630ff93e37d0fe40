package contexttree

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/stat/distuv"
)

// drawn are symbols of a chain of memory 1 whose rows are peaked.
func drawn(n, m int, seed uint64) []int32 {
	stream, x := random.New(seed, "contexttree/test"), make([]int32, n)
	for i := range x {
		if x[i] = int32(stream.IntN(m)); i > 0 && stream.Float64() < 0.6 {
			x[i] = (x[i-1] + 1) % int32(m)
		}
	}
	return x
}

// trees are all trees of at most a depth, as the lists of their leaves.
func trees(m, depth int) [][]string {
	all := [][]string{{""}}
	if depth == 0 {
		return all
	}
	splits := [][]string{nil}
	for j := range m {
		var longer [][]string
		for _, before := range splits {
			for _, below := range trees(m, depth-1) {
				tree := slices.Clone(before)
				for _, context := range below {
					tree = append(tree, fmt.Sprint(j)+context)
				}
				longer = append(longer, tree)
			}
		}
		splits = longer
	}
	return append(all, splits...)
}

// logJoint is ln of the prior of a tree times its marginal likelihood, as in
// Kontoyiannis et al. 2022, from counts taken in the sequence itself. Each segment has
// its initial context.
func logJoint(tree []string, m, depth int, beta float64, segments ...[]int32) float64 {
	total := float64(len(tree)-1) / float64(m-1) * math.Log(1-beta)
	for _, context := range tree {
		if len(context) < depth {
			total += math.Log(beta)
		}
		total += logMarginal(context, m, depth, segments...)
	}
	return total
}

// logMarginal is ln P_e of the symbols after a context.
func logMarginal(context string, m, depth int, segments ...[]int32) float64 {
	counts, n := make([]float64, m), 0.0
	for _, x := range segments {
		for i := depth; i < len(x); i++ {
			past := ""
			for d := range context {
				past += fmt.Sprint(x[i-1-d])
			}
			if past == context {
				counts[x[i]]++
				n++
			}
		}
	}
	gamma := func(x float64) float64 { y, _ := math.Lgamma(x); return y }
	total := gamma(float64(m)/2) - gamma(n+float64(m)/2)
	for _, c := range counts {
		total += gamma(c+0.5) - gamma(0.5)
	}
	return total
}

func logSum(x []float64) float64 {
	most, total := slices.Max(x), 0.0
	for _, v := range x {
		total += math.Exp(v - most)
	}
	return most + math.Log(total)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// The mixture is the sum over all trees, the best trees are the best of all, in order,
// and their probabilities are those of the enumeration.
func TestAllTrees(t *testing.T) {
	for _, c := range []struct {
		m, depth, n int
		beta        float64
	}{
		{2, 0, 20, 0}, {2, 1, 30, 0}, {2, 3, 60, 0}, {2, 3, 7, 0}, {2, 3, 60, 0.9}, {3, 2, 80, 0}, {3, 2, 5, 0.7}, {4, 2, 9, 0},
	} {
		if c.m == 4 && testing.Short() {
			c.depth = 1
		}
		x, beta := drawn(c.n, c.m, uint64(c.n)), c.beta
		if beta == 0 {
			beta = 1 - math.Ldexp(1, 1-c.m)
		}
		tree := learned(t, Options{Alphabet: c.m, Depth: c.depth, Beta: c.beta}, x)
		all := trees(c.m, c.depth)
		joint := make([]float64, len(all))
		byLeaves := map[string]float64{}
		for i, leaves := range all {
			joint[i] = logJoint(leaves, c.m, c.depth, beta, x)
			byLeaves[strings.Join(leaves, " ")] = joint[i]
		}
		name := fmt.Sprintf("m=%d D=%d n=%d", c.m, c.depth, c.n)
		near(t, name+": log-likelihood", tree.LogLikelihood(), logSum(joint), 1e-10)
		slices.SortFunc(joint, func(a, b float64) int { return cmp.Compare(b, a) })
		best := tree.Best(len(all) + 1)
		if len(best) != len(all) {
			t.Fatalf("%s: %d trees, want %d", name, len(best), len(all))
		}
		for i, model := range best {
			near(t, name+": log posterior in order", model.LogPosterior, joint[i]-tree.LogLikelihood(), 1e-9)
			near(t, name+": log posterior", model.LogPosterior, byLeaves[contexts(model)]-tree.LogLikelihood(), 1e-9)
		}
		for i, model := range tree.Best(3) {
			near(t, name+": the best three", model.LogPosterior, best[i].LogPosterior, 1e-12)
		}
	}
}

// Predictions are distributions, and the logarithms of what came add up to the
// log-likelihood.
func TestPrequential(t *testing.T) {
	for _, c := range []struct {
		name     string
		m, depth int
	}{{"pewee", 3, 5}, {"el_nino", 2, 0}, {"gene_s", 4, 10}} {
		tree, err := New(Options{Alphabet: c.m, Depth: c.depth})
		if err != nil {
			t.Fatal(err)
		}
		next, again, total := make([]float64, c.m), make([]float64, c.m), 0.0
		x := symbols(t, c.name)
		for i, symbol := range x {
			tree.Next(next)
			sum := 0.0
			for _, p := range next {
				sum += p
			}
			near(t, "the sum of probabilities", sum, 1, 1e-14)
			tree.After(again, x[:i])
			if !slices.Equal(next, again) {
				t.Fatalf("%s: after the same past %v and %v are predicted", c.name, next, again)
			}
			before := tree.LogLikelihood()
			if err := tree.Observe(int(symbol)); err != nil {
				t.Fatal(err)
			}
			if i < c.depth {
				continue
			}
			total += math.Log(next[symbol])
			near(t, "the change of the log-likelihood", tree.LogLikelihood()-before, math.Log(next[symbol]), 1e-11)
		}
		near(t, c.name+": the sum of log-probabilities", total, tree.LogLikelihood(), 1e-9)
		if tree.Coded() != len(x)-c.depth {
			t.Errorf("%s: %d symbols are coded", c.name, tree.Coded())
		}
	}
}

// After a restart no context reaches into what was before, and what was learned stays.
func TestRestart(t *testing.T) {
	a, b := drawn(40, 2, 1), drawn(25, 2, 2)
	tree := learned(t, Options{Alphabet: 2, Depth: 3}, a)
	tree.Restart()
	next := make([]float64, 2)
	if tree.Next(next); next[0] != 0.5 {
		t.Errorf("without a context %v is predicted", next)
	}
	if err := tree.Append(b); err != nil {
		t.Fatal(err)
	}
	var joint []float64
	for _, leaves := range trees(2, 3) {
		joint = append(joint, logJoint(leaves, 2, 3, 0.5, a, b))
	}
	near(t, "the log-likelihood of two segments", tree.LogLikelihood(), logSum(joint), 1e-10)
}

// mixture is ln P_w from the counts of the nodes, by the recursion of Willems et al.
func mixture(tree *Tree, node int32, depth int) float64 {
	m, gamma := float64(tree.alphabet), func(x float64) float64 { y, _ := math.Lgamma(x); return y }
	estimated, children := gamma(m/2)-gamma(float64(tree.totals[node])+m/2), 0.0
	for j := range tree.alphabet {
		i := int(node)*tree.alphabet + j
		estimated += gamma(float64(tree.counts[i])+0.5) - gamma(0.5)
		if child := tree.children[i]; child != 0 && depth < tree.depth {
			children += mixture(tree, child, depth+1)
		}
	}
	if depth == tree.depth {
		return estimated
	}
	beta := 1 - math.Ldexp(1, 1-tree.alphabet)
	return logSum([]float64{math.Log(beta) + estimated, math.Log(1-beta) + children})
}

// A long sequence loses no digits, neither one of pure chance nor one that is nearly
// certain, and a change of the source is followed although the odds were e^100000.
func TestLongSequences(t *testing.T) {
	const n = 300_000
	chance := drawn(n, 2, 3)
	certain := make([]int32, n)
	for i := range certain {
		certain[i] = int32(i % 2)
	}
	changed := append(slices.Clone(certain), chance...)
	for name, x := range map[string][]int32{"chance": chance, "certain": certain, "changed": changed} {
		tree := learned(t, Options{Alphabet: 2, Depth: 6}, x)
		want := mixture(tree, 0, 0)
		near(t, name+": log-likelihood", tree.LogLikelihood(), want, 1e-8*math.Max(1, math.Abs(want)))
	}
}

// frequent counts how often each tree is drawn.
func frequent(t *testing.T, tree *Tree, draws int) map[string]float64 {
	t.Helper()
	counts := map[string]float64{}
	for i := range draws {
		model := tree.Sample(7, uint64(i))
		counts[contexts(model)]++
		near(t, "the sum of a leaf's distribution", sumOf(model.Leaves[0].Next), 1, 1e-14)
	}
	return counts
}

func sumOf(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}

// Trees are drawn with their posterior probabilities: chi-square over all trees that are
// expected at least five times, and the others together.
func TestSampledTrees(t *testing.T) {
	const draws = 20_000
	for _, c := range []struct{ m, depth, n int }{{2, 3, 40}, {2, 3, 4}, {3, 2, 40}} {
		tree := learned(t, Options{Alphabet: c.m, Depth: c.depth}, drawn(c.n, c.m, 5))
		got := frequent(t, tree, draws)
		statistic, cells, rest, restGot := 0.0, 0, float64(draws), float64(draws)
		for _, model := range tree.Best(1000) {
			want := draws * math.Exp(model.LogPosterior)
			if want < 5 {
				continue
			}
			n := got[contexts(model)]
			statistic += (n - want) * (n - want) / want
			rest, restGot, cells = rest-want, restGot-n, cells+1
		}
		if rest >= 5 {
			statistic += (restGot - rest) * (restGot - rest) / rest
			cells++
		}
		if level := (distuv.ChiSquared{K: float64(cells - 1)}).Survival(statistic); cells < 4 || level < 0.001 {
			t.Errorf("m=%d D=%d n=%d: chi-square %.1f in %d cells, level %.2g", c.m, c.depth, c.n, statistic, cells, level)
		}
	}
}

// A sampled tree reports the probability by which it was drawn.
func TestSamplesLogPosterior(t *testing.T) {
	tree := learned(t, Options{Alphabet: 2, Depth: 3}, drawn(40, 2, 5))
	known := map[string]float64{}
	for _, model := range tree.Best(26) {
		known[contexts(model)] = model.LogPosterior
	}
	for i := range uint64(200) {
		model := tree.Sample(1, i)
		near(t, "the log posterior of a sample", model.LogPosterior, known[contexts(model)], 1e-12)
	}
}

// Parameters are drawn from their Dirichlet posterior: for two symbols Beta(a+½, b+½), by
// chi-square over twenty cells of equal probability.
func TestSampledParameters(t *testing.T) {
	const draws, cells = 20_000, 20
	for _, counts := range [][]uint32{{0, 0}, {1, 0}, {3, 5}, {40_000, 1}} {
		s, bins := sampler{}, make([]float64, cells)
		law := distuv.Beta{Alpha: float64(counts[0]) + 0.5, Beta: float64(counts[1]) + 0.5}
		s.stream = random.New(1, "contexttree/test")
		for range draws {
			next := s.dirichlet(counts)
			bins[min(cells-1, int(cells*law.CDF(next[0])))]++
		}
		statistic := 0.0
		for _, n := range bins {
			statistic += (n - draws/cells) * (n - draws/cells) / (draws / cells)
		}
		if level := (distuv.ChiSquared{K: cells - 1}).Survival(statistic); level < 0.001 {
			t.Errorf("counts %d: chi-square %.1f, level %.2g", counts, statistic, level)
		}
	}
}
