package contexttree

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"foretell/internal/panics"
)

// Options and symbols outside their range are errors of one line.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Alphabet: 1}, "contexttree: an alphabet of 1 symbols: want 2 to 256"},
		{Options{Alphabet: 257}, "contexttree: an alphabet of 257 symbols: want 2 to 256"},
		{Options{Alphabet: 2, Depth: -1}, "contexttree: depth -1: want 0 to 255"},
		{Options{Alphabet: 2, Depth: 256}, "contexttree: depth 256: want 0 to 255"},
		{Options{Alphabet: 2, Beta: 0.4}, "contexttree: β = 0.4: with 2 symbols, want at least 0.5 and less than 1"},
		{Options{Alphabet: 4, Beta: 1}, "contexttree: β = 1: with 4 symbols, want at least 0.75 and less than 1"},
		{Options{Alphabet: 2, Beta: math.NaN()}, "contexttree: β = NaN: with 2 symbols, want at least 0.5 and less than 1"},
		{Options{Alphabet: 2, Nodes: -1}, "contexttree: a budget of -1 nodes: want 1 to 2147483647"},
	} {
		if _, err := New(c.o); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
	tree := learned(t, Options{Alphabet: 3, Depth: 2, Nodes: 4}, []int32{0, 1, 2})
	for _, c := range []struct {
		symbols []int32
		want    string
	}{
		{[]int32{3}, "contexttree: symbol 3: want 0 to 2, at index 0"},
		{[]int32{-1}, "contexttree: symbol -1: want 0 to 2, at index 0"},
		{[]int32{0}, "contexttree: more than 4 nodes after 1 symbols: want a larger budget or depth < 2, at index 0"},
	} {
		if err := tree.Append(c.symbols); err == nil || err.Error() != c.want {
			t.Errorf("%d: %v, want %s", c.symbols, err, c.want)
		}
	}
	if tree.Coded() != 1 || tree.Nodes() != 3 {
		t.Errorf("after errors the tree has %d symbols and %d nodes", tree.Coded(), tree.Nodes())
	}
}

func TestPanics(t *testing.T) {
	tree := learned(t, Options{Alphabet: 3, Depth: 2}, []int32{0, 1, 2})
	for want, f := range map[string]func(){
		"room for 2 probabilities: want 3":  func() { tree.Next(make([]float64, 2)) },
		"symbol 3 in a past: want 0 to 2":   func() { tree.After(make([]float64, 3), []int32{0, 3}) },
		"the best 0 trees: want at least 1": func() { tree.Best(0) },
	} {
		if got := panics.Text(f); !strings.Contains(got, want) {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
}

// A budget is the number of nodes that the tree may have: with them all it learns on.
func TestExactBudget(t *testing.T) {
	x := drawn(500, 3, 2)
	nodes := learned(t, Options{Alphabet: 3, Depth: 2}, x).Nodes()
	if tree := learned(t, Options{Alphabet: 3, Depth: 2, Nodes: nodes}, x); tree.Nodes() != nodes || tree.Coded() != 498 {
		t.Errorf("with a budget of %d nodes, %d symbols are learned in %d", nodes, tree.Coded(), tree.Nodes())
	}
	tree, err := New(Options{Alphabet: 3, Depth: 2, Nodes: nodes - 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Append(x); err == nil {
		t.Errorf("a budget of %d nodes is exceeded without an error", nodes-1)
	}
}

// Without a budget given, a tree takes at most 512 MiB.
func TestDefaultBudget(t *testing.T) {
	for _, m := range []int{2, 7, 256} {
		tree := learned(t, Options{Alphabet: m, Depth: 4}, drawn(100, m, 1))
		size := 8*len(tree.odds) + 4*(len(tree.totals)+len(tree.counts)+len(tree.children))
		if share := float64(tree.most) * float64(size) / float64(tree.Nodes()) / (1 << 29); share < 0.999 || share > 1 {
			t.Errorf("%d symbols: %d nodes take %.4f of 512 MiB", m, tree.most, share)
		}
	}
}

// An alphabet of 256 symbols has a prior that 1 − β as a float64 would not hold.
func TestLargeAlphabet(t *testing.T) {
	x := make([]int32, 5000)
	for i := range x {
		x[i] = int32(i * i % 256)
	}
	tree := learned(t, Options{Alphabet: 256, Depth: 2}, x)
	if bits := tree.BitsPerSymbol(); !(bits > 0 && bits < 8) {
		t.Errorf("%g bits a symbol", bits)
	}
	if got := tree.Best(1)[0]; !(got.LogPosterior <= 0) {
		t.Errorf("the best tree has the log posterior %g", got.LogPosterior)
	}
}

// FuzzObserve gives trees any symbols: an error of one line that changes nothing, or a
// prediction that is a distribution, and the log-likelihood of what came.
func FuzzObserve(f *testing.F) {
	f.Add(uint8(2), uint8(3), uint8(50), []byte{0, 1, 1, 0, 1, 0, 1, 1})
	f.Add(uint8(3), uint8(0), uint8(1), []byte{0, 1, 2, 3})
	f.Add(uint8(4), uint8(9), uint8(5), []byte{0, 1, 2, 3, 2, 1, 255, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, m, depth, nodes uint8, symbols []byte) {
		tree, err := New(Options{Alphabet: int(m), Depth: int(depth), Nodes: int(nodes)})
		if err != nil {
			oneLine(t, err)
			return
		}
		next := make([]float64, m)
		for _, symbol := range symbols {
			tree.Next(next)
			before, coded, n := tree.LogLikelihood(), tree.Coded(), tree.Nodes()
			near(t, "the sum of probabilities", sumOf(next), 1, 1e-12)
			if err := tree.Observe(int(symbol)); err != nil {
				oneLine(t, err)
				if tree.LogLikelihood() != before || tree.Coded() != coded || tree.Nodes() != n {
					t.Fatal("an error changed the tree")
				}
				continue
			}
			if tree.Coded() > coded {
				near(t, "the code length", tree.LogLikelihood()-before, math.Log(next[symbol]), 1e-9)
			}
		}
		best := tree.Best(2)
		for _, model := range append(best, tree.Sample(uint64(nodes), 0)) {
			rate, err := model.EntropyRate()
			if err != nil || !(rate >= 0 && rate <= math.Log(float64(m))+1e-9) || !(model.LogPosterior <= 1e-12) {
				t.Fatalf("entropy rate %g, %v, log posterior %g", rate, err, model.LogPosterior)
			}
		}
	})
}

func oneLine(t *testing.T, err error) {
	t.Helper()
	if text := fmt.Sprint(err); text == "" || strings.Contains(text, "\n") {
		t.Errorf("an error of not one line: %q", text)
	}
}
