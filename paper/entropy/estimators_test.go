package entropy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"
	"foretell/process"
)

// sequences are drawn, periodic and constant ones.
func sequences() (list [][]int32) {
	stream := random.New(1, "entropy/test")
	for n := range 40 {
		for alphabet := 2; alphabet <= 4; alphabet++ {
			x := make([]int32, n+1)
			for i := range x {
				x[i] = int32(stream.IntN(alphabet))
			}
			list = append(list, x, slices.Repeat([]int32{0, 1, 1}, n+1), slices.Repeat([]int32{1}, n+1))
		}
	}
	return list
}

// The automaton finds the same matches as a comparison of all pairs of places.
func TestLongestPrevious(t *testing.T) {
	for _, x := range sequences() {
		got := longestPrevious(x, 4)
		for i := range x {
			want := 0
			for j := range i {
				n := 0
				for i+n < len(x) && x[j+n] == x[i+n] {
					n++
				}
				want = max(want, n)
			}
			if int(got[i]) != want {
				t.Fatalf("%v: %d at %d, want %d", x, got[i], i, want)
			}
		}
	}
}

// The matches of a beginning follow from the matches of the whole, and the estimate is
// the reciprocal of the mean of Λ/ln i.
func TestMatchEstimate(t *testing.T) {
	for _, x := range sequences() {
		whole := longestPrevious(x, 4)
		for n := 2; n <= len(x); n++ {
			sum := 0.0
			for i, length := range longestPrevious(x[:n], 4) {
				if i > 0 {
					sum += float64(length+1) / math.Log(float64(i+1))
				}
			}
			want := float64(n-1) / sum
			if got := matchEstimate(whole, n); math.Abs(got-want) > 1e-12*want {
				t.Fatalf("%v: %v of %d symbols, want %v", x, got, n, want)
			}
		}
	}
	// A fair coin: the estimate approaches ln 2 as slowly as 1/ln n.
	x := make([]int32, 1<<16)
	stream := random.New(2, "entropy/coin")
	for i := range x {
		x[i] = int32(stream.IntN(2))
	}
	if got := matchEstimate(longestPrevious(x, 2), len(x)); math.Abs(got-math.Ln2) > 0.06 {
		t.Errorf("%v for a fair coin", got)
	}
}

// counted is the entropy of the last part of words given the rest, from counts by name.
func counted(words [][2]string) float64 {
	pairs, before := map[[2]string]float64{}, map[string]float64{}
	for _, w := range words {
		pairs[w]++
		before[w[0]]++
	}
	h := 0.0
	for w, n := range pairs {
		h -= n / float64(len(words)) * math.Log(n/before[w[0]])
	}
	return h
}

// Plug-in estimates equal the formula on counted words.
func TestPlugIn(t *testing.T) {
	for _, x := range sequences() {
		for _, k := range []int{0, 1, 3, 10} {
			if len(x) <= k {
				continue
			}
			var words [][2]string
			for i := k; i < len(x); i++ {
				words = append(words, [2]string{fmt.Sprint(x[i-k : i]), fmt.Sprint(x[i])})
			}
			if got, want := plugIn(x, 4, k), counted(words); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%v, order %d: %v, want %v", x, k, got, want)
			}
		}
	}
}

// On a Markov chain, plug-in estimates of its order and above come near the closed form
// Σ_i π_i H(P_i), and below its order they come near the entropy of a symbol.
func TestPlugInOnMarkovChain(t *testing.T) {
	p, err := process.Build("golden_mean", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]int32, 200_000)
	p.Sample(x, random.New(3, "entropy/chain"))
	for k, want := range map[int]float64{0: math.Log(3) - 2./3*math.Ln2, 1: 2. / 3 * math.Ln2, 3: 2. / 3 * math.Ln2} {
		if got := plugIn(x, 2, k); math.Abs(got-want) > 0.003 {
			t.Errorf("order %d: %v, want about %v", k, got, want)
		}
	}
}

// A word with a number above 64 bits is refused, and the largest in the catalogue is not.
func TestPlugInRange(t *testing.T) {
	plugIn([]int32{31, 0}, 32, 10)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	plugIn([]int32{0, 1}, 256, 10)
}

// ordinal is the order of a word's places by value and then by time.
func ordinal(word []int32) string {
	places := make([]int, len(word))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return int(word[a] - word[b]) })
	return strings.Trim(fmt.Sprint(places), "[]")
}

// The entropy of patterns equals the difference of two permutation entropies.
func TestPatterns(t *testing.T) {
	for _, x := range sequences() {
		const m = 3
		if len(x) <= m {
			continue
		}
		var words [][2]string
		for i := m; i < len(x); i++ {
			words = append(words, [2]string{ordinal(x[i-m : i]), ordinal(x[i-m : i+1])})
		}
		if got, want := patterns(x, m), counted(words); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: %v, want %v", x, got, want)
		}
	}
}
