package contexttree

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// symbols reads a sequence of testdata.
func symbols(t testing.TB, name string) []int32 {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var x []int32
	for _, digit := range strings.TrimSpace(string(text)) {
		x = append(x, digit-'0')
	}
	return x
}

// learned returns the tree of given options that has observed symbols.
func learned(t testing.TB, o Options, x []int32) *Tree {
	t.Helper()
	tree, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Append(x); err != nil {
		t.Fatal(err)
	}
	return tree
}

// contexts writes the leaves of a model.
func contexts(m *Model) string {
	var all []string
	for _, leaf := range m.Leaves {
		all = append(all, strings.Trim(strings.ReplaceAll(fmt.Sprint(leaf.Context), " ", ""), "[]"))
	}
	return strings.Join(all, " ")
}

// R's BCT prints the same digits.
func TestReference(t *testing.T) {
	for _, c := range []struct {
		name                              string
		m, depth                          int
		likelihood, bits                  string
		leaves                            string
		leafDepth                         int
		logPosterior, greatestLogLikehood string
	}{
		{
			"pewee", 3, 5, "-375.038989", "0.40928",
			"00 0100 0101 0102 011 012 020 021 022 10 11 12 2", 4, "-2.52883923", "-323.919364",
		},
		{
			"el_nino", 2, 5, "-276.190556", "0.81318",
			"0 10 11", 2, "-1.22405214", "-266.265940",
		},
		{
			"gene_s", 4, 10, "-5069.744620", "1.91870",
			"0 1 20 21 22 23 3", 2, "-0.70247911", "-5008.282902",
		},
	} {
		tree := learned(t, Options{Alphabet: c.m, Depth: c.depth}, symbols(t, c.name))
		best := tree.Best(1)[0]
		for _, v := range []struct{ what, got, want string }{
			{"log-likelihood", fmt.Sprintf("%.6f", tree.LogLikelihood()), c.likelihood},
			{"bits a symbol", fmt.Sprintf("%.5f", tree.BitsPerSymbol()), c.bits},
			{"leaves", contexts(best), c.leaves},
			{"depth", fmt.Sprint(best.Depth()), fmt.Sprint(c.leafDepth)},
			{"log posterior", fmt.Sprintf("%.8f", best.LogPosterior), c.logPosterior},
			{"greatest log-likelihood", fmt.Sprintf("%.6f", best.MaxLogLikelihood()), c.greatestLogLikehood},
		} {
			if v.got != v.want {
				t.Errorf("%s: %s is %s, want %s", c.name, v.what, v.got, v.want)
			}
		}
	}
}

// R's log_loss predicts the second half of pewee one symbol at a time, and learns each.
func TestReferenceOfPrediction(t *testing.T) {
	x := symbols(t, "pewee")
	half := len(x) / 2
	tree := learned(t, Options{Alphabet: 3, Depth: 5}, x[:half])
	next, loss := make([]float64, 3), 0.0
	for _, symbol := range x[half:] {
		tree.Next(next)
		loss -= math.Log(next[symbol])
		if err := tree.Observe(int(symbol)); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprintf("%.6f", loss/float64(len(x)-half)); got != "0.325396" {
		t.Errorf("%s nats a symbol, want 0.325396", got)
	}
}
