package process

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/random"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func mustInterleaved(t interface{ Fatal(...any) }, P [][]float64, lags ...int) *Interleaved {
	c, err := NewInterleaved(P, lags)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sticky is a chain that stays with probability 0.9.
var sticky = [][]float64{{0.9, 0.1}, {0.1, 0.9}}

// anyInterleaved draws a chain of two or three tokens, some of whose entries are 0,
// and one to three lags of at most 4. From every token the next one, around, can follow.
func anyInterleaved(t *rapid.T) *Interleaved {
	n := rapid.IntRange(2, 3).Draw(t, "tokens")
	P := zeros(n)
	for i, row := range P {
		total := 0.0
		for j := range row {
			least := 0
			if j == (i+1)%n {
				least = 1
			}
			row[j] = float64(rapid.IntRange(least, 3).Draw(t, "weight"))
			total += row[j]
		}
		for j := range row {
			row[j] /= total
		}
	}
	lags := rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 1, 3, rapid.ID[int]).Draw(t, "lags")
	return mustInterleaved(t, P, lags...)
}

// byLag returns Pr(word | k) for each lag, as the product that Algorithm 1 says.
func (c *Interleaved) byLag(word []int32) []float64 {
	probs := make([]float64, len(c.lags))
	for i, lag := range c.lags {
		probs[i] = 1
		for t, z := range word {
			if t < slices.Max(c.lags) {
				probs[i] *= c.pi[z]
			} else {
				probs[i] *= c.p[word[t-lag]][z]
			}
		}
	}
	return probs
}

// Both predictors, the posterior and the floors against the probabilities of words,
// each a sum over lags of products; and ML never does better than the floor.
func TestInterleavedAgainstWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyInterleaved(t)
		const positions = 7
		floors, err := c.floors(t.Context(), positions, floorBudget, math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		a, before := c.Alphabet(), 0.0
		words := [][]int32{nil}
		for position := range positions {
			entropy, crossML := 0.0, 0.0
			var longer [][]int32
			for _, word := range words {
				probs := c.byLag(word)
				total := stat.Mean(probs, nil)
				if total == 0 {
					continue
				}
				want, bma, ml := make([]float64, a), make([]float64, a), make([]float64, a)
				for z := range want {
					next := append(slices.Clone(word), int32(z))
					longer = append(longer, next)
					joint := stat.Mean(c.byLag(next), nil)
					want[z] = joint / total
					if joint > 0 {
						entropy -= joint * math.Log(joint)
					}
				}
				predictAfter(t, c.Predictor(), word, bma)
				predictAfter(t, c.ML(), word, ml)
				wantML := c.pi
				if len(word) >= slices.Max(c.lags) {
					most := slices.Max(probs)
					k := slices.IndexFunc(probs, func(p float64) bool { return p > most*(1-1e-9) })
					wantML = c.p[word[len(word)-c.lags[k]]]
				}
				posterior, err := c.Posterior(word)
				if err != nil {
					t.Fatal(err)
				}
				for z := range want {
					if math.Abs(bma[z]-want[z]) > 1e-13 || ml[z] != wantML[z] {
						t.Fatalf("after %v: %v and by ML %v, want %v and %v", word, bma, ml, want, wantML)
					}
					if want[z] > 0 {
						crossML -= total * want[z] * math.Log(ml[z])
					}
				}
				for k, w := range posterior {
					if math.Abs(w-probs[k]/(total*float64(len(probs)))) > 1e-13 {
						t.Fatalf("after %v the posterior is %v, likelihoods are %v", word, posterior, probs)
					}
				}
			}
			if want := entropy - before; math.Abs(floors[position]-want) > 1e-12 {
				t.Fatalf("floor %.15g at position %d, over words %.15g", floors[position], position+1, want)
			}
			if crossML < floors[position]-1e-12 {
				t.Fatalf("ML has %g nats at position %d, below the floor %g", crossML, position+1, floors[position])
			}
			words, before = longer, entropy
		}
	})
}

func predictAfter(t interface{ Fatal(...any) }, p Predictor, word []int32, dst []float64) {
	for _, z := range word {
		if err := p.Observe(int(z)); err != nil {
			t.Fatal(err)
		}
	}
	p.Next(dst)
}

// With one lag it is a Markov chain of that order which looks at its oldest token.
func TestInterleavedOfOneLagIsMarkov(t *testing.T) {
	P := [][]float64{{0.8, 0.15, 0.05}, {0.1, 0.3, 0.6}, {0.5, 0.3, 0.2}}
	c := mustInterleaved(t, P, 3)
	var rows [][]float64
	for word := range 27 {
		rows = append(rows, P[word/9])
	}
	markov, err := Markov(rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	got := mustFloor(t, c, 12)
	want := mustFloor(t, markov, 12)
	for i, h := range want.ByPosition {
		if math.Abs(got.ByPosition[i]-h) > 1e-12 {
			t.Errorf("the floor at position %d is %.15g, that of the Markov chain %.15g", i+1, got.ByPosition[i], h)
		}
	}
	sequence, p, q := make([]int32, 200), make([]float64, 3), make([]float64, 3)
	c.Sample(sequence, random.New(1, "test/interleaved"))
	a, b := c.Predictor(), markov.Predictor()
	for i, z := range sequence {
		a.Next(p)
		b.Next(q)
		for j := range p {
			if math.Abs(p[j]-q[j]) > 1e-13 {
				t.Fatalf("after %d tokens %v, the Markov chain has %v", i, p, q)
			}
		}
		for _, predictor := range []Predictor{a, b} {
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Over 100,000 tokens the posterior is what counts of transitions say, and settles on
// the lag that was drawn, where ML and the model average are one.
func TestInterleavedOnALongSample(t *testing.T) {
	P := [][]float64{{0.35, 0.33, 0.32}, {0.32, 0.35, 0.33}, {0.33, 0.32, 0.35}} // a lag that shows slowly
	c := mustInterleaved(t, P, 2, 3, 7)
	sequence := make([]int32, 100_000)
	c.Sample(sequence, random.New(5, "test/interleaved"))
	likelihoods := make([]float64, len(c.lags))
	optimal, likeliest := c.Predictor().(*lagPredictor), c.ML().(*lagPredictor)
	counts := make([][9]int, len(c.lags))
	for i, token := range sequence {
		for _, p := range []Predictor{optimal, likeliest} {
			if err := p.Observe(int(token)); err != nil {
				t.Fatal(err)
			}
		}
		for k, lag := range c.lags {
			if i >= 7 {
				counts[k][3*sequence[i-lag]+token]++
			}
		}
		if i != 1000 && i != len(sequence)-1 {
			continue
		}
		for k, n := range counts {
			likelihoods[k] = 0
			for cell, times := range n {
				likelihoods[k] += float64(times) * math.Log(P[cell/3][cell%3])
			}
		}
		best, total := slices.Max(likelihoods), 0.0
		for _, l := range likelihoods {
			total += math.Exp(l - best)
		}
		for k, w := range optimal.posterior() {
			if want := math.Exp(likelihoods[k]-best) / total; math.Abs(w-want) > 1e-9 {
				t.Errorf("after %d tokens lag %d has probability %g, by counts %g", i+1, c.lags[k], w, want)
			}
		}
	}
	if most := slices.Max(optimal.posterior()); most < 1-1e-12 {
		t.Errorf("after %d tokens the likeliest lag has probability %g", len(sequence), most)
	}
	p, q := make([]float64, 3), make([]float64, 3)
	optimal.Next(p)
	likeliest.Next(q)
	for z := range p {
		if math.Abs(p[z]-q[z]) > 1e-12 {
			t.Errorf("ML predicts %v, the model average %v", q, p)
		}
	}
}

// A lag that was e^−2000 times as likely as another comes back.
func TestInterleavedForgetsNoLag(t *testing.T) {
	c := mustInterleaved(t, sticky, 1, 2)
	var word []int32
	for range 1000 {
		word = append(word, 0, 0, 1, 1)
	}
	posterior, err := c.Posterior(word)
	if err != nil || posterior[1] != 0 {
		t.Fatalf("%v, %v", posterior, err)
	}
	for range 3000 {
		word = append(word, 0, 1)
	}
	if posterior, err = c.Posterior(word); err != nil || posterior[0] != 0 {
		t.Errorf("%v, %v", posterior, err)
	}
}

// Lags that the sequence cannot tell apart stay equally likely.
func TestInterleavedUndecided(t *testing.T) {
	for _, P := range [][][]float64{{{0, 1}, {1, 0}}, {{0.3, 0.7}, {0.3, 0.7}}} {
		c := mustInterleaved(t, P, 1, 3)
		var word []int32
		for range 50 {
			word = append(word, 0, 1)
		}
		if posterior, err := c.Posterior(word); err != nil || !slices.Equal(posterior, []float64{0.5, 0.5}) {
			t.Errorf("%v: %v, %v", P, posterior, err)
		}
	}
}

// ML takes the smallest of lags that are equally likely, whatever the order in which
// rounding came about, and refuses what no lag allows.
func TestInterleavedML(t *testing.T) {
	c := mustInterleaved(t, sticky, 2, 1)
	next := make([]float64, 2)
	for _, test := range []struct {
		word []int32
		want float64 // of token 0
	}{
		{nil, 0.5},
		{[]int32{0}, 0.5},
		{[]int32{1, 0}, 0.9},             // a tie: row 0
		{[]int32{1, 0, 1}, 0.9},          // lag 2
		{[]int32{0, 0, 1, 1}, 0.1},       // both lags have left and stayed
		{[]int32{0, 0, 1, 1, 1, 0}, 0.9}, // once more, in another order: 0.1·0.9·0.9·0.1, 0.1·0.1·0.9·0.1
	} {
		predictAfter(t, c.ML(), test.word, next)
		if math.Abs(next[0]-test.want) > 1e-15 {
			t.Errorf("after %v: %v, want %g", test.word, next, test.want)
		}
	}

	// Lag 1 is impossible after 1 1, lag 2 after 1 0 1; a token that neither allows.
	zeros := mustInterleaved(t, [][]float64{{0.5, 0.5}, {1, 0}}, 1, 2)
	for _, p := range []Predictor{zeros.ML(), zeros.Predictor()} {
		for _, z := range []int{0, 1, 1} {
			if err := p.Observe(z); err != nil {
				t.Fatal(err)
			}
		}
		p.Next(next)
		for range 2 {
			err := p.Observe(1)
			if want := "interleaved: token 1 cannot occur at position 4: it has probability 0 given the earlier tokens"; fmt.Sprint(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		after := make([]float64, 2)
		if p.Next(after); !slices.Equal(after, next) || !slices.Equal(next, []float64{1, 0}) {
			t.Errorf("%v, and %v after a refusal", next, after)
		}
	}
}

// The first k̂ tokens are independent and the others are not; from position
// k̂−k+1 on, k the smallest lag, the law of words stays the same.
func TestInterleavedStationarity(t *testing.T) {
	c := mustInterleaved(t, sticky, 1, 2)
	equal := make([]float64, 5)
	eachWord(c, 5, func(word []int32, prob float64, _ []float64) {
		for t := 1; t < 5; t++ {
			if word[t] == word[t-1] {
				equal[t] += prob
			}
		}
	})
	for t1, want := range map[int]float64{1: 0.5, 2: 0.7, 3: 0.7, 4: 0.7} {
		if math.Abs(equal[t1]-want) > 1e-14 {
			t.Errorf("tokens %d and %d are equal with probability %g, want %g", t1, t1+1, equal[t1], want)
		}
	}

	c = mustInterleaved(t, [][]float64{{0.2, 0.8}, {0.3, 0.7}}, 2, 3, 4)
	laws := [4][8]float64{}
	eachWord(c, 6, func(word []int32, prob float64, _ []float64) {
		for start := range laws {
			laws[start][index(word[start:start+3], 2)] += prob
		}
	})
	for cell, p := range laws[2] {
		if math.Abs(laws[3][cell]-p) > 1e-14 {
			t.Errorf("word %d has probability %g from position 3 and %g from position 4", cell, p, laws[3][cell])
		}
	}
	if laws[0] == laws[2] {
		t.Error("the law of words is the same from the start")
	}
}

// The floors above the rate sum to k̂(H(π) − h) and the information in the lag.
func TestInterleavedFloorsSum(t *testing.T) {
	c := mustInterleaved(t, [][]float64{{0.1, 0.9}, {0.9, 0.1}}, 1, 2)
	floor := mustFloor(t, c, 150)
	rate, _ := rateOf(t, c)
	sum := 0.0
	for _, h := range floor.ByPosition {
		sum += h - rate
	}
	if want := 2*(math.Ln2-rate) + math.Ln2; math.Abs(sum-want) > 1e-9 {
		t.Errorf("the floors of 150 positions are above the rate by %.12g in all, want %.12g", sum, want)
	}
}

func TestInterleavedFloorErrors(t *testing.T) {
	long := make([]int, 30)
	for i := range long {
		long[i] = i + 1
	}
	for _, test := range []struct {
		lags              []int
		positions, budget int
		want              string
	}{
		{[]int{1, 2, 3}, 9, 30, "interleaved: more than 30 distinct pairs of a posterior and the last 3 tokens up to position 6: the floor is known up to position 5; ask for no more"},
		{[]int{1}, 9, 5, "interleaved: more than 5 distinct pairs of a posterior and the last 1 token up to position 4: the floor is known up to position 3; ask for no more"},
		{long, 31, 1000, "interleaved: more than 1000 distinct pairs of a posterior and the last 30 tokens up to position 31: the floor is known up to position 30; ask for no more"},
	} {
		c := mustInterleaved(t, sticky, test.lags...)
		if floors, err := c.floors(t.Context(), test.positions, test.budget, math.MaxInt64); fmt.Sprint(err) != test.want || floors != nil {
			t.Errorf("%v, %v\nwant %s", floors, err, test.want)
		}
		if _, err := c.floors(t.Context(), slices.Max(test.lags), 0, math.MaxInt64); err != nil {
			t.Errorf("%d positions: %v", slices.Max(test.lags), err)
		}
	}
	if _, err := mustInterleaved(t, sticky, 1).Floor(t.Context(), 0); fmt.Sprint(err) != "interleaved: a floor of 0 positions, want at least 1" {
		t.Error(err)
	}
}

func TestInterleavedRefuses(t *testing.T) {
	many := make([]float64, 65)
	for i := range many {
		many[i] = float64(i + 1)
	}
	for _, test := range []struct {
		params Params
		want   string
	}{
		{Params{"P": [][]float64{}}, "interleaved: P has 0 rows, want 1 to 1024, one for each token"},
		{Params{"P": make([][]float64, 1025)}, "interleaved: P has 1025 rows, want 1 to 1024, one for each token"},
		{Params{"P": [][]float64{{0.5, 0.5}, {1}}}, "interleaved: row 1 of P has 1 entries, want one for each of 2 rows"},
		{Params{"P": [][]float64{{0.5, 0.5}, {1.5, -0.5}}}, "interleaved: P[1][0] = 1.5 is outside [0, 1]"},
		{Params{"P": [][]float64{{0.5, 0.5}, {0, math.NaN()}}}, "interleaved: P[1][1] = NaN is outside [0, 1]"},
		{Params{"P": [][]float64{{0.5, 0.6}, {0, 1}}}, "interleaved: row 0 of P sums to 1.1, want 1"},
		{Params{"P": [][]float64{{1, 0}, {0, 1}}}, "interleaved: P never leaves the sets of tokens {0} and {1}, so each has its own stationary distribution: want exactly one such set"},
		{Params{"P": [][]float64{{0.5, 0.5}, {1e-320, 1}}}, "interleaved: the stationary distribution of P cannot be computed: some probabilities are too small for their products or ratios to be float64 numbers; make them larger, or 0"},
		{Params{"lags": []float64{}}, "interleaved: 0 lags, want 1 to 64"},
		{Params{"lags": many}, "interleaved: 65 lags, want 1 to 64"},
		{Params{"lags": []float64{1, 0}}, "interleaved: lags[1] = 0 is not a whole number in [1, 1024]"},
		{Params{"lags": []float64{1.5}}, "interleaved: lags[0] = 1.5 is not a whole number in [1, 1024]"},
		{Params{"lags": []float64{math.NaN()}}, "interleaved: lags[0] = NaN is not a whole number in [1, 1024]"},
		{Params{"lags": []float64{1, 1e300}}, "interleaved: lags[1] = 1e+300 is not a whole number in [1, 1024]"},
		{Params{"lags": []float64{3, 1, 3}}, "interleaved: lags[0] and lags[2] are both 3: want each lag once"},
	} {
		if p, err := Build("interleaved", test.params); fmt.Sprint(err) != test.want || p != nil {
			t.Errorf("%v: %v, %v\nwant %s", test.params, p, err, test.want)
		}
	}
	c := mustInterleaved(t, sticky, 2, 1)
	if _, err := c.Posterior([]int32{0, 1, 2}); fmt.Sprint(err) != "interleaved: token 2 at position 3 is outside the alphabet 0 … 1" {
		t.Error(err)
	}
	transient := mustInterleaved(t, [][]float64{{0.5, 0.5}, {0, 1}}, 1)
	if _, err := transient.Posterior([]int32{0}); fmt.Sprint(err) != "interleaved: token 0 cannot occur at position 1: it has probability 0 given the earlier tokens" {
		t.Error(err)
	}
}

// What is handed out is a copy, in the order of the lags.
func TestInterleavedAccessors(t *testing.T) {
	c := mustInterleaved(t, [][]float64{{0.5, 0.5}, {1, 0}}, 3, 1)
	c.P()[0][0], c.Lags()[0], c.Stationary()[0] = 7, 7, 7
	if got := fmt.Sprint(c.P(), c.Lags(), c.Tokens()); got != "[[0.5 0.5] [1 0]] [1 3] [0 1]" {
		t.Error(got)
	}
	if pi := c.Stationary(); math.Abs(pi[0]-2./3) > 1e-15 {
		t.Errorf("stationary distribution %v", pi)
	}
	if c.Reach() != 3 {
		t.Errorf("reach %d", c.Reach())
	}
	src := &counter{Source: rand.NewPCG(1, 1)}
	if c.Sample(make([]int32, 10), src); src.calls != 11 {
		t.Errorf("a sequence of 10 tokens took %d values, want 11", src.calls)
	}
}

// Posteriors that agree to mergeDistance are one where the last tokens are the same,
// also across the border of a cell, and never where these differ.
func TestSituationsKeepTheirWords(t *testing.T) {
	m := newMixedStates(ones(2))
	posterior := []float64{0.25, 0.75}
	close := []float64{0.25 + mergeDistance/2, 0.75 - mergeDistance/2}
	for k, word := range []int32{0, 1, 2, floorBudget} {
		if got := m.addWith(word, posterior, 0.125); got != k {
			t.Errorf("word %d is situation %d, want %d", word, got, k)
		}
		if got := m.addWith(word, close, 0.125); got != k {
			t.Errorf("word %d a second time is situation %d, want %d", word, got, k)
		}
	}
	if !slices.Equal(m.labels, []int32{0, 1, 2, floorBudget}) || !slices.Equal(m.prob, []float64{0.25, 0.25, 0.25, 0.25}) {
		t.Errorf("labels %v with probabilities %v", m.labels, m.prob)
	}
	for word := range int32(2) { // the first and the last cell of a word
		for _, certain := range [][]float64{{1, 0}, {0, 1}, {0, 0}} {
			m.addWith(word, certain, 0)
		}
	}
	if m.size() != 10 {
		t.Errorf("%d situations, want 10", m.size())
	}
}
