package process

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/internal/random"

	"pgregory.net/rapid"
)

// The streaming predictor against Eq. 3 as it is printed, over random words, for finite
// β and its limit.
func TestSelectiveInductionAgainstEquation3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyInterleaved(t)
		beta := rapid.SampledFrom([]float64{0, 0.5, 3, 100, 1e4, math.Inf(1)}).Draw(t, "beta")
		word := make([]int32, rapid.IntRange(0, 40).Draw(t, "length"))
		c.Sample(word, random.New(rapid.Uint64().Draw(t, "seed"), "test/selective"))
		p, err := c.SelectiveInduction(beta)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, c.Alphabet())
		predictAfter(t, p, word, got)
		want := c.printedEquation3(word, beta)
		for z := range want {
			if math.Abs(got[z]-want[z]) > 1e-11 {
				t.Fatalf("β = %g after %v: %v, want %v", beta, word, got, want)
			}
		}
		again := make([]float64, c.Alphabet())
		p.Reset()
		if predictAfter(t, p, word, again); !slices.Equal(again, got) {
			t.Fatalf("%v, and %v after a reset", got, again)
		}
	})
}

// printedEquation3 is Eq. 3 token by token.
func (c *Interleaved) printedEquation3(word []int32, beta float64) []float64 {
	longest := slices.Max(c.lags)
	if len(word) < longest {
		return c.pi
	}
	means := make([]float64, len(c.lags))
	for i := longest; i < len(word); i++ {
		total := 0.0
		for _, l := range c.lags {
			total += c.p[word[i-l]][word[i]]
		}
		for k, l := range c.lags {
			means[k] += c.p[word[i-l]][word[i]] / total / float64(len(word)-longest)
		}
	}
	weights, total := make([]float64, len(means)), 0.0
	for k, mean := range means {
		weights[k] = math.Exp(beta * (mean - slices.Max(means)))
		if math.IsInf(beta, 1) {
			weights[k] = 0
			if mean >= slices.Max(means)-1e-12 {
				weights[k] = 1
			}
		}
		total += weights[k]
	}
	next := make([]float64, len(c.pi))
	for k, l := range c.lags {
		for z, q := range c.p[word[len(word)-l]] {
			next[z] += weights[k] / total * q
		}
	}
	return next
}

// On a long sequence the limit is what a large β and maximum likelihood come to.
func TestSelectiveInductionTendsToML(t *testing.T) {
	P := [][]float64{{0.6, 0.3, 0.1}, {0.2, 0.5, 0.3}, {0.1, 0.2, 0.7}}
	c := mustInterleaved(t, P, 1, 2, 5)
	sequence := make([]int32, 4000)
	c.Sample(sequence, random.New(3, "test/selective"))
	ml, next := make([]float64, 3), make([]float64, 3)
	predictAfter(t, c.ML(), sequence, ml)
	for _, beta := range []float64{1e4, math.Inf(1)} {
		p, err := c.SelectiveInduction(beta)
		if err != nil {
			t.Fatal(err)
		}
		predictAfter(t, p, sequence, next)
		for z := range ml {
			if math.Abs(next[z]-ml[z]) > 1e-9 {
				t.Errorf("β = %g: %v, maximum likelihood %v", beta, next, ml)
			}
		}
	}
}

func TestNormalisedTransitions(t *testing.T) {
	c := mustInterleaved(t, sticky, 2, 1)
	rows, err := c.NormalisedTransitions([]int32{0, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{0.9, 0.1}, {0.5, 0.5}} {
		for k := range want {
			if math.Abs(rows[i][k]-want[k]) > 1e-15 {
				t.Errorf("%v, row %d want %v", rows, i, want)
			}
		}
	}
	if rows, err := c.NormalisedTransitions([]int32{0, 1}); len(rows) != 0 || err != nil {
		t.Errorf("two tokens: %v, %v", rows, err)
	}
}

func TestSelectiveInductionRefuses(t *testing.T) {
	c := mustInterleaved(t, [][]float64{{0.5, 0.5}, {1, 0}}, 1)
	for _, beta := range []float64{-1, math.NaN(), math.Inf(-1)} {
		want := fmt.Sprintf("interleaved: beta = %g is not in [0, +Inf]", beta)
		if _, err := c.SelectiveInduction(beta); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	want := "interleaved: token 1 cannot occur at position 3: it has probability 0 given the earlier tokens"
	if _, err := c.NormalisedTransitions([]int32{0, 1, 1}); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}
