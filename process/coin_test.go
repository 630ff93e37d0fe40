package process

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
)

// BOS stands first, is certain there, and changes nothing after it. (A coin with
// BOS is not stationary, so that it is no row of the table of laws.)
func TestCoinWithBOS(t *testing.T) {
	plain, err := NewCoin(0.5, 3)
	if err != nil {
		t.Fatal(err)
	}
	coin := plain.WithBOS()
	sequence := make([]int32, 50)
	coin.Sample(sequence, random.New(1, "test/coin"))
	a, b := plain.Predictor(), coin.Predictor()
	p, q := make([]float64, 2), make([]float64, 3)
	for i, z := range sequence {
		b.Next(q)
		if i == 0 {
			if z != BOS || !slices.Equal(q, []float64{0, 0, 1}) {
				t.Fatalf("the first token is %d, its distribution %v", z, q)
			}
		} else {
			a.Next(p)
			if !slices.Equal(q, []float64{p[0], p[1], 0}) {
				t.Fatalf("after %d flips %v, want %v", i-1, q, p)
			}
			if err := a.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Observe(int(z)); err != nil {
			t.Fatal(err)
		}
	}
	want := mustFloor(t, plain, 9)
	got := mustFloor(t, coin, 10)
	if got.ByPosition[0] != 0 || !slices.Equal(got.ByPosition[1:], want.ByPosition) || got.Chance != want.Chance {
		t.Errorf("floor %v, without BOS %v", got, want)
	}
	rate, _ := rateOf(t, coin)
	if want, _ := rateOf(t, plain); rate != want {
		t.Errorf("entropy rate %v, without BOS %v", rate, want)
	}
}

func TestCoinRefusesMisplacedBOS(t *testing.T) {
	for _, test := range []struct {
		tokens []int32
		want   string
	}{
		{[]int32{1}, "coin: token 1 at position 1: want token 2 (BOS)"},
		{[]int32{2, 0, 2}, "coin: token 2 (BOS) at position 3: want it at position 1 only"},
		{[]int32{2, 3}, "coin: token 3 at position 2 is outside the alphabet 0 … 2"},
	} {
		p, err := Build("coin", Params{"bos": 1.0})
		if err != nil {
			t.Fatal(err)
		}
		predictor := p.Predictor()
		for _, z := range test.tokens {
			err = predictor.Observe(int(z))
		}
		if fmt.Sprint(err) != test.want {
			t.Errorf("%v: %v, want %s", test.tokens, err, test.want)
		}
	}
	if _, err := Build("coin", Params{"bos": 2.0}); fmt.Sprint(err) != "coin: bos = 2 is not 0 or 1" {
		t.Errorf("bos = 2: %v", err)
	}
}

// The entropy rate is the mean entropy of a coin, for priors of every size.
func TestCoinEntropyRate(t *testing.T) {
	for _, test := range []struct{ a, b, want, within float64 }{
		{1, 1, 0.5, 5e-15},
		{0.5, 0.5, 2*math.Ln2 - 1, 5e-15},
		{2, 5, 8. / 15, 5e-15}, // ψ of whole numbers are harmonic ones
		{30, 40, 0.675817679279975, 5e-15},
		{1e-320, 2e-320, 0, 5e-15}, // all heads or all tails
		{1e6, 1e6, math.Ln2, 1e-6},
	} {
		c, err := NewCoin(test.a, test.b)
		if err != nil {
			t.Fatal(err)
		}
		rate, _ := rateOf(t, c)
		if d := math.Abs(rate - test.want); d > test.within {
			t.Errorf("Beta(%g, %g): %.15g, want %.15g", test.a, test.b, rate, test.want)
		}
	}
}
