package craft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/process"
)

// contiguousSets are all contiguous sets of lags up to a maximum.
func contiguousSets(most int) (sets [][]int) {
	for first := 1; first <= most; first++ {
		for last := first; last <= most; last++ {
			var lags []int
			for k := first; k <= last; k++ {
				lags = append(lags, k)
			}
			sets = append(sets, lags)
		}
	}
	return sets
}

// randomLags draws a set of 2 to 5 lags up to 12.
func randomLags(rng *rand.Rand) []int {
	n := 2 + rng.IntN(4)
	lags := rng.Perm(12)[:n]
	for i := range lags {
		lags[i]++
	}
	slices.Sort(lags)
	return lags
}

// randomChain is a chain with a matrix that is drawn from the flat Dirichlet
// distribution.
func randomChain(t *testing.T, rng *rand.Rand, tokens int, lags []int) *process.Interleaved {
	t.Helper()
	P := make([][]float64, tokens)
	for i := range P {
		total := 0.0
		for range tokens {
			P[i] = append(P[i], rng.ExpFloat64())
			total += P[i][len(P[i])-1]
		}
		for j := range P[i] {
			P[i][j] /= total
		}
	}
	chain, err := process.NewInterleaved(P, lags)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// farthest returns the largest difference of two matrices; NaN counts as +∞.
func farthest(a, b [][]float64) float64 {
	worst := 0.0
	for i := range a {
		for j := range a[i] {
			if d := math.Abs(a[i][j] - b[i][j]); !(d <= worst) {
				worst = d
			}
		}
	}
	return worst
}

// disagreement is the largest difference between weights and closed form: of a layer's
// attention, or of the output.
func disagreement(t *testing.T, c Induction, tokens []int32) float64 {
	t.Helper()
	m, err := c.Transformer()
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	want, err := c.ClosedForm(tokens)
	if err != nil {
		t.Fatal(err)
	}
	got, err := InductionPass(m, tokens)
	if err != nil {
		t.Fatal(err)
	}
	worst := max(farthest(got.Extract, want.Extract), farthest(got.Select, want.Select), farthest(got.Output, want.Output))
	for h := range want.Gather {
		worst = max(worst, farthest(got.Gather[h], want.Gather[h]))
	}
	return worst
}

// variants are the constructions that a set of lags has.
func variants(lags []int) []Induction {
	list := []Induction{
		{},
		{Third: Positional},
		{Third: Masked},
		{Third: Positional, Heads: Hull(lags).Heads},
		{Average: PerTransition},
		{Third: Masked, Heads: 1},
		{Third: Positional, Heads: 1},
		{Third: Positional, Heads: 1, Average: PerTransition},
	}
	if len(lags) == 2 {
		list = append(list, Induction{Heads: 1}, Induction{Third: Transposed})
	}
	return list
}

// Every construction agrees with its closed form at every position, through the
// ordinary forward pass: for all contiguous sets and all pairs of lags up to 8 and for
// random sets, on sequences of the process and on tokens that no lag would lead to.
func TestInductionIsItsClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	sets := contiguousSets(8)
	for a := 1; a <= 8; a++ {
		for b := a + 2; b <= 8; b++ {
			sets = append(sets, []int{a, b})
		}
	}
	for range 20 {
		sets = append(sets, randomLags(rng))
	}
	worst := 0.0
	for _, lags := range sets {
		const tokens, length = 3, 26
		chain := randomChain(t, rng, tokens, lags)
		word := make([]int32, length)
		chain.Sample(word, rand.NewPCG(rng.Uint64(), 1))
		for i := range word[:rng.IntN(length)] {
			word[i] = int32(rng.IntN(tokens))
		}
		for _, c := range variants(lags) {
			c.Chain, c.NCtx, c.Beta, c.Lambda = chain, length, min(100, 900/float64(Hull(lags).Heads)), 500
			if d := disagreement(t, c, word); !(d <= 1e-9) {
				t.Errorf("lags %v, %+v: %.2e from the closed form", lags, c, d)
			} else {
				worst = max(worst, d)
			}
		}
	}
	t.Logf("%d sets: at most %.1e", len(sets), worst)
}

// With λ = 500 and β = 100, the paper's, and its example.
func TestInductionOfThePaper(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 13))
	for _, lags := range [][]int{{1, 2, 3}, {1, 3, 4}, {1, 2, 3, 4, 5}, {1, 3}, {3, 5, 7}, {2, 5}} {
		chain := randomChain(t, rng, 5, lags)
		word := make([]int32, 128)
		chain.Sample(word, rand.NewPCG(rng.Uint64(), 1))
		c := Induction{Chain: chain, NCtx: 128, Beta: 100, Lambda: 500}
		if d := disagreement(t, c, word); !(d <= 1e-9) {
			t.Errorf("lags %v: %.2e from the closed form", lags, d)
		}
	}
}

// PerTransition is Eq. 3 at every position from k̂ on.
func TestPerTransitionIsEquation3(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 13))
	for _, lags := range append(contiguousSets(5), randomLags(rng), randomLags(rng), []int{2, 5}) {
		chain := randomChain(t, rng, 4, lags)
		c := Induction{Chain: chain, NCtx: 30, Beta: 20, Lambda: 500, Average: PerTransition}
		m, err := c.Transformer()
		if err != nil {
			t.Fatal(err)
		}
		word := make([]int32, 30)
		chain.Sample(word, rand.NewPCG(rng.Uint64(), 1))
		eq3, err := chain.SelectiveInduction(c.Beta * float64(m.Config.NHeads[1]))
		if err != nil {
			t.Fatal(err)
		}
		got, err := InductionPass(m, word)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 4)
		for i, token := range word {
			if err := eq3.Observe(int(token)); err != nil {
				t.Fatal(err)
			}
			if i+1 < lags[len(lags)-1] {
				continue
			}
			eq3.Next(want)
			for z, p := range want {
				if d := math.Abs(got.Output[i][z] - p); !(d <= 1e-9) {
					t.Fatalf("lags %v, position %d: %v, want %v", lags, i+1, got.Output[i], want)
				}
			}
		}
	}
}

// A standard transformer has the same attention, and its output is the geometric mean of
// rows by the lags' weights.
func TestStandardInduction(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 13))
	for _, lags := range [][]int{{1, 2, 3}, {1, 3}, {2, 5}, {4}, {2, 3}} {
		chain := randomChain(t, rng, 3, lags)
		word := make([]int32, 20)
		chain.Sample(word, rand.NewPCG(rng.Uint64(), 1))
		for _, c := range variants(lags) {
			c.Chain, c.NCtx, c.Beta, c.Lambda = chain, len(word), 3, 500
			m, err := c.Standard()
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.ClosedForm(word)
			if err != nil {
				t.Fatal(err)
			}
			got, err := InductionPass(m, word)
			if err != nil {
				t.Fatal(err)
			}
			want.Output = geometric(chain.P(), want.Select, word)
			worst := max(farthest(got.Extract, want.Extract), farthest(got.Select, want.Select), farthest(got.Output, want.Output))
			for h := range want.Gather {
				worst = max(worst, farthest(got.Gather[h], want.Gather[h]))
			}
			if !(worst <= 1e-9) {
				t.Errorf("lags %v, %+v: %.2e from the closed form", lags, c, worst)
			}
		}
	}
}

// geometric is Π_j P_{s_j,z}^{w_ij} over its sum.
func geometric(P, weights [][]float64, word []int32) [][]float64 {
	var rows [][]float64
	for _, w := range weights {
		row, total := make([]float64, len(P)), 0.0
		for z := range row {
			for j, x := range w {
				row[z] += x * math.Log(P[word[j]][z])
			}
			row[z] = math.Exp(row[z])
			total += row[z]
		}
		for z := range row {
			row[z] /= total
		}
		rows = append(rows, row)
	}
	return rows
}

// A transition that cannot be has e^−λ for its probability: p̃ of one that can is 1
// beside it, and where none can be they count alike.
func TestInductionOfImpossibleTransitions(t *testing.T) {
	chain, err := process.NewInterleaved([][]float64{{0, 1, 0}, {0.5, 0, 0.5}, {1, 0, 0}}, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	c := Induction{Chain: chain, NCtx: 8, Beta: 100, Lambda: 500}
	m, err := c.Transformer()
	if err != nil {
		t.Fatal(err)
	}
	got, err := InductionPass(m, []int32{0, 1, 2, 0, 0, 0, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		i, j int
		want float64
	}{{2, 1, 1}, {2, 0, 0}, {5, 4, 0.5}, {5, 3, 0.5}} {
		if p := got.Extract[test.i][test.j]; math.Abs(p-test.want) > 1e-12 {
			t.Errorf("token %d attends to %d with %v, want %v", test.i+1, test.j+1, p, test.want)
		}
	}
	if d := disagreement(t, c, []int32{0, 1, 2, 0, 0, 0, 1, 0}); d > 1e-9 {
		t.Errorf("%.2e from the closed form", d)
	}
}

// The smallest λ that is taken masks sources, whatever the tokens and however unlike
// each other the entries of P, and the largest one has no probability underflow.
func TestInductionAtBoundsOfLambda(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 13))
	for _, P := range [][][]float64{
		{{0, 1}, {0.5, 0.5}},
		{{1e-9, 1 - 1e-9}, {0.5, 0.5}},
		{{0.01, 0.99}, {0.99, 0.01}},
	} {
		for _, lags := range [][]int{{1, 2}, {1, 3}, {2, 5}, {1, 2, 3}} {
			chain, err := process.NewInterleaved(P, lags)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range variants(lags) {
				for _, bounds := range [][2]float64{{1, 0}, {100, 0}, {1, 1e6}} {
					c.Chain, c.NCtx, c.Beta, c.Lambda = chain, 24, bounds[0], bounds[1]
					for c.Lambda == 0 || c.masksTooLittle() {
						c.Lambda += 1. / 4
					}
					word := make([]int32, c.NCtx)
					for i := range word {
						word[i] = int32(rng.IntN(2))
					}
					if d := disagreement(t, c, word); !(d <= 1e-9) {
						t.Errorf("P %v, lags %v, %+v: %.2e from the closed form", P, lags, c, d)
					}
				}
			}
		}
	}
}

func (c Induction) masksTooLittle() bool {
	_, err := c.resolve()
	return err != nil && strings.Contains(err.Error(), "is too small")
}

// brute returns the fewest heads for n offsets, by trying all.
func brute(lags []int, n int) int {
	far := differences(lags)
	for heads := 1; ; heads++ {
		of := make([]int, n)
		var place func(i int) bool
		place = func(i int) bool {
			if i == n {
				return true
			}
			for h := range heads {
				if !slices.ContainsFunc(far, func(d int) bool { return d <= i && of[i-d] == h }) {
					if of[i] = h; place(i + 1) {
						return true
					}
				}
			}
			return false
		}
		if place(0) {
			return heads
		}
	}
}

// Patterns keep transitions apart, and there are none with fewer heads.
func TestFewestHeads(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 13))
	sets := append(contiguousSets(4), []int{1, 3}, []int{1, 3, 4}, []int{1, 2, 5}, []int{1, 2, 6}, []int{2, 5})
	for range 30 {
		sets = append(sets, randomLags(rng))
	}
	for _, lags := range sets {
		p := FewestHeads(lags)
		if p.Heads < len(lags) || p.Heads > Hull(lags).Heads || !p.Proven {
			t.Errorf("lags %v: %+v", lags, p)
		}
		for offset := range 3 * len(p.Of) {
			for _, d := range differences(lags) {
				if p.Head(offset) == p.Head(offset+d) {
					t.Fatalf("lags %v: offsets %d and %d share head %d of %v", lags, offset, offset+d, p.Head(offset), p.Of)
				}
			}
		}
		if want := brute(lags, max(p.Segment, 1)); p.Segment > 0 && want != p.Heads {
			t.Errorf("lags %v: %d heads, and %d offsets can do with %d", lags, p.Heads, p.Segment, want)
		}
		if len(lags) == 3 && p.Heads != threeLags(lags) {
			t.Errorf("lags %v: %d heads, want %d", lags, p.Heads, threeLags(lags))
		}
	}
	for lags, want := range map[[3]int]int{{1, 3, 4}: 4, {1, 2, 6}: 3, {1, 2, 5}: 4, {3, 5, 7}: 3} {
		if got := FewestHeads(lags[:]).Heads; got != want {
			t.Errorf("lags %v: %d heads, want %d", lags, got, want)
		}
	}
}

// threeLags is what the theorem on distance graphs says of differences x, y and x+y.
func threeLags(lags []int) int {
	x, y := lags[1]-lags[0], lags[2]-lags[1]
	a, b := x, y
	for b != 0 {
		a, b = b, a%b
	}
	if (x/a-y/a)%3 == 0 {
		return 3
	}
	return 4
}

// The examples of the paper: two tokens in a row, two left out (App. I.1); three of six
// (App. J).
func TestFewestHeadsOfTwoLags(t *testing.T) {
	if p := FewestHeads([]int{1, 3}); !slices.Equal(p.Of, []int{0, 0, 1, 1}) {
		t.Errorf("%+v", p)
	}
	if p := FewestHeads([]int{2, 5}); !slices.Equal(p.Of, []int{0, 0, 0, 1, 1, 1}) {
		t.Errorf("%+v", p)
	}
}

// Sets that are too large to be searched through have a pattern, too.
func TestFewestHeadsOfManyLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 13))
	for _, n := range []int{3, 12, 64} {
		lags := rng.Perm(1024)[:n]
		for i := range lags {
			lags[i]++
		}
		slices.Sort(lags)
		p := FewestHeads(lags)
		for offset := range len(p.Of) {
			for _, d := range differences(lags) {
				if p.Head(offset) == p.Head(offset+d) {
					t.Fatalf("%d lags: offsets %d and %d share a head", n, offset, offset+d)
				}
			}
		}
		if p.Heads < n || p.Heads > Hull(lags).Heads {
			t.Errorf("%d lags: %d heads", n, p.Heads)
		}
		t.Logf("%d lags up to 1024: %d heads, proven %v, the contiguous set %d", n, p.Heads, p.Proven, Hull(lags).Heads)
	}
}

func TestInductionNamesTheMistake(t *testing.T) {
	P := [][]float64{{0.9, 0.1}, {0.2, 0.8}}
	of := func(c Induction, lags ...int) Induction {
		chain, err := process.NewInterleaved(P, lags)
		if err != nil {
			t.Fatal(err)
		}
		c.Chain = chain
		c.NCtx, c.Beta, c.Lambda = max(c.NCtx, 0), max(c.Beta, -1), max(c.Lambda, -1)
		if c.NCtx == 0 {
			c.NCtx = 16
		}
		if c.Beta == 0 {
			c.Beta = 100
		}
		if c.Lambda == 0 {
			c.Lambda = 500
		}
		return c
	}
	for want, c := range map[string]Induction{
		"induction: Chain is nil; give the chain":                                                          {},
		"induction: n_ctx = 1 is outside [2, 4096]":                                                        of(Induction{NCtx: 1}, 1),
		"induction: lag 16 leaves no transition in a context of n_ctx = 16 tokens; give an n_ctx above 16": of(Induction{}, 1, 16),
		"induction: heads = 4 is more than the 3 that these lags need":                                     of(Induction{Heads: 4}, 1, 2, 3),
		"induction: heads = 4 cannot be used with these lags; give at most 3, or 6 for":                    of(Induction{Heads: 4}, 1, 2, 6),
		"induction: heads = -1 is negative":                                                                of(Induction{Heads: -1}, 1, 2),
		"induction: beta = -1 is outside (0, 1e+06]":                                                       of(Induction{Beta: -1}, 1, 2),
		"induction: lambda = 100 is too small for beta·heads = 300":                                        of(Induction{Lambda: 100}, 1, 2, 3),
		`induction: third_layer = "mask" is not one of masked, positional, transposed`:                     of(Induction{Third: "mask"}, 1, 2),
		`induction: average = "all" is not one of head, transition`:                                        of(Induction{Average: "all"}, 1, 2),
		`induction: average = "transition" needs a positional third layer, not a masked one`:               of(Induction{Third: Masked, Average: PerTransition}, 1, 2),
		`induction: third_layer = "transposed" is for two lags with one head, not for 3`:                   of(Induction{Third: Transposed}, 1, 2, 3),
		`induction: third_layer = "transposed" is for one head, not for 2`:                                 of(Induction{Third: Transposed, Heads: 2}, 1, 2),
		"induction: lambda = 124 is too small for 2·beta = 200":                                            of(Induction{Heads: 1, Lambda: 124}, 1, 3),
		"induction: lambda = 26 is too small for the logarithm of P's smallest entry, 0.1":                 of(Induction{Beta: 1, Lambda: 26}, 3),
	} {
		_, err := c.Transformer()
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
	c := of(Induction{}, 1, 2)
	for want, tokens := range map[string][]int32{
		"induction: token 2 at position 1 is outside the alphabet [0, 1]": {2},
		"induction: a context of 17 tokens is outside [1, n_ctx = 16]":    make([]int32, 17),
	} {
		if _, err := c.ClosedForm(tokens); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
