package intervene

import "testing"

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
