package induction

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/process"

	"pgregory.net/rapid"
)

// anyChains draws interleaved chains of two or three tokens, with zeros in P too. P is
// irreducible, because each token can follow the one before it in a circle.
func anyChains(t *rapid.T) *process.Interleaved {
	n := rapid.IntRange(2, 3).Draw(t, "tokens")
	p := make([][]float64, n)
	for i := range p {
		p[i] = make([]float64, n)
		total := 0.0
		for j := range p[i] {
			least := 0
			if j == (i+1)%n {
				least = 1
			}
			p[i][j] = float64(rapid.IntRange(least, 3).Draw(t, "weight"))
			total += p[i][j]
		}
		for j := range p[i] {
			p[i][j] /= total
		}
	}
	return mustChains(t, p, rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 1, 3, rapid.ID[int]).Draw(t, "lags")...)
}

func mustChains(t interface {
	Helper()
	Fatal(args ...any)
}, p [][]float64, lags ...int,
) *process.Interleaved {
	t.Helper()
	c, err := process.NewInterleaved(p, lags)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// probability is Pr(word | lag), as the product that Algorithm 1 says.
func probability(c *process.Interleaved, word []int32, lag int) float64 {
	p, pi, product := c.P(), c.Stationary(), 1.0
	for t, z := range word {
		if t < slices.Max(c.Lags()) {
			product *= pi[z]
		} else {
			product *= p[word[t-lag]][z]
		}
	}
	return product
}

// meansOverWords are the expectations at a position by enumeration of all words.
func meansOverWords(c *process.Interleaved, lag, position int) []float64 {
	p, a := c.P(), c.Alphabet()
	means, word := make([]float64, len(c.Lags())), make([]int32, position)
	for cell := range int(math.Pow(float64(a), float64(position))) {
		for i, rest := 0, cell; i < position; i++ {
			word[i], rest = int32(rest%a), rest/a
		}
		prob := probability(c, word, lag)
		if prob == 0 {
			continue
		}
		total, last := 0.0, word[position-1]
		for _, l := range c.Lags() {
			total += p[word[position-1-l]][last]
		}
		for r, l := range c.Lags() {
			means[r] += prob * p[word[position-1-l]][last] / total
		}
	}
	return means
}

// The means against sums over all words, with zeros in P too, for every lag and position
// up to where they no longer change, at the positions that Positions names.
func TestTransitionMeansAgainstWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChains(t)
		m := newTransitionMeans(c)
		for _, lag := range c.Lags() {
			positions, err := m.positions(lag)
			if err != nil {
				t.Fatal(err)
			}
			longest, named := slices.Max(c.Lags()), -1
			for position := longest + 1; position <= longest+4; position++ {
				got, err := m.at(lag, position)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(positions, position) {
					named = position
				}
				like, err := m.at(lag, named)
				if err != nil {
					t.Fatal(err)
				}
				for r, want := range meansOverWords(c, lag, position) {
					if math.Abs(got[r]-want) > 1e-12 || like[r] != got[r] {
						t.Fatalf("P %v, lags %v, lag %d, position %d: %v, over words %g for lag %d, by position %d %v",
							c.P(), c.Lags(), lag, position, got, want, c.Lags()[r], named, like)
					}
				}
			}
		}
	})
}

// With rows that are all alike every lag has the same mean, and with tokens in a circle
// the true lag has all, however many lags there are.
func TestTransitionMeansAtTheExtremes(t *testing.T) {
	lags := []int{1, 2, 7, 9, 10, 11, 13, 15, 16, 22, 26, 28}
	alike := mustChains(t, [][]float64{{0.1, 0.899, 0.001}, {0.1, 0.899, 0.001}, {0.1, 0.899, 0.001}}, lags...)
	for _, position := range []int{29, 40, 100} {
		means, err := newTransitionMeans(alike).at(7, position)
		if err != nil {
			t.Fatal(err)
		}
		for r, mean := range means {
			if math.Abs(mean-1./12) > 1e-13 {
				t.Errorf("position %d, lag %d: %.15g", position, lags[r], mean)
			}
		}
	}
	circle := make([][]float64, 29)
	for i := range circle {
		circle[i] = make([]float64, 29)
		circle[i][(i+1)%29] = 1
	}
	means, err := newTransitionMeans(mustChains(t, circle, lags...)).at(1, 57)
	if err != nil || math.Abs(means[0]-1) > 1e-12 {
		t.Errorf("in a circle %v, %v", means, err)
	}
}

// Means of matrices with very unequal entries still sum to one.
func TestTransitionMeansSumToOne(t *testing.T) {
	for seed := range uint64(20) {
		P, err := process.DirichletRows(4, 0.05, seed)
		if err != nil {
			t.Fatal(err)
		}
		c, err := process.NewInterleaved(P, []int{1, 2, 3, 6})
		if err != nil {
			continue // so peaked that it is reducible
		}
		for _, lag := range c.Lags() {
			means, err := newTransitionMeans(c).at(lag, 20)
			total := 0.0
			for _, mean := range means {
				total += mean
			}
			if err != nil || math.Abs(total-1) > 1e-12 {
				t.Errorf("seed %d, lag %d: %v sum to %.15g, %v", seed, lag, means, total, err)
			}
		}
	}
}

func TestTransitionMeansRefuse(t *testing.T) {
	m := newTransitionMeans(mustChains(t, [][]float64{{0.9, 0.1}, {0.2, 0.8}}, 1, 3))
	if _, err := m.at(2, 9); fmt.Sprint(err) != "lag 2 is not one of [1 3]" {
		t.Error(err)
	}
	if _, err := m.positions(2); fmt.Sprint(err) != "lag 2 is not one of [1 3]" {
		t.Error(err)
	}
	if _, err := m.at(1, 3); fmt.Sprint(err) != "position 3 has no token at lag 3, want a position above 3" {
		t.Error(err)
	}
}

func BenchmarkTransitionMeans(b *testing.B) {
	for _, tokens := range []int{10, 25} {
		P, err := process.DirichletRows(tokens, 1, 1)
		if err != nil {
			b.Fatal(err)
		}
		lags := []int{1, 2, 7, 9, 10, 11, 13, 15, 16, 22, 26, 28}
		c := mustChains(b, P, lags...)
		b.Run(fmt.Sprintf("%d tokens", tokens), func(b *testing.B) {
			for range b.N {
				m := newTransitionMeans(c)
				for _, lag := range lags {
					if _, err := m.at(lag, 57); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// The rows that are mixed are the sums of their definition, for a matrix and its
// transpose and whatever the number of rows. Whole numbers make them exact.
func TestMixRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, n := rapid.IntRange(1, 10).Draw(t, "a"), rapid.IntRange(1, 4).Draw(t, "n")
		whole := rapid.Map(rapid.IntRange(-9, 9), func(i int) float64 { return float64(i) })
		src := rapid.SliceOfN(whole, a*n, a*n).Draw(t, "src")
		p := rapid.SliceOfN(whole, a*a, a*a).Draw(t, "p")
		for _, by := range [][2]int{{a, 1}, {1, a}} {
			got, want := slices.Repeat([]float64{7}, a*n), make([]float64, a*n)
			mixRows(got, src, p, a, n, by[0], by[1])
			for i := range want {
				for y := range a {
					want[i] += p[i/n*by[0]+y*by[1]] * src[y*n+i%n]
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("strides %v: %v, want %v", by, got, want)
			}
		}
	})
}

// The points below the first one stand for a geometric series of points: they integrate
// powers of t as the series does, whatever the unit of t is.
func TestPointsBelowTheFirst(t *testing.T) {
	for _, first := range []float64{1e-9, 0.01, 1, 300} {
		points, weights := belowFirst(first)
		for power := range 5 {
			// Σ_j h·t_j·t_j^power with t_j = first·e^(−hj), j = 1, 2, …
			ratio := math.Exp(-meansStep * float64(power+1))
			want := meansStep * math.Pow(first, float64(power+1)) * ratio / (1 - ratio)
			got := 0.0
			for i, x := range points {
				got += weights[i] * math.Pow(x, float64(power))
			}
			if math.Abs(got-want) > 1e-13*want {
				t.Errorf("first point %g: t^%d integrates to %.17g, want %.17g", first, power, got, want)
			}
		}
	}
}
