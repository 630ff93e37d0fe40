package signals

import (
	"math/rand/v2"
	"testing"
)

// What one token tells of the next: all of a sine; of the results of routing the 17 of 60
// cases that the argument alone gets right; the innermost bracket; and the delay that is
// the most frequent.
func TestOneToken(t *testing.T) {
	for s, want := range map[signal][2]float64{
		sine: {1, 1}, switching: {0.25, 0.34}, brackets: {0.1, 0.2}, routing: {0.26, 0.32},
	} {
		h, err := sampled(s, 2048)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.oneToken(); got < want[0] || got > want[1] {
			t.Errorf("%s: %.4f, want %v", s.title, got, want)
		}
	}
	// The guess has to be chosen on other windows: noise cannot be guessed.
	h, stream := &heldOut{}, rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		w := window{tokens: make([]int32, contextLength), next: make([]float64, 32)}
		for k := range w.tokens {
			w.tokens[k] = int32(stream.IntN(32))
		}
		w.next[stream.IntN(32)] = 1
		h.any = append(h.any, w)
	}
	if got := h.oneToken(); got > 0.08 {
		t.Errorf("noise is guessed in %.4f of cases", got)
	}
}
