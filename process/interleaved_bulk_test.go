package process

import (
	"fmt"
	"math"
	"testing"

	"foretell/internal/panics"
	"foretell/internal/random"

	"gonum.org/v1/gonum/stat/distuv"
)

// Every token that a table gives has its probability to 2⁻³¹, and one of probability 0
// never comes: counted at the ends of each bucket and of its own token.
func TestByteAliasIsExact(t *testing.T) {
	for _, p := range [][]float64{{1}, {0, 1}, {0.3, 0, 0.7}, {0.1, 0.2, 0.3, 0.4}, {1e-9, 1e-12, 1 - 1e-9 - 1e-12}} {
		c := &Interleaved{p: [][]float64{p}, pi: p, lags: []int{1}}
		width := uint(0)
		for 1<<width < len(p) {
			width++
		}
		mass := make([]float64, len(p))
		for b, entry := range byteAlias(c.pi, width) {
			low, full := float64(b)*math.Exp2(float64(32-width)), math.Exp2(float64(32-width))
			own := float64(entry>>16) - low
			if own < 0 || own > full {
				t.Fatalf("%v: bucket %d has %g of %g", p, b, own, full)
			}
			for token, units := range map[uint8]float64{uint8(entry >> 8): own, uint8(entry): full - own} {
				if units > 0 {
					mass[token] += units
				}
			}
			if uint8(entry>>8) == uint8(entry) && own > 0 {
				mass[uint8(entry)] += own // the map had room for one
			}
		}
		for z, want := range p {
			if got := mass[z] / (1 << 32); math.Abs(got-want) > math.Exp2(-31) || (want == 0 && got != 0) {
				t.Errorf("%v: token %d has %g", p, z, got)
			}
		}
	}
}

// Words of sampled sequences, at the start and beyond, have the frequencies of Algorithm
// 1 for their lag, by a chi-square test at the level 0.001, and those of Sample.
func TestChainSamplerFollowsTheLaw(t *testing.T) {
	P := [][]float64{{0.5, 0.3, 0.2}, {0.1, 0.6, 0.3}, {0.7, 0, 0.3}}
	for _, lag := range []int{1, 2, 3} {
		c := mustInterleaved(t, P, 1, 2, 3)
		s, err := c.ChainSampler()
		if err != nil {
			t.Fatal(err)
		}
		const sequences, length, blocks = 41, 6, 2000
		counts, dst, word := make([]float64, 729), make([]uint8, sequences*length), make([]int32, length)
		src := random.New(3, "test/bulk", uint64(lag))
		for range blocks {
			s.Fill(dst, sequences, lag, src)
			for n := range sequences {
				for i := range word {
					word[i] = int32(dst[i*sequences+n])
				}
				counts[index(word, 3)]++
			}
		}
		expected := make([]float64, 729)
		for cell := range expected {
			for i, rest := length-1, cell; i >= 0; i-- {
				word[i], rest = int32(rest%3), rest/3
			}
			expected[cell] = c.byLag(word)[lag-1] * sequences * blocks
		}
		checkCounts(t, lag, counts, expected)
	}
}

// checkCounts is a chi-square test at the level 0.001; cells below 5 are one.
func checkCounts(t *testing.T, lag int, counts, expected []float64) {
	t.Helper()
	chi2, cells, rare, rareExpected := 0.0, 0, 0.0, 0.0
	for cell, want := range expected {
		switch {
		case want == 0 && counts[cell] > 0:
			t.Fatalf("lag %d: word %d cannot occur and came %g times", lag, cell, counts[cell])
		case want < 5:
			rare, rareExpected = rare+counts[cell], rareExpected+want
		default:
			chi2 += (counts[cell] - want) * (counts[cell] - want) / want
			cells++
		}
	}
	if rareExpected > 0 {
		chi2 += (rare - rareExpected) * (rare - rareExpected) / rareExpected
		cells++
	}
	if limit := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(0.999); chi2 > limit {
		t.Errorf("lag %d: chi-square %.1f over %d words, limit %.1f", lag, chi2, cells, limit)
	}
}

// The two samplers agree in distribution: words of a mixture over lags, drawn by Sample
// and by ChainSampler, by a chi-square test of two samples.
func TestChainSamplerAgreesWithSample(t *testing.T) {
	c := mustInterleaved(t, [][]float64{{0.8, 0.2}, {0.35, 0.65}}, 1, 3)
	s, err := c.ChainSampler()
	if err != nil {
		t.Fatal(err)
	}
	const each, length = 40_000, 7
	counts := [2][128]float64{}
	word := make([]int32, length)
	for n := range 2 * each {
		c.Sample(word, random.New(5, "test/bulk", uint64(n)))
		counts[0][index(word, 2)]++
	}
	dst := make([]uint8, each*length)
	for k, lag := range []int{1, 3} {
		s.Fill(dst, each, lag, random.New(6, "test/bulk", uint64(k)))
		for n := range each {
			for i := range word {
				word[i] = int32(dst[i*each+n])
			}
			counts[1][index(word, 2)]++
		}
	}
	chi2 := 0.0
	for cell, a := range counts[0] {
		if b := counts[1][cell]; a+b > 0 {
			chi2 += (a - b) * (a - b) / (a + b)
		}
	}
	if chi2 > (distuv.ChiSquared{K: 127}).Quantile(0.999) {
		t.Errorf("chi-square of two samples %.1f over 128 words", chi2)
	}
}

// What Fill returns depends on the source and the shape alone, also where sequences end
// before tokens depend on each other, and on odd numbers of tokens.
func TestChainSamplerShapes(t *testing.T) {
	c := mustInterleaved(t, sticky, 1, 5)
	s, err := c.ChainSampler()
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range [][2]int{{1, 1}, {3, 1}, {1, 5}, {3, 3}, {1, 6}, {3, 7}, {2, 40}} {
		for lag := 1; lag <= 5; lag++ {
			a, b := make([]uint8, shape[0]*shape[1]), make([]uint8, shape[0]*shape[1])
			s.Fill(a, shape[0], lag, random.New(1, "test/bulk"))
			s.Fill(b, shape[0], lag, random.New(1, "test/bulk"))
			if string(a) != string(b) {
				t.Errorf("%d sequences of %d tokens: %v and %v", shape[0], shape[1], a, b)
			}
		}
	}
	for _, misuse := range []func(){
		func() { s.Fill(make([]uint8, 3), 2, 1, random.New(1, "test/bulk")) },
		func() { s.Fill(make([]uint8, 4), 2, 6, random.New(1, "test/bulk")) },
		func() { s.Fill(make([]uint8, 4), 2, 0, random.New(1, "test/bulk")) },
		func() { s.Fill(make([]uint8, 4), 0, 1, random.New(1, "test/bulk")) },
	} {
		if !panics.Does(misuse) {
			t.Error("misuse did not panic")
		}
	}
}

func TestChainSamplerNeedsBytes(t *testing.T) {
	around := func(n int) *Interleaved {
		P := zeros(n)
		for i := range P {
			P[i][(i+1)%n] = 1
		}
		return mustInterleaved(t, P, 1)
	}
	want := "interleaved: 257 tokens do not fit into a byte, want at most 256"
	if _, err := around(257).ChainSampler(); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	s, err := around(256).ChainSampler()
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]uint8, 600)
	s.Fill(dst, 2, 1, random.New(1, "test/bulk"))
	for i := 2; i < len(dst); i++ {
		if dst[i] != dst[i-2]+1 {
			t.Fatalf("token %d follows %d", dst[i], dst[i-2])
		}
	}
}

// BenchmarkChainSampler counts a token as a byte.
func BenchmarkChainSampler(b *testing.B) {
	P, err := DirichletRows(10, 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	c := mustInterleaved(b, P, 1, 28)
	s, err := c.ChainSampler()
	if err != nil {
		b.Fatal(err)
	}
	const sequences = 40
	for _, lag := range c.Lags() {
		dst, src := make([]uint8, sequences*1000), random.New(1, "bench/bulk")
		b.Run(map[int]string{1: "lag1", 28: "lag28"}[lag], func(b *testing.B) {
			b.SetBytes(int64(len(dst)))
			for range b.N {
				s.Fill(dst, sequences, lag, src)
			}
		})
	}
}

// BenchmarkInterleavedSample is the path that trainings take, for comparison.
func BenchmarkInterleavedSample(b *testing.B) {
	P, err := DirichletRows(10, 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	c := mustInterleaved(b, P, 1, 28)
	dst, src := make([]int32, 1000), random.New(1, "bench/bulk")
	b.SetBytes(int64(len(dst)))
	for range b.N {
		c.Sample(dst, src)
	}
}

// The published outputs of SplitMix64 from the seed 1234567 (Rosetta Code,
// Pseudo-random numbers/Splitmix64).
func TestSplitMix(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		state += splitMixStep
		if got := splitMix(state); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}
