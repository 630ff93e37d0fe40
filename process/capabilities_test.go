package process

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What the processes of the zoo can do, so that a method that changes its signature is
// missed here and not in a table that lacks a row.
var (
	_ = []Ceiler{(*HMM)(nil), (*Ring)(nil), (*Symbolic)(nil)}
	_ = []Retriever{(*Symbolic)(nil)}
	_ = []Bounded{(*HMM)(nil), (*Interleaved)(nil)}
	_ = []Delayed{(*Symbolic)(nil)}
	_ = []Limiter{(*HMM)(nil), (*Coin)(nil), (*Interleaved)(nil), (*Ring)(nil), (*Symbolic)(nil)}
	_ = []Chain{(*HMM)(nil), (*Interleaved)(nil)}
	_ = []Observer{(*HMM)(nil)}
	_ = []Constrainer{(*HMM)(nil)}
	_ = []Machine{(*HMM)(nil)}
	_ = []Presenter{(*HMM)(nil), (*Coin)(nil), (*Interleaved)(nil), (*Ring)(nil), (*Symbolic)(nil)}
	_ = []Reacher{(*Interleaved)(nil)}
	_ = []Checker{(*HMM)(nil)}
	_ = []Leveller{(*HMM)(nil), (*Ring)(nil), (*Recording)(nil)}
	_ = []Recorder{(*Ring)(nil), (*Recording)(nil)}
	_ = []Windowed{(*Recording)(nil)}
	_ = []Splitter{(*Recording)(nil)}
	_ = []Flipper{(*Coin)(nil)}
	_ = []Selector{(*Interleaved)(nil)}
)

// Tokens have names, one each, and the caller may change the list.
func TestTokensHaveNames(t *testing.T) {
	for _, entry := range Catalogue() {
		p, err := BuildSampler(entry.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		names := p.Tokens()
		different := slices.Compact(slices.Sorted(slices.Values(names)))
		if len(names) != p.Alphabet() || len(different) != len(names) || slices.Contains(names, "") {
			t.Errorf("%s: %d tokens, names %q", entry.Name, p.Alphabet(), names)
		}
		names[0] = "changed"
		if p.Tokens()[0] == "changed" {
			t.Errorf("%s: the names are not a copy", entry.Name)
		}
	}
}

// What has no hidden states says so, and states its excess entropy or why it has none.
func TestProcessesWithoutStatesSayWhatTheyLack(t *testing.T) {
	one := Params{"lags": []float64{2}}
	for _, c := range []struct {
		name   string
		params Params
		excess string
	}{
		{"coin", nil, "not defined: the floors approach the entropy rate too slowly"},
		{"interleaved", nil, "not defined: the process is not stationary"},
		{"interleaved", one, ""},
		{"mackey_glass", nil, ""},
		{"switching_delay", nil, "not defined: a sequence begins at the program's start"},
		{"brackets", nil, "not defined: a sequence begins"},
		{"routing", nil, "not defined: a sequence begins"},
	} {
		p, err := Build(c.name, c.params)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.(Presenter).Presentation(t.Context()); err == nil || !strings.HasPrefix(err.Error(), c.name+": no hidden states; the observer ") {
			t.Errorf("%s: presentation: %v", c.name, err)
		}
		limits := must(p.(Limiter).Limits(t.Context()))
		rate, halfWidth := rateOf(t, p)
		if limits.EntropyRate != rate || limits.EntropyRateError != halfWidth {
			t.Errorf("%s: rates %g ± %g and %g ± %g", c.name, limits.EntropyRate, limits.EntropyRateError, rate, halfWidth)
		}
		why := limits.NoExcessEntropy
		if !strings.HasPrefix(why, c.excess) || (why == "") != (c.excess == "") || (why == "") != (limits.ExcessEntropyError > 0) {
			t.Errorf("%s: %+v", c.name, limits)
		}
	}
}

// The levels of a signal are those that its quantiser rounds to, and what only adds noise
// to tokens keeps them.
func TestLevels(t *testing.T) {
	build := func(name string, params Params) []float64 {
		p, err := Build(name, params)
		if err != nil {
			t.Fatal(err)
		}
		return p.(Leveller).Levels()
	}
	sine := []float64{-1, -0.5, 0, 0.5, 1}
	if got := build("sine", Params{"levels": 5}); !slices.Equal(got, sine) {
		t.Errorf("levels %v, want %v", got, sine)
	}
	noisy := Params{"process": Spec{Name: "sine", Params: Params{"levels": 5.0}}}
	if got := build("noisy", noisy); !slices.Equal(got, sine) {
		t.Errorf("with noise %v, want %v", got, sine)
	}
	if got := build("mackey_glass", nil); len(got) != 32 || !slices.IsSorted(got) || got[0] <= 0 || got[31] > 2 {
		t.Errorf("levels %v", got)
	}
	for _, name := range []string{"mess3", "mapped", "periodic"} {
		if got := build(name, nil); got != nil {
			t.Errorf("%s: levels %v", name, got)
		}
	}
}

// The mean of the bias is what the predictor gives heads.
func TestBiasIsWhatThePredictorHolds(t *testing.T) {
	c, err := NewCoin(2, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	p, next := c.Predictor(), make([]float64, 2)
	for flips, z := range []int{1, 1, 0, 1} {
		p.Next(next)
		a, b := c.Bias(flips-max(0, flips-2), flips) // heads at flips 0, 1, 1+1, 2
		if got := a / (a + b); got != next[1] {
			t.Errorf("after %d flips: %g, the predictor has %g", flips, got, next[1])
		}
		if err := p.Observe(z); err != nil {
			t.Fatal(err)
		}
	}
}

// SampleLag draws the sequences of Sample, and the lag is the one that they follow.
func TestSampleLag(t *testing.T) {
	flip := [][]float64{{0, 1}, {1, 0}}
	c, err := NewInterleaved(flip, []int{2, 5})
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[int]int{}
	for seed := range uint64(50) {
		word, same := make([]int32, 40), make([]int32, 40)
		lag := c.SampleLag(word, rand.NewPCG(seed, 1))
		c.Sample(same, rand.NewPCG(seed, 1))
		drawn[lag]++
		for i := 5; i < len(word); i++ {
			if word[i] == word[i-lag] || word[i] != same[i] {
				t.Fatalf("token %d of %v does not follow lag %d, or is not that of %v", i, word, lag, same)
			}
		}
	}
	if drawn[2] < 10 || drawn[5] < 10 || len(drawn) != 2 {
		t.Errorf("lags drawn: %v", drawn)
	}
}
