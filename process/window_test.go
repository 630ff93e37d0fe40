package process

import (
	"fmt"
	"math"
	"testing"

	"foretell/internal/panics"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Every process of the zoo against windows that are compared token by token, over words
// that the predictor alone makes.
func TestWindowEntropiesOfTheZoo(t *testing.T) {
	for _, row := range zoo {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		length := 5
		for NumPrefixes(p.Alphabet(), length) > 10_000 {
			length--
		}
		words, err := Words(t.Context(), p, length)
		if err != nil {
			t.Fatal(err)
		}
		for k := range length + 2 {
			what := fmt.Sprintf("%s %v, the last %d tokens", row.name, row.params, k)
			got := words.WindowEntropies(k)
			if len(got) != length {
				t.Fatalf("%s: %d entries", what, len(got))
			}
			if h := meanEntropies(words, words.WindowNext(k)); !floats.EqualApprox(h, got, 1e-12) {
				t.Errorf("%s: %v, by what is expected after each word %v", what, got, h)
			}
			for t1, h := range got {
				if want := bruteWindowEntropy(p, t1+1, k); math.Abs(h-want) > 1e-12 {
					t.Errorf("%s of %d: %.15g, want %.15g", what, t1+1, h, want)
				}
			}
		}
	}
}

// meanEntropies are the entropies of distributions, (rows, A), over the words of each
// length.
func meanEntropies(p *Prefixes, next []float64) []float64 {
	h := make([]float64, p.Length)
	for row, prob := range p.Prob {
		length, _ := p.Position(row)
		h[length-1] += prob * stat.Entropy(next[row*p.Alphabet:(row+1)*p.Alphabet])
	}
	return h
}

// bruteWindowEntropy is H(X_{t+1} | X_{t−k+1} … X_t).
func bruteWindowEntropy(p Process, t, k int) (h float64) {
	prob, next := map[string]float64{}, map[string][]float64{}
	eachWord(p, t, func(word []int32, q float64, after []float64) {
		window := fmt.Sprint(word[max(0, t-k):])
		if next[window] == nil {
			next[window] = make([]float64, len(after))
		}
		prob[window] += q
		floats.AddScaled(next[window], q, after)
	})
	for window, q := range prob {
		floats.Scale(1/q, next[window])
		h += q * stat.Entropy(next[window])
	}
	return h
}

// Where the process is stationary, what the last k tokens tell is what k tokens tell from
// the start: the floor of position k+1.
func TestWindowEntropiesAreFloors(t *testing.T) {
	const length = 7
	for _, name := range []string{"mess3", "rrxor", "bloch_walk", "mess3_mixture", "coin"} {
		p, err := Build(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		words, err := Words(t.Context(), p, length)
		if err != nil {
			t.Fatal(err)
		}
		floors := mustFloor(t, p, length+1).ByPosition
		for k := range length + 1 {
			for i, h := range words.WindowEntropies(k) {
				if want := floors[min(i+1, k)]; math.Abs(h-want) > 1e-12 {
					t.Errorf("%s: the last %d of %d tokens leave %.15g nats, want %.15g", name, k, i+1, h, want)
				}
			}
		}
	}
}

// Of sampled words it is the entropy of what is known of the words of each window.
func TestWindowEntropiesOfSequences(t *testing.T) {
	p, err := Build("mess3", nil)
	if err != nil {
		t.Fatal(err)
	}
	words, err := WordsOf(t.Context(), p, [][]int32{{0, 0, 1}, {1, 0, 1}, {1, 1, 0}, {2, 1, 0}, {0, 0, 1}, {0, 2, 0}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	// Of three tokens the windows 01 (three of six, two words), 10 (two) and 20 (one).
	after := func(word ...int32) []float64 { return words.NextTokens(words.Row(word)) }
	mean := func(f float64, a, b []float64) []float64 {
		return floats.AddScaledTo(make([]float64, len(a)), floats.ScaleTo(make([]float64, len(a)), f, a), 1-f, b)
	}
	want := stat.Entropy(mean(2./3, after(0, 0, 1), after(1, 0, 1)))/2 +
		stat.Entropy(mean(0.5, after(1, 1, 0), after(2, 1, 0)))/3 + stat.Entropy(after(0, 2, 0))/6
	if got := words.WindowEntropies(2)[2]; math.Abs(got-want) > 1e-15 {
		t.Errorf("the last two of three tokens leave %.16g nats, want %.16g", got, want)
	}
	if got := words.WindowNext(2)[words.Row([]int32{1, 0, 1})*3:][:3]; !floats.EqualApprox(got, mean(2./3, after(0, 0, 1), after(1, 0, 1)), 1e-15) {
		t.Errorf("after 101 an observer of two tokens expects %v", got)
	}
	if !panics.Does(func() { words.WindowEntropies(-1) }) {
		t.Error("windows of -1 tokens")
	}
}
