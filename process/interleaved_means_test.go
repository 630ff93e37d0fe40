package process

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// meansOverWords are the expectations at a position by enumeration of all words.
func (c *Interleaved) meansOverWords(lag, position int) []float64 {
	a, k := c.Alphabet(), slices.Index(c.lags, lag)
	means, word := make([]float64, len(c.lags)), make([]int32, position)
	for cell := range int(math.Pow(float64(a), float64(position))) {
		for i, rest := 0, cell; i < position; i++ {
			word[i], rest = int32(rest%a), rest/a
		}
		prob := c.byLag(word)[k]
		if prob == 0 {
			continue
		}
		total, last := 0.0, word[position-1]
		for _, l := range c.lags {
			total += c.p[word[position-1-l]][last]
		}
		for r, l := range c.lags {
			means[r] += prob * c.p[word[position-1-l]][last] / total
		}
	}
	return means
}

// The means against sums over all words, with zeros in P too, for every lag and position
// up to where they no longer change, at the positions that Positions names.
func TestTransitionMeansAgainstWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyInterleaved(t)
		m := c.TransitionMeans()
		for _, lag := range c.lags {
			positions, err := m.Positions(lag)
			if err != nil {
				t.Fatal(err)
			}
			longest, named := slices.Max(c.lags), -1
			for position := longest + 1; position <= longest+4; position++ {
				got, err := m.At(lag, position)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(positions, position) {
					named = position
				}
				like, err := m.At(lag, named)
				if err != nil {
					t.Fatal(err)
				}
				for r, want := range c.meansOverWords(lag, position) {
					if math.Abs(got[r]-want) > 1e-12 || like[r] != got[r] {
						t.Fatalf("P %v, lags %v, lag %d, position %d: %v, over words %g for lag %d, by position %d %v",
							c.p, c.lags, lag, position, got, want, c.lags[r], named, like)
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
	alike := mustInterleaved(t, [][]float64{{0.1, 0.899, 0.001}, {0.1, 0.899, 0.001}, {0.1, 0.899, 0.001}}, lags...)
	for _, position := range []int{29, 40, 100} {
		means, err := alike.TransitionMeans().At(7, position)
		if err != nil {
			t.Fatal(err)
		}
		for r, mean := range means {
			if math.Abs(mean-1./12) > 1e-13 {
				t.Errorf("position %d, lag %d: %.15g", position, lags[r], mean)
			}
		}
	}
	circle := zeros(29)
	for i := range circle {
		circle[i][(i+1)%29] = 1
	}
	means, err := mustInterleaved(t, circle, lags...).TransitionMeans().At(1, 57)
	if err != nil || math.Abs(means[0]-1) > 1e-12 {
		t.Errorf("in a circle %v, %v", means, err)
	}
}

// Means of matrices with very unequal entries still sum to one.
func TestTransitionMeansSumToOne(t *testing.T) {
	for seed := range uint64(20) {
		P, err := DirichletRows(4, 0.05, seed)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewInterleaved(P, []int{1, 2, 3, 6})
		if err != nil {
			continue // so peaked that it is reducible
		}
		for _, lag := range c.lags {
			means, err := c.TransitionMeans().At(lag, 20)
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
	m := mustInterleaved(t, sticky, 1, 3).TransitionMeans()
	if _, err := m.At(2, 9); fmt.Sprint(err) != "interleaved: lag 2 is not one of [1 3]" {
		t.Error(err)
	}
	if _, err := m.Positions(2); fmt.Sprint(err) != "interleaved: lag 2 is not one of [1 3]" {
		t.Error(err)
	}
	if _, err := m.At(1, 3); fmt.Sprint(err) != "interleaved: position 3 has no token at lag 3, want a position above 3" {
		t.Error(err)
	}
}

func BenchmarkTransitionMeans(b *testing.B) {
	for _, tokens := range []int{10, 25} {
		P, err := DirichletRows(tokens, 1, 1)
		if err != nil {
			b.Fatal(err)
		}
		lags := []int{1, 2, 7, 9, 10, 11, 13, 15, 16, 22, 26, 28}
		c := mustInterleaved(b, P, lags...)
		b.Run(fmt.Sprintf("%d tokens", tokens), func(b *testing.B) {
			for range b.N {
				m := c.TransitionMeans()
				for _, lag := range lags {
					if _, err := m.At(lag, 57); err != nil {
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
