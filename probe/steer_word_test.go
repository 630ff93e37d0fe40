package probe

import (
	"math"
	"testing"

	"foretell/model"
)

// For a linear read-out of the belief, a move to certainty of a state gives the optimal
// prediction in that state, from wherever it starts; without a move the prediction is the
// word's own.
func TestSteerWordOfALinearReadOut(t *testing.T) {
	h, m, P := markovReader(t)
	p := must(h.Prefixes(t.Context(), 4))
	on := Stage("blocks.0.hook_resid_mid")
	a := analyze(t, m, p, Plan{Features: []Features{on}, Targets: both, Workers: 1})
	for from := range P {
		for state := range P {
			belief := make([]float64, len(P))
			belief[state] = 1
			got, err := a.SteerWord(t.Context(), Beliefs, on, []int32{0, int32(from)}, belief)
			if err != nil {
				t.Fatal(err)
			}
			wantClose(t, "unchanged", model.Probabilities(got.Unchanged.Logits), P[from], 1e-5)
			for _, moved := range []MovedWord{got.Shortest, got.Likeliest} {
				wantClose(t, "moved", model.Probabilities(moved.Logits), P[state], 1e-5)
				wantClose(t, "read", moved.Read, belief, 1e-5)
			}
			if got.Unchanged.Distance != 0 || (got.Shortest.Distance > 1e-5) != (from != state) {
				t.Errorf("from %d to %d by %g", from, state, got.Shortest.Distance)
			}
		}
	}
}

// Over pairs of words, it has the divergences and the distances of SteerEach.
func TestSteerWordAgreesWithSteerEach(t *testing.T) {
	h, m, _ := markovReader(t)
	p := must(h.Prefixes(t.Context(), 4))
	on := Stage("blocks.0.hook_resid_post")
	for _, c := range []Convention{Ours, {Positions: EachPosition}} {
		a := analyze(t, m, p, Plan{Features: []Features{on}, Targets: both, Convention: c, Workers: 1})
		pairs := drawPairs(p, 64, 1)
		want, err := a.steer(t.Context(), Beliefs, on, pairs, 1)
		if err != nil {
			t.Fatal(err)
		}
		var kl, distance float64
		for _, pair := range pairs {
			got, err := a.SteerWord(t.Context(), Beliefs, on, p.Tokens(pair.Word), p.Belief(pair.Target))
			if err != nil {
				t.Fatal(err)
			}
			kl += model.Divergence(p.NextTokens(pair.Target), got.Likeliest.Logits) / float64(len(pairs))
			distance += got.Likeliest.Distance / float64(len(pairs))
		}
		if math.Abs(kl-want.Likeliest.Along.Mean) > 1e-9+1e-4*math.Abs(kl) || math.Abs(distance-want.Likeliest.Distance.Mean) > 1e-6 {
			t.Errorf("KL %g and distance %g, want %v", kl, distance, want.Likeliest)
		}
	}
}

func TestSteerWordRefuses(t *testing.T) {
	h, m, P := markovReader(t)
	p := must(h.Prefixes(t.Context(), 3))
	on := Stage("blocks.0.hook_resid_mid")
	a := analyze(t, m, p, Plan{Features: []Features{on}, Targets: both, Workers: 1})
	belief := make([]float64, len(P))
	for name, c := range map[string]struct {
		word []int32
		to   []float64
	}{
		"no tokens": {nil, belief}, "too many tokens": {make([]int32, 100), belief},
		"an unknown token": {[]int32{99}, belief}, "too few values": {[]int32{0}, belief[1:]},
	} {
		if _, err := a.SteerWord(t.Context(), Beliefs, on, c.word, c.to); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
