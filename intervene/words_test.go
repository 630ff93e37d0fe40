package intervene

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Words are all there are where a probe looks at all, and sampled beyond.
func TestWordsAreThoseOfAProbe(t *testing.T) {
	for length, want := range map[int][2]int{1: {3, 0}, 10: {59049, 0}, 13: {0, sampledTokens / 13}} {
		words, err := WordsOf(t.Context(), mess3(t), length)
		if err != nil {
			t.Fatal(err)
		}
		number, sequences := words.Number()
		if want[0] > 0 && number != want[0] || sequences != want[1] {
			t.Errorf("length %d: %d words, %d sampled sequences; want %v", length, number, sequences, want)
		}
	}
}

// The weights of words, all or sampled, sum to 1, and those of each group to the group's
// share of the sequences.
func TestWeightsSumToOne(t *testing.T) {
	for _, length := range []int{1, 4, 13} {
		words, err := WordsOf(t.Context(), mess3(t), length)
		if err != nil {
			t.Fatal(err)
		}
		sum, groups := 0.0, make([]float64, words.groups)
		for _, word := range words.list {
			sum += word.weight
			groups[word.group] += word.weight
		}
		if math.Abs(sum-1) > 1e-12 || words.groups != map[int]int{1: 1, 4: 1, 13: Groups}[length] {
			t.Errorf("length %d: weights sum to %v in %d groups", length, sum, words.groups)
		}
		for i, share := range groups {
			if math.Abs(share*float64(len(groups))-1) > 0.01 {
				t.Errorf("length %d: group %d of %d has %v", length, i, len(groups), share)
			}
		}
	}
}

// The hooks of a layer are all activations of the model's own forward pass, in its order,
// but for those of normalisation.
func TestHooksAreThoseOfThePass(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		_, cache, err := m.RunWithCache(clean, 1)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, name := range cache.Names() {
			if suffix, ok := strings.CutPrefix(name, "blocks.0."); ok && !strings.HasPrefix(suffix, "ln") {
				want = append(want, suffix)
			}
		}
		for _, h := range hooksOf(m.Config) {
			got = append(got, h.suffix)
		}
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", s.name, got, want)
		}
	}
}
