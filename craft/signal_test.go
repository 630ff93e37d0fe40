package craft

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
	"foretell/model"
	"foretell/process"

	"pgregory.net/rapid"
)

// along is what a model of a signal does along one sampled sequence.
type along struct {
	worst        float64 // largest divergence from the optimal predictor
	steps, right int     // retrieval steps, and those where the likeliest token is right
}

// follow runs a model along sampled sequences of its process.
func follow[F model.Float](t rapid.TB, m *model.Transformer[F], p process.Process, sequences int, seed uint64) along {
	t.Helper()
	n := m.Config.NCtx
	var found along
	for k := range sequences {
		tokens := make([]int32, n+1)
		p.Sample(tokens, random.New(seed, "test/signals", uint64(k)))
		marked, err := p.(*process.Symbolic).Retrievals(tokens)
		if err != nil {
			t.Fatal(err)
		}
		logits, err := m.Logits(tokens[:n])
		if err != nil {
			t.Fatal(err)
		}
		predictor := p.Predictor()
		next := make([]float64, p.Alphabet())
		for i := range n {
			if err := predictor.Observe(int(tokens[i])); err != nil {
				t.Fatal(err)
			}
			predictor.Next(next)
			row := logits[i*len(next) : (i+1)*len(next)]
			kl := model.Divergence(next, row)
			if math.IsNaN(kl) {
				t.Fatalf("no number after %v", tokens[:i+1])
			}
			found.worst = max(found.worst, kl)
			if marked[i+1] {
				found.steps++
				if slices.Index(row, slices.Max(row)) == int(tokens[i+1]) {
					found.right++
				}
			}
		}
	}
	return found
}

// isOptimal fails where a hand-written model of a signal is not the optimal predictor.
func isOptimal(t rapid.TB, c *Crafted, sequences int, seed uint64) {
	t.Helper()
	for name, found := range map[string]along{
		"float64": follow(t, c.Model, c.Process, sequences, seed),
		"float32": follow(t, model.Convert[float32](c.Model), c.Process, sequences, seed),
	} {
		within := 1e-12
		if name == "float32" {
			within = 1e-4
		}
		if !(found.worst <= within) {
			t.Errorf("%s: divergence of %.3g nats", name, found.worst)
		}
		if found.right != found.steps {
			t.Errorf("%s: %d of %d retrieval steps", name, found.right, found.steps)
		}
	}
}

// drawSignal draws what all transformers for signals have.
func drawSignal(t *rapid.T, most int) Signal {
	return Signal{rapid.IntRange(1, most).Draw(t, "n_ctx"), rapid.SampledFrom([]string{Sinusoidal, Rotary}).Draw(t, "positions")}
}

// made is a model with its process.
func made[P process.Process](t *rapid.T, m *model.Transformer[float64], err error, p P, failed error) *Crafted {
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return &Crafted{m, p}
}

func TestDelayIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Delay{
			Delay: rapid.IntRange(1, 45).Draw(t, "delay"), Key: rapid.SampledFrom([]float64{0, 0.02, 0.3}).Draw(t, "key"),
			Values: rapid.SampledFrom([]int{1, 2, 5, 28}).Draw(t, "values"), Planes: rapid.IntRange(1, 4).Draw(t, "planes"),
			Elsewhere: 1e-18, Signal: drawSignal(t, 40),
		}
		m, err := c.Transformer()
		p, failed := process.SwitchingDelay([]int{c.Delay}, c.Key, c.Values)
		isOptimal(t, made(t, m, err, p, failed), 3, rapid.Uint64().Draw(t, "seed"))
	})
}

func TestSwitchingDelayIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := SwitchingDelay{
			Delays: rapid.SliceOfN(rapid.IntRange(1, 50), 1, 4).Draw(t, "delays"),
			Key:    rapid.Float64Range(0, 0.4).Draw(t, "key"),
			Values: rapid.SampledFrom([]int{2, 5, 28}).Draw(t, "values"), Signal: drawSignal(t, 40),
		}
		m, err := c.Transformer()
		p, failed := process.SwitchingDelay(c.Delays, c.Key, c.Values)
		isOptimal(t, made(t, m, err, p, failed), 3, rapid.Uint64().Draw(t, "seed"))
	})
}

func TestRoutingIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Routing{Numbers: rapid.IntRange(4, 12).Draw(t, "numbers"), Signal: drawSignal(t, 40)}
		c.Set = rapid.Float64Range(0, 0.9).Draw(t, "set")
		c.Apply = rapid.SampledFrom([]float64{1, 0.5, 0.1}).Draw(t, "apply of the rest") * (1 - c.Set)
		m, err := c.Transformer()
		p, failed := process.Routing(c.Set, c.Apply, c.Numbers)
		isOptimal(t, made(t, m, err, p, failed), 3, rapid.Uint64().Draw(t, "seed"))
	})
}

func TestBracketsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Brackets{
			Depth: rapid.IntRange(1, 12).Draw(t, "depth"), Tags: rapid.IntRange(1, 12).Draw(t, "tags"),
			NCtx: rapid.IntRange(1, 50).Draw(t, "n_ctx"), Open: rapid.Float64Range(0.01, 0.9).Draw(t, "open"),
		}
		c.Close = rapid.SampledFrom([]float64{1, 0.5, 0.1}).Draw(t, "close of the rest") * (1 - c.Open)
		m, err := c.Transformer()
		p, failed := process.Brackets(c.Open, c.Close, c.Depth, c.Tags)
		isOptimal(t, made(t, m, err, p, failed), 3, rapid.Uint64().Draw(t, "seed"))
	})
}

// With the lecture's vocabularies, many sequences, and contexts that float32 and the
// longest delays are just up to.
func TestSignalsAreOptimal(t *testing.T) {
	for _, c := range []struct {
		name   string
		params process.Params
	}{
		{"delay", nil},
		{"delay", process.Params{"positions": Rotary, "planes": 3.0}},
		{"switching-delay", nil},
		{"switching-delay", process.Params{"positions": Rotary}},
		{"switching-delay", process.Params{"n_ctx": 160.0, "delays": []float64{1, 100, 150}}},
		{"routing", nil},
		{"routing", process.Params{"positions": Rotary}},
		{"routing", process.Params{"n_ctx": 160.0, "set": 0.0}},
		{"brackets", nil},
		{"brackets", process.Params{"n_ctx": 160.0, "open": 0.3, "close": 0.25}},
	} {
		m, err := Make(c.name, c.params)
		if err != nil {
			t.Fatal(err)
		}
		isOptimal(t, m, 10, 7)
	}
}
