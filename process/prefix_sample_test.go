package process

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/internal/panics"
	"foretell/internal/random"

	"pgregory.net/rapid"
)

// samples draws sequences from a process.
func samples(h *HMM, n, length int, seed uint64) [][]int32 {
	sequences := make([][]int32, n)
	for i := range sequences {
		sequences[i] = make([]int32, length)
		h.Sample(sequences[i], random.New(seed, "process/test", uint64(i)))
	}
	return sequences
}

// The rows are the words that some sequence begins with, each once and in order;
// counts are those of a search through all sequences, and what the process knows of a
// word is what the table of all words says.
func TestPrefixesOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		length, groups := rapid.IntRange(1, 4).Draw(t, "length"), rapid.IntRange(1, 3).Draw(t, "groups")
		sequences := samples(h, rapid.IntRange(1, 40).Draw(t, "sequences"), length, rapid.Uint64().Draw(t, "seed"))
		p, err := h.PrefixesOf(t.Context(), sequences, groups)
		if err != nil {
			t.Fatal(err)
		}
		all := must(h.Prefixes(t.Context(), length))
		if _, end := p.Range(length); end != p.Rows() || p.Sequences != len(sequences) {
			t.Fatalf("the last position ends at row %d of %d, %d sequences", end, p.Rows(), p.Sequences)
		}
		for row := range p.Rows() {
			word := p.Tokens(row)
			position, index := p.Position(row)
			from, to := p.Range(position)
			if len(word) != position || row != from+index || row >= to || p.Row(word) != row {
				t.Fatalf("row %d holds %v, at position %d, index %d; the word is in row %d", row, word, position, index, p.Row(word))
			}
			if index > 0 && slices.Compare(p.Tokens(row-1), word) >= 0 {
				t.Fatalf("%v follows %v", word, p.Tokens(row-1))
			}
			if parent := p.Parent(row); parent >= 0 && !slices.Equal(p.Tokens(parent), word[:position-1]) || parent < 0 && position > 1 {
				t.Fatalf("the parent of %v is row %d", word, parent)
			}
			count := countBeginnings(sequences, word, groups)
			if total := sum32(count); !slices.Equal(p.Draws(row), count) || math.Abs(p.Prob[row]*float64(len(sequences))-float64(total)) > 1e-9 || total == 0 {
				t.Fatalf("%v: draws %v and share %v, want %v of %d", word, p.Draws(row), p.Prob[row], count, len(sequences))
			}
			same := all.Row(word)
			if !slices.Equal(p.Belief(row), all.Belief(same)) || !slices.Equal(p.NextTokens(row), all.NextTokens(same)) ||
				!slices.Equal(p.ConstrainedBelief(row), all.ConstrainedBelief(same)) {
				t.Fatalf("%v: belief %v, the table of all words has %v", word, p.Belief(row), all.Belief(same))
			}
		}
	})
}

func countBeginnings(sequences [][]int32, word []int32, groups int) []int32 {
	count := make([]int32, groups)
	for i, sequence := range sequences {
		same := true
		for t, z := range word {
			same = same && sequence[t] == z
		}
		if same {
			count[i%groups]++
		}
	}
	return count
}

func sum32(x []int32) (total int32) {
	for _, v := range x {
		total += v
	}
	return total
}

func TestPrefixesOfRefuses(t *testing.T) {
	h, err := GoldenMean(0.5)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.PrefixesOf(t.Context(), [][]int32{{0, 0, 1}, {0, 1, 1}}, 1)
	if want := "golden_mean: sequence 2 cannot occur: token 1 at position 3 has probability 0 given the earlier tokens"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for what, sequences := range map[string][][]int32{"no sequence": nil, "lengths": {{0, 0}, {0}}, "a token": {{2}}} {
		if !panics.Does(func() { _, _ = h.PrefixesOf(t.Context(), sequences, 1) }) {
			t.Errorf("%s: no panic", what)
		}
	}
}
