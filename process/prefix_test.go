package process

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every row of the table is what Belief, Constrained, Next and LogProb say of its
// word, and rows, positions and tokens convert to each other.
func TestPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		length := rapid.IntRange(1, 4).Draw(t, "length")
		p := must(h.Prefixes(t.Context(), length))
		if p.Rows() != NumPrefixes(h.Alphabet(), length) {
			t.Fatalf("%d rows, want %d", p.Rows(), NumPrefixes(h.Alphabet(), length))
		}
		row := 0
		for position := 1; position <= length; position++ {
			from, to := p.Range(position)
			if from != row || to-from != int(math.Pow(float64(h.Alphabet()), float64(position))) {
				t.Fatalf("position %d has the rows %d to %d, the one before ended at %d", position, from, to, row)
			}
			for ; row < to; row++ {
				word := digits(row-from, h.Alphabet(), position)
				if got := p.Tokens(row); !slices.Equal(got, word) {
					t.Fatalf("row %d is %v, want %v", row, got, word)
				}
				if got := p.Row(word); got != row {
					t.Fatalf("%v is row %d, want %d", word, got, row)
				}
				if l, k := p.Position(row); l != position || k != row-from {
					t.Fatalf("row %d has position %d, index %d", row, l, k)
				}
				rowIsItsWord(t, h, p, row, word)
			}
		}
	})
}

func rowIsItsWord(t *rapid.T, h *HMM, p *Prefixes, row int, word []int32) {
	belief, err := h.Belief(word)
	if err != nil {
		if p.Prob[row] != 0 || slices.Max(p.Belief(row)) != 0 || slices.Max(p.NextTokens(row)) != 0 ||
			slices.Max(p.ConstrainedBelief(row)) != 0 || slices.Min(p.ConstrainedBelief(row)) != 0 {
			t.Fatalf("%v cannot occur and its row is not zeros", word)
		}
		return
	}
	logProb, errLog := h.LogProb(word)
	constrained, errConstrained := h.Constrained(word)
	if errLog != nil || errConstrained != nil {
		t.Fatal(errLog, errConstrained)
	}
	if d := math.Abs(p.Prob[row] - math.Exp(logProb)); d > 1e-14 {
		t.Fatalf("%v has probability %g, want %g", word, p.Prob[row], math.Exp(logProb))
	}
	if !slices.Equal(p.Belief(row), belief) || !slices.Equal(p.NextTokens(row), h.Next(belief)) ||
		!slices.Equal(p.ConstrainedBelief(row), constrained) {
		t.Fatalf("%v: belief %v, next %v, constrained %v", word, p.Belief(row), p.NextTokens(row), p.ConstrainedBelief(row))
	}
}

// A token of a generalised HMM that is seldom beyond its tolerance takes no part, even
// where a word makes it likely.
func TestPrefixesWithASeldomToken(t *testing.T) {
	const e = 1e-7
	h, err := NewGeneralised("seldom", []string{"a", "b", "c"}, []string{"A", "B", "C"}, [][][]float64{
		{{1 - e, 0, 0}, {1 - e, 0, 0}, {0, 0, 0}},
		{{0, e, 0}, {0, 0, e}, {0, 0, 0}},
		{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}},
	}, ones(3))
	if err != nil {
		t.Fatal(err)
	}
	p := must(h.Prefixes(t.Context(), 3))
	row := p.Row([]int32{1, 1, 2})
	if p.Prob[row] != 0 || slices.Max(p.Belief(row)) != 0 || !(p.Prob[p.Parent(row)] > 0) {
		t.Errorf("bbc has the probability %g, bb %g", p.Prob[row], p.Prob[p.Parent(row)])
	}
}

// The words of each length have the probability one in all.
func TestPrefixProbabilities(t *testing.T) {
	p := must(mustMess3(t, 0.15, 0.6).Prefixes(t.Context(), 10))
	if p.Rows() != 88_572 {
		t.Errorf("%d rows", p.Rows())
	}
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		total := 0.0
		for _, prob := range p.Prob[from:to] {
			total += prob
		}
		if math.Abs(total-1) > 1e-13 {
			t.Errorf("the words of length %d have probability %.17g", position, total)
		}
	}
}

func TestNumPrefixes(t *testing.T) {
	for _, c := range []struct{ alphabet, length, want int }{
		{3, 10, 88_572},
		{2, 3, 14},
		{1, 7, 7},
		{5, 0, 0},
		{2, bits.UintSize - 3, 1<<(bits.UintSize-2) - 2},
		{2, bits.UintSize - 2, math.MaxInt - 1},
		{2, bits.UintSize - 1, math.MaxInt},
		{50257, 1024, math.MaxInt},
	} {
		if got := NumPrefixes(c.alphabet, c.length); got != c.want {
			t.Errorf("NumPrefixes(%d, %d) = %d, want %d", c.alphabet, c.length, got, c.want)
		}
	}
}

func BenchmarkPrefixes(b *testing.B) {
	h := mustMess3(b, 0.15, 0.6)
	for b.Loop() {
		must(h.Prefixes(b.Context(), 10))
	}
}
