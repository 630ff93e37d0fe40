package craft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"
	"foretell/process"
)

// everyReader is a design with something in every place that reads a direction, and the
// places by name.
func everyReader() (d Design, places map[string]*string) {
	d = copier(3, 5, 1)
	d.Blocks[0].Heads[0].Attend = append(d.Blocks[0].Heads[0].Attend, Score{"token 0", "token 1", 1})
	d.Blocks[1].Rules[0].Unless = []string{"token 0"}
	last := len(d.Blocks[0].Heads[0].Attend) - 1
	return d, map[string]*string{
		"a query":      &d.Blocks[0].Heads[0].Attend[last].Query,
		"a key":        &d.Blocks[0].Heads[0].Attend[last].Key,
		"a move":       &d.Blocks[0].Heads[0].Move[0].From,
		"a function":   &d.Blocks[1].Functions[0].From,
		"a rule's if":  &d.Blocks[1].Rules[0].If[0],
		"the second":   &d.Blocks[1].Rules[0].If[1],
		"its unless":   &d.Blocks[1].Rules[0].Unless[0],
		"the logits":   &d.Logits[0].From,
		"a later one":  &d.Logits[3].From,
		"the last one": &d.Logits[len(d.Logits)-1].From,
	}
}

// Wherever a design reads, it reads the constant and what was written before, and nothing
// else: not what nobody writes, and not what is written later or by the same layer's MLP.
func TestReadersReadWhatIsThere(t *testing.T) {
	_, places := everyReader()
	for place := range places {
		for name, good := range map[string]bool{
			Always: true, "token 2": true, "position 4": true, "nowhere": false, "token": false, "token 3": false,
			"copied 1": place != "a query" && place != "a key" && place != "a move",
			"twice":    place == "the logits" || place == "a later one" || place == "the last one",
			"second":   place == "the logits" || place == "a later one" || place == "the last one",
		} {
			d, places := everyReader()
			*places[place] = name
			if _, err := d.Build(); (err == nil) != good {
				t.Errorf("%s reads %q: %v", place, name, err)
			}
		}
	}
	d, _ := everyReader()
	for _, to := range []string{Always, "position 0", "copied 0", "nowhere"} {
		d.Logits[0].To = to
		if _, err := d.Build(); err == nil {
			t.Errorf("%q is a token", to)
		}
	}
}

// λ masks from its bounds on: (β·heads + 50)/2, 2β in place of β·heads for the transposed
// layer, and for the logarithms of P half of 50 more than that of its least entry, which
// counts for 50 at most.
func TestLeastLambda(t *testing.T) {
	for _, test := range []struct {
		P     [][]float64
		lags  []int
		third ThirdLayer
		beta  float64
		least float64
	}{
		{[][]float64{{0.5, 0.5}, {0.5, 0.5}}, []int{1, 2}, Masked, 10, 35},
		{[][]float64{{0.5, 0.5}, {0.5, 0.5}}, []int{1, 2}, Positional, 11, 36},
		{[][]float64{{0.5, 0.5}, {0.5, 0.5}}, []int{1, 2}, Transposed, 25, 50},
		{[][]float64{{0.5, 0.5}, {0.5, 0.5}}, []int{1, 2, 3}, Masked, 20, 55},
		{[][]float64{{0, 1}, {1, 0}}, []int{1, 2}, Masked, 1, 50},
		{[][]float64{{0.5, 0.5}, {1e-30, 1 - 1e-30}}, []int{1, 2}, Masked, 1, 50},
		{[][]float64{{0.25, 0.75}, {0.75, 0.25}}, []int{3}, Masked, 1, (-math.Log(0.25) + 50) / 2},
	} {
		chain, err := process.NewInterleaved(test.P, test.lags)
		if err != nil {
			t.Fatal(err)
		}
		c := Induction{Chain: chain, NCtx: 9, Beta: test.beta, Third: test.third}
		for lambda, good := range map[float64]bool{
			test.least: true, test.least + 1e-12*test.least: true, math.Nextafter(test.least, 0): false, 1: false,
		} {
			c.Lambda = lambda
			if _, err := c.Transformer(); (err == nil) != good {
				t.Errorf("P %v, lags %v, β = %v: λ = %v: %v", test.P, test.lags, test.beta, lambda, err)
			}
		}
	}
}

// The matrices of a construction assemble to its transformer, to the bit; one entry
// changed is one weight changed. As many of layer 2 as of layer 3 are needed, and what is
// wrong with a construction is wrong with all that is made of it.
func TestAssembledIsTheTransformer(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 13))
	for _, lags := range [][]int{{1, 2}, {1, 3}, {1, 2, 3}} {
		for _, c := range variants(lags) {
			c.Chain, c.NCtx, c.Beta, c.Lambda = randomChain(t, rng, 3, lags), 7, 100, 500
			want, err := c.Transformer()
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := c.Matrices()
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Assemble(blocks)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Weights.Data, want.Weights.Data) {
				t.Errorf("lags %v, %+v: other weights", lags, c)
			}
			last := len(blocks.Sum) - 1
			for _, entry := range []*float64{
				&blocks.Extract[2][1], &blocks.Gather[last][3][2], &blocks.Select[4][0], &blocks.Sum[last][1][5],
			} {
				before := *entry
				*entry = 12345
				changed, err := c.Assemble(blocks)
				if err != nil {
					t.Fatal(err)
				}
				*entry = before
				n := 0
				for i, w := range changed.Weights.Data {
					if w != want.Weights.Data[i] {
						n++
					}
				}
				if n != 1 {
					t.Errorf("lags %v, %+v: an entry is %d weights", lags, c, n)
				}
			}
			if text := panics.Text(func() {
				blocks.Sum = blocks.Sum[:last]
				_, _ = c.Assemble(blocks)
			}); !strings.HasPrefix(text, "craft: ") {
				t.Errorf("lags %v, %+v: a head without its third layer does not panic with what is wrong", lags, c)
			}
		}
	}
	bad := Induction{Chain: randomChain(t, rng, 3, []int{1}), NCtx: 1, Beta: 1, Lambda: 100}
	for what, try := range map[string]func() error{
		"transformer": func() error { _, err := bad.Transformer(); return err },
		"matrices":    func() error { _, err := bad.Matrices(); return err },
		"assembled":   func() error { _, err := bad.Assemble(&InductionMatrices{}); return err },
		"standard":    func() error { _, err := bad.Standard(); return err },
		"closed form": func() error { _, err := bad.ClosedForm([]int32{0}); return err },
	} {
		if try() == nil {
			t.Errorf("%s: a context of one token is no error", what)
		}
	}
	good := Induction{Chain: randomChain(t, rng, 3, []int{1}), NCtx: 4, Beta: 1, Lambda: 100}
	m, err := good.Transformer()
	if err != nil {
		t.Fatal(err)
	}
	for _, tokens := range [][]int32{{3}, {-1}, {0, 1, 2, 0, 1}, nil} {
		if _, err := InductionPass(m, tokens); err == nil {
			t.Errorf("tokens %v pass", tokens)
		}
		if _, err := good.ClosedForm(tokens); err == nil {
			t.Errorf("tokens %v have a closed form", tokens)
		}
	}
}

// The formula of an entry is asked for once for each row and column, in their places.
func TestFillInduction(t *testing.T) {
	m := FillInduction(3, func(row, column int) float64 { return float64(10*row + column) })
	if fmt.Sprint(m) != "[[0 1 2] [10 11 12] [20 21 22]]" {
		t.Errorf("%v", m)
	}
}

// Every number of every construction is checked: one that is no whole number where it has
// to be, and one that is out of range, by the construction and by its fields.
func TestConstructionsCheckTheirNumbers(t *testing.T) {
	for name, numbers := range map[string][]string{
		"coin": {"n_ctx", "width"}, "coin-attention": {"n_ctx", "width"}, "induction": {"n_ctx", "heads"},
		"delay": {"delay", "values", "planes", "n_ctx"}, "switching-delay": {"values", "n_ctx"},
		"routing": {"numbers", "n_ctx"}, "brackets": {"depth", "tags", "n_ctx"},
	} {
		for _, number := range numbers {
			for _, bad := range []float64{1.5, -3, 1e9, math.Inf(1)} {
				if number == "width" && bad == 1e9 { // more than are needed, of which some do
					continue
				}
				if _, err := Make(name, process.Params{number: bad}); err == nil {
					t.Errorf("%s: %s = %v is no error", name, number, bad)
				}
			}
		}
	}
	signal := Signal{8, Sinusoidal}
	delay := Delay{Delay: 2, Key: 0.1, Values: 4, Planes: 2, Elsewhere: 1e-6, Signal: Signal{8, Rotary}}
	switching := SwitchingDelay{Delays: []int{2, 3}, Key: 0.1, Values: 4, Signal: signal}
	routing := Routing{Set: 0.1, Apply: 0.2, Numbers: 4, Signal: signal}
	brackets := Brackets{Open: 0.2, Close: 0.2, Depth: 2, Tags: 2, NCtx: 8}
	for what, d := range map[string]func() (Design, error){
		"delay": delay.Design, "switching": switching.Design, "routing": routing.Design, "brackets": brackets.Design,
		"delay with most elsewhere":  func() (Design, error) { c := delay; c.Elsewhere = 0.1; return c.Design() },
		"delay with least elsewhere": func() (Design, error) { c := delay; c.Elsewhere = 1e-30; return c.Design() },
		"delay of one plane":         func() (Design, error) { c := delay; c.Planes = 1; return c.Design() },
		"delay of most planes":       func() (Design, error) { c := delay; c.Planes = 16; return c.Design() },
	} {
		if _, err := d(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, d := range map[string]func() (Design, error){
		"delay of a delay":            func() (Design, error) { c := delay; c.Delay = 0; return c.Design() },
		"delay of a context":          func() (Design, error) { c := delay; c.NCtx = 0; return c.Design() },
		"delay of no plane":           func() (Design, error) { c := delay; c.Planes = 0; return c.Design() },
		"delay of planes":             func() (Design, error) { c := delay; c.Planes = 17; return c.Design() },
		"delay with all elsewhere":    func() (Design, error) { c := delay; c.Elsewhere = 0.11; return c.Design() },
		"delay with none elsewhere":   func() (Design, error) { c := delay; c.Elsewhere = 0; return c.Design() },
		"delay with NaN elsewhere":    func() (Design, error) { c := delay; c.Elsewhere = math.NaN(); return c.Design() },
		"switching of a key":          func() (Design, error) { c := switching; c.Key = 2; return c.Design() },
		"switching of positions":      func() (Design, error) { c := switching; c.Positions = "learned"; return c.Design() },
		"switching of a long context": func() (Design, error) { c := switching; c.NCtx = 1025; return c.Design() },
		"routing of numbers":          func() (Design, error) { c := routing; c.Numbers = 0; return c.Design() },
		"routing of a context":        func() (Design, error) { c := routing; c.NCtx = 0; return c.Design() },
		"brackets of depth":           func() (Design, error) { c := brackets; c.Depth = 0; return c.Design() },
		"brackets of a context":       func() (Design, error) { c := brackets; c.NCtx = -1; return c.Design() },
	} {
		if _, err := d(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for what, try := range map[string]func() error{
		"a printed coin": func() error { _, err := PrintedCoin(0); return err },
		"its MLP":        func() error { _, err := CoinMethod(LogTable(4), 0); return err },
	} {
		if try() == nil {
			t.Errorf("%s without a context is no error", what)
		}
	}
}

// The plane for a frequency is the first that is slow enough, by trying them, and the
// slowest where none is.
func TestSlowerIsTheFirst(t *testing.T) {
	for _, width := range []int{2, 8, 64} {
		w := Waves{Sinusoidal, width}
		for _, most := range []float64{2, 1, 0.999, 0.1, 0.01, 1e-4, 1e-30, w.Frequency(w.Planes() - 1)} {
			want := w.Planes() - 1
			for k := w.Planes() - 1; k >= 0; k-- {
				if math.Pow(10000, -2*float64(k)/float64(width)) <= most*(1+1e-12) {
					want = k
				}
			}
			if got := w.Slower(most); got != want {
				t.Errorf("width %d, at most %g: plane %d, want %d", width, most, got, want)
			}
		}
	}
}

// Nats beyond what an exponential holds leave all attention elsewhere, or none.
func TestElsewhereOfManyNats(t *testing.T) {
	w := Waves{Sinusoidal, 8}
	for _, nats := range []float64{1e3, 1e6} {
		if e := w.Elsewhere([]Turn{{0, 2, -nats}}, 2, 6); e != 1 {
			t.Errorf("%v nats against: %v of the attention is elsewhere, want 1", nats, e)
		}
		if e := w.Elsewhere([]Turn{{0, 2, nats}}, 2, 6); !(e >= 0 && e < 1e-100) {
			t.Errorf("%v nats in favour: %v is elsewhere", nats, e)
		}
	}
	for _, nCtx := range []int{1, 2, 5} { // without nats all sources are alike
		if e := w.Elsewhere(nil, 0, nCtx); math.Abs(e-float64(nCtx-1)/float64(nCtx)) > 1e-15 {
			t.Errorf("%d sources: %v is elsewhere", nCtx, e)
		}
	}
}

// A search by halves ends at the last number for which something holds.
func TestBisect(t *testing.T) {
	for _, root := range []float64{0, 1e-300, 0.1, 1, math.Pi, 9.999999, 10} {
		got := bisect(0, 10, func(x float64) bool { return x*x <= root*root })
		if root*root > 1e-300 && math.Abs(got-root) > 4e-16*root || got > root {
			t.Errorf("√ of the square of %v is %v", root, got)
		}
	}
	if got := bisect(3, 3, func(float64) bool { return true }); got != 3 {
		t.Errorf("nothing to search in, and %v is found", got)
	}
	if got := bisect(-2, 5, func(float64) bool { return false }); got != -2 {
		t.Errorf("what holds nowhere ends at %v", got)
	}
}

// Directions that are numbers alone stand together, and so do those of one name.
func TestGroupsOfDirections(t *testing.T) {
	for direction, want := range map[string]string{
		"0": "number", "17": "number", "token 3": "token", "after OPEN": "after OPEN", "counted 12": "counted",
		"found by head 1: 2": "found by head 1:", "x9": "x",
	} {
		if got := groupOf(direction); got != want {
			t.Errorf("%q is in the group %q, want %q", direction, got, want)
		}
	}
	d := Design{
		Tokens: []string{"0", "1"}, NCtx: 2, Positions: []string{"here", "there"},
		Blocks: []Block{{Rules: []Rule{{If: []string{"0"}, Unless: []string{"here"}, To: "seen", Times: 1}}}},
		Logits: []Move{{"seen", "1", 1}, {Always, "0", 1}},
	}
	if got, want := fmt.Sprint(d.Wiring()), "{[embedding positions MLP 0 unembedding] [number here there seen] "+
		"[[1 0 0 0] [0 1 1 0] [-1 -1 0 1] [0 0 0 -1]]}"; got != want {
		t.Errorf("wiring %s, want %s", got, want)
	}
}

// More heads than a pattern has a use for, whatever the third layer, and a number between
// the fewest and the contiguous set's, are errors.
func TestHeadsOfInduction(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 13))
	for _, lags := range [][]int{{1, 2, 3}, {1, 2, 6}, {2, 5}, {1, 4, 6}} {
		fewest, hull := FewestHeads(lags).Heads, Hull(lags).Heads
		for heads := range hull + 3 {
			c := Induction{Chain: randomChain(t, rng, 2, lags), NCtx: 12, Beta: 10, Lambda: 100, Heads: heads, Third: Positional}
			good := heads <= min(fewest, hull) || heads == hull
			m, err := c.Transformer()
			if (err == nil) != good {
				t.Errorf("lags %v, %d heads of %d or %d: %v", lags, heads, fewest, hull, err)
			} else if want := heads; good {
				if heads == 0 {
					want = min(fewest, hull)
				}
				if got := m.Config.NHeads[1]; got != want {
					t.Errorf("lags %v: %d heads, want %d", lags, got, want)
				}
			}
		}
	}
}
