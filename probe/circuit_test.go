package probe

import (
	"context"
	"fmt"
	"math"
	"testing"

	"foretell/model"
	"foretell/process"
)

// Piotrowski et al. 2025, Eq. 3: what the first layer's attention adds to the residual
// stream is Σ_heads Σ_s A[d][s]·v_s + b_O, with v_s a function of the position s and
// the token there alone.
func TestOVVectorsAddUpToTheAttentionOutput(t *testing.T) {
	for _, test := range models {
		t.Run(test.name, func(t *testing.T) {
			m := randomModel(t, test.config)
			c := m.Config
			first, err := ReadFirstLayer(m, c.NCtx, c.DVocab)
			if err != nil {
				t.Fatal(err)
			}
			var ov [][]float64
			for head := range c.NHeads[0] {
				ov = append(ov, first.OV(m, head))
			}
			tokens := make([]int32, c.NCtx)
			for i := range tokens {
				tokens[i] = int32((i*i + 1) % c.DVocab)
			}
			_, cache, err := m.RunWithCache(tokens, 1)
			if err != nil {
				t.Fatal(err)
			}
			resid := cache.Get("blocks.0.hook_resid_pre").Data
			pattern, out := cache.Get("blocks.0.attn.hook_pattern").Data, cache.Get("blocks.0.hook_attn_out").Data
			for d := range tokens {
				want := make([]float64, c.DModel)
				for j, b := range m.Weights.Get("blocks.0.attn.b_O").Data {
					want[j] = float64(b)
				}
				for head, v := range ov {
					for s := range d + 1 {
						a := float64(pattern[(head*c.NCtx+d)*c.NCtx+s])
						for j, x := range v[(s*c.DVocab+int(tokens[s]))*c.DModel:][:c.DModel] {
							want[j] += a * x
						}
					}
				}
				for j, x := range want {
					if got := float64(out[d*c.DModel+j]); math.Abs(got-x) > 1e-5*(1+math.Abs(x)) {
						t.Errorf("attention out at position %d, entry %d is %v, by Eq. 3 it is %v", d+1, j, got, x)
					}
					at := (d*c.DVocab+int(tokens[d]))*c.DModel + j
					if first.Resid[at] != float64(resid[d*c.DModel+j]) {
						t.Errorf("the residual stream at position %d is not the table's", d+1)
					}
				}
			}
		})
	}
}

func TestReadFirstLayerRefuses(t *testing.T) {
	m := randomModel(t, models[0].config)
	for _, test := range []struct {
		positions, tokens int
		want              string
	}{
		{6, 3, "probe: 6 positions and 3 tokens do not fit n_ctx = 5 and d_vocab = 3"},
		{5, 4, "probe: 5 positions and 4 tokens do not fit n_ctx = 5 and d_vocab = 3"},
	} {
		if _, err := ReadFirstLayer(m, test.positions, test.tokens); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// A look inside: an untrained model over every word of up to four tokens.
func ExampleCollect() {
	m, err := model.New[float32](model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 3, InitializerRange: 0.02}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		fmt.Println(err)
		return
	}
	words, err := h.Prefixes(context.Background(), 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	const stage = "blocks.0.hook_resid_post"
	a, err := Collect(m, words, []string{stage}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := words.Row([]int32{0, 1, 1, 2})
	fmt.Println("words:", words.Rows())
	fmt.Println("activations of the word 0112:", len(a.Stages[stage][row*a.Width:(row+1)*a.Width]))
	// A model with small weights attends to all positions alike.
	fmt.Printf("attention from position 2 to 1: %.1f ± %.1f\n", a.Patterns[0].Mean[1*4+0], a.Patterns[0].SD[1*4+0])
	// Output:
	// words: 120
	// activations of the word 0112: 16
	// attention from position 2 to 1: 0.5 ± 0.0
}
