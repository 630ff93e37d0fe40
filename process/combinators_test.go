package process

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// probability returns the probability of a word, 0 included.
func probability(t *rapid.T, h *HMM, word []int32) float64 {
	t.Helper()
	logProb, err := h.LogProb(word)
	if err != nil {
		return 0
	}
	return math.Exp(logProb)
}

// smallWord draws a word of up to four tokens, whether it can occur or not.
func smallWord(t *rapid.T, alphabet int) []int32 {
	return rapid.SliceOfN(rapid.Int32Range(0, int32(alphabet-1)), 1, 4).Draw(t, "word")
}

func agrees(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-14 {
		t.Fatalf("%s: the word has the probability %.17g, want %.17g", what, got, want)
	}
}

// A product's words have the product of the probabilities, and its floors and
// limits are sums.
func TestFactored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyHMM(t), anyHMM(t)
		h, err := Factored(a, b)
		if err != nil {
			t.Fatal(err)
		}
		word := smallWord(t, h.Alphabet())
		var first, second []int32
		radix := int32(b.Alphabet())
		for _, z := range word {
			first, second = append(first, z/radix), append(second, z%radix)
		}
		agrees(t, "factored", probability(t, h, word), probability(t, a, first)*probability(t, b, second))
		if h.Tokens()[word[0]] != a.Tokens()[first[0]]+","+b.Tokens()[second[0]] {
			t.Fatalf("token %d is %s", word[0], h.Tokens()[word[0]])
		}
		floors := make([][]float64, 3)
		for k, p := range []*HMM{h, a, b} {
			if floors[k], err = p.floors(t.Context(), 4, floorBudget); err != nil {
				t.Fatal(err)
			}
		}
		for i, both := range floors[0] {
			if sum := floors[1][i] + floors[2][i]; math.Abs(both-sum) > 1e-12 {
				t.Fatalf("the floor at position %d is %.15g, the sum is %.15g", i+1, both, sum)
			}
		}
	})
}

// A mixture's words have the weighted mean of the probabilities.
func TestMixture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var components []*HMM
		var weights []float64
		total := 0.0
		for range rapid.IntRange(1, 3).Draw(t, "components") {
			h := anyHMM(t)
			if len(components) > 0 && h.Alphabet() != components[0].Alphabet() {
				continue
			}
			components = append(components, h)
			weights = append(weights, rapid.Float64Range(0.1, 10).Draw(t, "weight"))
			total += weights[len(weights)-1]
		}
		h, err := Mixture(weights, components...)
		if err != nil {
			t.Fatal(err)
		}
		word := smallWord(t, h.Alphabet())
		want := 0.0
		for k, c := range components {
			want += weights[k] / total * probability(t, c, word)
		}
		agrees(t, "mixture", probability(t, h, word), want)
	})
}

// Weights count by their ratios, however large or small they are.
func TestMixtureWeights(t *testing.T) {
	a, b := mustMess3(t, 0.15, 0.6), mustMess3(t, 0.05, 0.85)
	for _, weights := range [][]float64{{1e308, 1.5e308}, {2e-320, 3e-320}, {2, 3}} {
		h, err := Mixture(weights, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if pi := h.Stationary(); math.Abs(pi[0]-0.4/3) > 1e-4 || math.Abs(floats.Sum(pi)-1) > 1e-15 {
			t.Errorf("%g: π is %v", weights, pi)
		}
	}
}

// A mixture is not ergodic, which Check says, and New would refuse.
func TestMixtureIsNoted(t *testing.T) {
	a, b := mustMess3(t, 0.15, 0.6), mustMess3(t, 0.05, 0.85)
	h, err := Mixture([]float64{1, 3}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []Problem{{Kind: ManyStationary, Text: "the sets of states {1.0, 1.1, 1.2} and {2.0, 2.1, 2.2} are never left: the process is a mixture, and each sequence comes from one of its components"}}
	if got := must(h.Check(t.Context())); !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// A noisy word's probability is the sum over clean words of their probability times
// that of the noise.
func TestNoisy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clean := anyHMM(t)
		epsilon := rapid.Float64Range(0, 1).Draw(t, "epsilon")
		h, err := Noisy(clean, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		a := h.Alphabet()
		word := smallWord(t, a)
		want := 0.0
		for k := range int(math.Pow(float64(a), float64(len(word)))) {
			behind := digits(k, a, len(word))
			p := probability(t, clean, behind)
			for i, z := range word {
				channel := epsilon / float64(a)
				if behind[i] == z {
					channel += 1 - epsilon
				}
				p *= channel
			}
			want += p
		}
		agrees(t, "noisy", probability(t, h, word), want)
	})
}

// A mapped word's probability is the sum over the words that become it.
func TestMapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := anyHMM(t)
		a := source.Alphabet()
		to := rapid.SliceOfN(rapid.IntRange(0, 3), a, a).Draw(t, "to")
		h, err := Mapped(source, to)
		if err != nil {
			t.Fatal(err)
		}
		word := smallWord(t, h.Alphabet())
		want := 0.0
		for k := range int(math.Pow(float64(a), float64(len(word)))) {
			behind := digits(k, a, len(word))
			becomes := true
			for i, z := range behind {
				becomes = becomes && to[z] == int(word[i])
			}
			if becomes {
				want += probability(t, source, behind)
			}
		}
		agrees(t, "mapped", probability(t, h, word), want)
	})
}

// The leaky mixture is the blocks of the zoo's table.
func TestLeakyMixture(t *testing.T) {
	const epsilon = 0.2
	h, err := Mess3Mixture([]float64{0.05, 0.15}, []float64{0.85, 0.6}, []float64{1, 1}, epsilon)
	if err != nil {
		t.Fatal(err)
	}
	blocks := []*HMM{mustMess3(t, 0.05, 0.85), mustMess3(t, 0.15, 0.6)}
	for z := range 3 {
		m := h.Transition(z)
		for i := range 6 {
			for j := range 6 {
				want := blocks[i/3].Transition(z)[i%3*3+j%3]
				if i/3 == j/3 {
					want *= 1 - epsilon
				} else {
					want *= epsilon
				}
				if math.Abs(m[i*6+j]-want) > 1e-15 {
					t.Errorf("T^%d[%d,%d] = %g, want %g", z, i, j, m[i*6+j], want)
				}
			}
		}
	}
}

// A Markov chain's words follow its matrix from the stationary start: the row of
// a context is what comes after it.
func TestMarkov(t *testing.T) {
	P := [][]float64{{0.9, 0.1}, {0.5, 0.5}, {0.3, 0.7}, {0.25, 0.75}}
	h, err := Markov(P, 2)
	if err != nil {
		t.Fatal(err)
	}
	for context := range 4 {
		belief, err := h.Belief(append([]int32{0, 1, 0}, digits(context, 2, 2)...))
		if err != nil {
			t.Fatal(err)
		}
		if d := distance(h.Next(belief), P[context]); d > 1e-15 {
			t.Errorf("after %v the next token is %v, want %v", digits(context, 2, 2), h.Next(belief), P[context])
		}
	}
	if got := h.States(); got[1] != "01" || got[2] != "10" {
		t.Errorf("states %v", got)
	}
}

// A chain whose matrices are too many entries is refused before they are made.
func TestMarkovTooLarge(t *testing.T) {
	want := "markov: 300 states and 300 tokens are too many: want at most 1024 states, and 16777216 entries in all matrices"
	if _, err := Markov(zeros(300), 1); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// A leaky mixture of too many components is refused before its matrices are made.
func TestLeakIsBounded(t *testing.T) {
	many := slices.Repeat([]float64{0.1}, maxStates/3+1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Mess3Mixture(many, many, slices.Repeat([]float64{1}, len(many)), 0.1)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > 64<<20 {
		t.Errorf("%v after %d MB", err, taken>>20)
	}
}
