package craft

import (
	"fmt"
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

func TestSignalsAsTheyStand(t *testing.T) {
	for _, name := range []string{"delay", "switching-delay", "routing", "brackets"} {
		c, err := Make(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(name, c.Model.Config.DModel, c.Model.Config.NHeads, c.Model.Config.DHead, c.Model.Config.DMLP, c.Model.Config.Parameters())
		f := follow(t, c.Model, c.Process, 100, 1)
		g := follow(t, model.Convert[float32](c.Model), c.Process, 100, 1)
		fmt.Printf("%+v %+v\n", f, g)
	}
}
