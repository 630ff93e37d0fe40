package craft

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"foretell/internal/random"
	"foretell/model"
	"foretell/process"

	"pgregory.net/rapid"
)

// coinModels are the two answers.
var coinModels = []struct {
	name  string
	build func(Coin) (*model.Transformer[float64], error)
}{
	{"one head and an MLP", Coin.Transformer},
	{"heads alone", Coin.AttentionOnly},
}

// priors are those of claim C5.
var priors = [][2]float64{{1, 1}, {0.5, 0.5}, {2, 5}}

// After every count of heads and tails that fits the context, by the ordinary forward
// pass, the error is at most what was asked for. The MLP's bound is reached.
func TestCoinPredictsEveryCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Coin{
			A: math.Exp(rapid.Float64Range(-4, 6).Draw(t, "log a")), B: math.Exp(rapid.Float64Range(-4, 6).Draw(t, "log b")),
			NCtx:  rapid.IntRange(1, 24).Draw(t, "n_ctx"),
			Error: math.Pow(10, rapid.Float64Range(-8, -1).Draw(t, "log error")),
		}
		for _, m := range coinModels {
			built, err := m.build(c)
			if err != nil {
				t.Fatal(err)
			}
			if worst := WorstCount(built, c.A, c.B); worst.Error > c.Error {
				t.Fatalf("%+v, %s: %+v", c, m.name, worst)
			}
		}
	})
}

// TestCoinOfC5 holds claim C5 in a context of 1024 tokens. Attention over that many is
// slow in float64, so the forward pass covers some numbers of heads with every number
// of tails; the exact posterior means of all 524,800 counts go through the curve alone,
// which is what the MLP computes of them.
func TestCoinOfC5(t *testing.T) {
	const nCtx = 1024
	for _, prior := range priors {
		c := Coin{A: prior[0], B: prior[1], NCtx: nCtx, Error: 1e-6}
		curve, worst := c.logOdds(), 0.0
		for n := range nCtx {
			for heads := range n + 1 {
				p := (c.A + float64(heads)) / (c.A + c.B + float64(n))
				worst = max(worst, math.Abs(1/(1+math.Exp(-curve.At(p)))-p))
			}
		}
		if worst > 1e-6 || worst < 0.999e-6 {
			t.Errorf("Beta(%g, %g): error %v", c.A, c.B, worst)
		}
	}
	c := Coin{A: 1, B: 1, NCtx: nCtx, Error: 1e-6}
	m, err := c.Transformer()
	if err != nil {
		t.Fatal(err)
	}
	w := model.NewWorkspace[float64](m.Config, 1)
	for _, heads := range []int{0, 1, 2, 17, 300, 511, 700, 1000, 1022, 1023} {
		if worst := worstTails(m, w, heads, 1, 1); worst.Error > 1e-6 {
			t.Errorf("%+v", worst)
		}
	}
}

// A model whose prediction is no number anywhere is as far from Bayes as can be.
func TestWorstCountSeesNaN(t *testing.T) {
	m, err := Coin{A: 1, B: 1, NCtx: 8, Error: 0.01}.Transformer()
	if err != nil {
		t.Fatal(err)
	}
	m.Weights.Get("unembed.b_U").Data[1] = math.NaN()
	if worst := WorstCount(m, 1, 1); !math.IsInf(worst.Error, 1) {
		t.Errorf("%+v", worst)
	}
}

// The order of the flips does not matter, up to the rounding of a sum.
func TestCoinForgetsTheOrder(t *testing.T) {
	const nCtx = 200
	for _, m := range coinModels {
		built, err := m.build(Coin{A: 2, B: 5, NCtx: nCtx, Error: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		w, s := model.NewWorkspace[float64](built.Config, 1), random.New(7, "test/order")
		for range 20 {
			tokens := make([]int32, 1+s.IntN(nCtx))
			for i := range tokens {
				tokens[i] = int32(s.IntN(2))
			}
			tokens[0] = process.BOS
			last := func() float64 { return built.ForwardLast(w, tokens, 1)[1] }
			before := last()
			for i := len(tokens) - 1; i > 1; i-- {
				j := 1 + s.IntN(i)
				tokens[i], tokens[j] = tokens[j], tokens[i]
			}
			if after := last(); !near(before, after, 1e-12) {
				t.Errorf("%s: %d flips: log-odds %v, shuffled %v", m.name, len(tokens)-1, before, after)
			}
		}
	}
}

// The head's output is the posterior mean, at every position of every sequence.
func TestOneHeadIsThePosteriorMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0.01, 50).Draw(t, "a"), rapid.Float64Range(0.01, 50).Draw(t, "b")
		m, err := Coin{A: a, B: b, NCtx: 60, Error: 0.01}.Transformer()
		if err != nil {
			t.Fatal(err)
		}
		tokens := append([]int32{process.BOS}, drawTokens(t, 2, 59)...)
		_, cache := run(t, m, tokens)
		out, d, heads := cache.Get("blocks.0.hook_attn_out").Data, m.Config.DModel, 0.0
		for n, z := range tokens {
			if z == 1 {
				heads++
			}
			const mean = 3 // after the three tokens
			if got, want := out[n*d+mean], (a+heads)/(a+b+float64(n)); !near(got, want, 1e-13) {
				t.Fatalf("after %d flips: %v, want %v", n, got, want)
			}
		}
	})
}

// The sum over heads differs from the log-odds by no more than the bound says, for any
// number of heads and spacing.
func TestSumOfSigmoidsKeepsItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heads := rapid.IntRange(1, 60).Draw(t, "heads")
		spacing := rapid.Float64Range(0.3, 6).Draw(t, "spacing")
		l := rapid.Float64Range(-8, 8).Draw(t, "log-odds")
		sum := 0.0
		for k := range heads {
			s := (float64(k) - float64(heads-1)/2) * spacing
			sum += spacing * (sigmoid(l-s) - 0.5)
		}
		if got, bound := math.Abs(sigmoid(sum)-sigmoid(l)), sumError(heads, spacing, math.Abs(l)); got > bound+1e-14 {
			t.Fatalf("error %v, bound %v", got, bound)
		}
	})
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// What is less wide than the model needs is refused with the width that would do, and
// that one does.
func TestCoinWidths(t *testing.T) {
	for i, want := range []string{
		"coin: width = 568 is too small for an error of 1e-06 with the prior Beta(1, 1) and n_ctx = 1024: give at least 569 neurons",
		"coin: width = 22 is too small for an error of 1e-06 with the prior Beta(1, 1) and n_ctx = 1024: give at least 23 heads",
	} {
		c := Coin{A: 1, B: 1, NCtx: 1024, Error: 1e-6}
		fmt.Sscanf(want, "coin: width = %d", &c.Width)
		if _, err := coinModels[i].build(c); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
		c.Width++
		if _, err := coinModels[i].build(c); err != nil {
			t.Error(err)
		}
	}
}

func TestCoinNamesTheMistake(t *testing.T) {
	good := Coin{A: 1, B: 1, NCtx: 8, Error: 1e-3}
	for _, test := range []struct {
		change func(*Coin)
		want   string
	}{
		{func(c *Coin) { c.A = 0 }, "coin: a = 0 is outside (0, 1e6]"},
		{func(c *Coin) { c.B = math.NaN() }, "coin: b = NaN is outside (0, 1e6]"},
		{func(c *Coin) { c.NCtx = 0 }, "coin: n_ctx = 0 is outside [1, 1048576]"},
		{func(c *Coin) { c.Error = 1e-11 }, "coin: error = 1e-11 is outside [1e-10, 0.1]"},
		{func(c *Coin) { c.Width = -1 }, "coin: width = -1 is negative; leave it out for no limit"},
	} {
		c := good
		test.change(&c)
		for _, m := range coinModels {
			if _, err := m.build(c); fmt.Sprint(err) != test.want {
				t.Errorf("%s: got %v, want %s", m.name, err, test.want)
			}
		}
	}
}

// Rounded to float32 a coin's model errs by little more; saved and loaded it is the same.
func TestCoinInOtherForms(t *testing.T) {
	for _, m := range coinModels {
		built, err := m.build(Coin{A: 0.5, B: 0.5, NCtx: 64, Error: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if worst := WorstCount(model.Convert[float32](built), 0.5, 0.5); worst.Error > 4e-6 {
			t.Errorf("%s in float32: %+v", m.name, worst)
		}
		dir := filepath.Join(t.TempDir(), "coin")
		if err := built.Save(dir); err != nil {
			t.Fatal(err)
		}
		loaded, err := model.Load[float64](dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := WorstCount(loaded, 0.5, 0.5), WorstCount(built, 0.5, 0.5); got != want {
			t.Errorf("%s: %+v after loading, %+v before", m.name, got, want)
		}
	}
}
