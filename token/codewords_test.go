package token

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
)

// The first codewords are blocks of the signal, no two of them the same, also where they
// are a distance of exactly 1 apart.
func TestSeededCodewordsDiffer(t *testing.T) {
	for _, x := range [][]float64{{1, 0}, {0, 1}, {1, 0, 0, 0}, {0, 0, 1, 1, 1}, {0, 1, 2, 3, 4, 5}, {5, 5, 5, 4, 0, 0}} {
		distinct := slices.Compact(slices.Sorted(slices.Values(x)))
		for seed := range uint64(20) {
			c := clusters{block: 1, x: x, nearest: make([]int32, len(x)), distances: make([]float64, len(x))}
			if err := c.seed(len(distinct), random.New(seed, "token: test")); err != nil {
				t.Fatal(err)
			}
			var got []float64
			for _, codeword := range c.codewords {
				got = append(got, codeword...)
			}
			slices.Sort(got)
			if !slices.Equal(got, distinct) {
				t.Errorf("%v: codewords %v with seed %d", x, got, seed)
			}
			if err := c.seed(len(distinct)+1, random.New(seed, "token: test")); err == nil {
				t.Errorf("%v has %d codewords", x, len(distinct)+1)
			}
		}
	}
}

// k-means++ draws the second codeword with a probability ∝ the squared distance from the
// first: of 0, 1 and 3, with the first at 0, it is 3 nine times as often as 1.
func TestSeedingIsKMeansPlusPlus(t *testing.T) {
	x := []float64{0, 1, 3}
	counts, total := map[[2]float64]float64{}, map[float64]float64{}
	for seed := range uint64(6000) {
		c := clusters{block: 1, x: x, nearest: make([]int32, 3), distances: make([]float64, 3)}
		if err := c.seed(2, random.New(seed, "token: test")); err != nil {
			t.Fatal(err)
		}
		counts[[2]float64{c.codewords[0][0], c.codewords[1][0]}]++
		total[c.codewords[0][0]]++
	}
	for _, first := range x {
		sum := 0.0
		for _, v := range x {
			sum += (v - first) * (v - first)
		}
		if math.Abs(total[first]-2000) > 5*math.Sqrt(6000.0*2/9) {
			t.Errorf("the first is %g %g times of 6000", first, total[first])
		}
		for _, second := range x {
			p := (second - first) * (second - first) / sum
			n := total[first]
			if got := counts[[2]float64{first, second}]; math.Abs(got-n*p) > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("after %g comes %g %g times of %g, want %g", first, second, got, n, n*p)
			}
		}
	}
}

// An unused codeword of a codebook starts anew at a latent vector of that codebook's own
// part, and of any block of the batch.
func TestCodewordsStartAnewInTheirCodebook(t *testing.T) {
	const blocks = 3
	a := newAutoencoder(4, 2, 3, 2, 4)
	x := make([]float32, blocks*4)
	for i, v := range gaussian(len(x), 0, 1, 9) {
		x[i] = float32(v)
	}
	weights := initialWeights(a, 1)
	p := pass(a, weights, x, true)
	drawn := map[[2]int]bool{} // code and block
	for seed := range uint64(12) {
		src := random.New(seed, "token: test")
		c := newCodebooks(a, weights, x, src)
		clear(c.used)
		p.tokens = p.tokens[:blocks*a.codes]
		c.follow(p, src)
		for k := range c.used {
			code, at := k/a.codewords, -1
			book := c.books[k*a.width : (k+1)*a.width]
			for block := range blocks {
				if slices.Equal(book, p.encoder.y[(block*a.codes+code)*a.width:][:a.width]) {
					at = block
				}
			}
			if at < 0 || c.used[k] != c.fairShare() {
				t.Fatalf("codeword %d of codebook %d is %v, no latent vector of its part", k, code, book)
			}
			drawn[[2]int{code, at}] = true
		}
	}
	if len(drawn) != blocks*a.codes {
		t.Errorf("codewords started at %d of %d latent vectors", len(drawn), blocks*a.codes)
	}
}
