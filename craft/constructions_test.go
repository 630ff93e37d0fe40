package craft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"foretell/model"
	"foretell/process"
)

// Every construction can be made with its defaults, and predicts its process.
func TestConstructions(t *testing.T) {
	for _, c := range Constructions() {
		m, err := Make(c.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		word, within := make([]int32, m.Model.Config.NCtx), 1e-12
		m.Process.Sample(word, rand.NewPCG(1, 1))
		switch c.Name {
		case "induction": // after many tokens there is one lag
			within = 1e-3
		case "coin", "coin-attention":
			word, within = []int32{process.BOS, 1, 1, 0}, 1e-6
		}
		predictor := m.Process.Predictor()
		for _, z := range word {
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
		want := make([]float64, m.Process.Alphabet())
		predictor.Next(want)
		logits, err := m.Model.Logits(word)
		if err != nil {
			t.Fatal(err)
		}
		got := model.Probabilities(logits[len(logits)-m.Model.Config.DVocab:])
		for z, p := range want {
			if math.Abs(got[z]-p) > within {
				t.Errorf("%s: token %d has probability %v, want %v", c.Name, z, got[z], p)
			}
		}
	}
}

func TestMakeNamesTheMistake(t *testing.T) {
	for _, test := range []struct {
		name   string
		params process.Params
		want   string
	}{
		{"con", nil, `unknown construction "con": did you mean "coin"?`},
		{"nothing", nil, `unknown construction "nothing": the names are coin, coin-attention, induction, delay, switching-delay, routing, brackets`},
		{"coin", process.Params{"n_cxt": 3.0}, `coin: unknown parameter "n_cxt": did you mean "n_ctx"?`},
		{"coin", process.Params{"a": []any{1.0}}, "coin: a = [1] is not a number"},
		{"coin", process.Params{"a": -1.0}, "coin: a = -1 is outside (0, 1e6]"},
		{"coin", process.Params{"n_ctx": 2.5}, "coin: n_ctx = 2.5 is not a whole number"},
		{"coin", process.Params{"width": 0.5}, "coin: width = 0.5 is not a whole number"},
		{"coin-attention", process.Params{"width": 5.0}, "coin: width = 5 is too small for an error of 1e-06 with the prior Beta(1, 1) and n_ctx = 1024: give at least 23 heads"},
		{"induction", process.Params{"lags": []float64{0}}, "interleaved: lags[0] = 0 is not a whole number in [1, 1024]"},
		{"induction", process.Params{"lags": []float64{2, 2}}, "interleaved: lags[0] and lags[1] are both 2: want each lag once"},
		{"induction", process.Params{"P": [][]float64{{0.5, 0.4}, {0.5, 0.5}}}, "interleaved: row 0 of P sums to 0.9, want 1"},
		{"induction", process.Params{"lags": []float64{1, 9}, "n_ctx": 8.0}, "induction: lag 9 leaves no transition in a context of n_ctx = 8 tokens; give an n_ctx above 9"},
		{"induction", process.Params{"heads": 1.5}, "induction: heads = 1.5 is not a whole number"},
		{"induction", process.Params{"heads": 7.0}, "induction: heads = 7 is more than the 3 that these lags need; give at most 3"},
		{"delay", process.Params{"delay": 0.0}, "switching_delay: delays[0] = 0 is outside [1, 1024]"},
		{"delay", process.Params{"planes": 17.0}, "delay: planes = 17 is outside [1, 16]"},
		{"delay", process.Params{"elsewhere": 0.5}, "delay: elsewhere = 0.5 is outside [1e-30, 0.1]"},
		{"switching-delay", process.Params{"values": 27.0}, "switching_delay: values = 27 is a multiple of 3, so 3x + 7 would not reach all of them"},
		{"switching-delay", process.Params{"delays": []float64{1.5}}, "switching_delay: delays[0] = 1.5 is not a whole number"},
		{"switching-delay", process.Params{"positions": "learned"}, `switching-delay: positions = "learned" is not one of sinusoidal, rotary`},
		{"switching-delay", process.Params{"values": 1000.0}, "switching-delay: these parameters need a residual stream 6072 wide; the limit is 2048"},
		{"routing", process.Params{"n_ctx": 1025.0}, "routing: n_ctx = 1025 is not a whole number in [1, 1024]"},
		{"routing", process.Params{"apply": 0.0}, "routing: apply = 0 is outside (0, 1 − set] = (0, 0.95]"},
		{"brackets", process.Params{"depth": 0.0}, "brackets: depth = 0 is outside [1, 64]"},
		{"brackets", process.Params{"positions": "rotary"}, `brackets: unknown parameter "positions": want one of open, close, depth, tags, n_ctx`},
		{"induction", process.Params{"third_layer": "App. H"}, `induction: third_layer = "App. H" is not one of auto, masked, positional, transposed`},
	} {
		if _, err := Make(test.name, test.params); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// A construction can have parameters of every type that those of processes have.
func TestConstructionOfListsAndMatrices(t *testing.T) {
	var made process.Params
	c := Construction{
		Name: "chains",
		Params: []process.Param{
			{Name: "lags", Default: []float64{1}},
			{Name: "P", Default: [][]float64{{1}}},
			{Name: "mode", Default: "average"},
			{Name: "source", Default: process.Spec{Name: "mess3"}},
			{Name: "heads", Default: 1.0},
		},
		New: func(p process.Params) (*Crafted, error) {
			made = p
			if _, err := p.Wholes("chains", "lags", 1, 64); err != nil {
				return nil, err
			}
			source, err := p.Spec("source").Build()
			return &Crafted{Process: source}, err
		},
	}
	lags, P := []float64{2, 5}, [][]float64{{0.9, 0.1}, {0.5, 0.5}}
	m, err := c.Make(process.Params{"lags": lags, "P": P, "mode": "likeliest", "source": "z1r", "heads": 3})
	if err != nil {
		t.Fatal(err)
	}
	want := process.Params{"lags": lags, "P": P, "mode": "likeliest", "source": process.Spec{Name: "z1r"}, "heads": 3.0}
	if m.Process.Name() != "z1r" || !reflect.DeepEqual(made, want) {
		t.Errorf("%s, made of %v, want %v", m.Process.Name(), made, want)
	}
	for want, params := range map[string]process.Params{
		"chains: lags = 2 is not a list of numbers, such as [0.5, 0.5]":                  {"lags": 2.0},
		"chains: lags[1] = 0 is not a whole number in [1, 64]":                           {"lags": []float64{2, 0}},
		`chains: P = "P.json" is not a matrix by rows, such as [[0.9, 0.1], [0.5, 0.5]]`: {"P": "P.json"},
		`chains: unknown parameter "lag": did you mean "lags"?`:                          {"lag": 2.0},
	} {
		if _, err := c.Make(params); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A parameter that a construction shares with its process has one range in both.
func TestConstructionsHaveTheRangesOfTheirProcesses(t *testing.T) {
	shared := 0
	for _, c := range Constructions() {
		m, err := Make(c.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		ranges := map[string]string{}
		for _, entry := range process.Catalogue() {
			if entry.Name == m.Process.Name() {
				for _, p := range entry.Params {
					ranges[p.Name] = p.Range
				}
			}
		}
		for _, p := range c.Params {
			if want, ok := ranges[p.Name]; ok {
				shared++
				if p.Range != want {
					t.Errorf("%s: the range of %s is %s, and that of the process is %s", c.Name, p.Name, p.Range, want)
				}
			}
		}
	}
	if shared < 10 {
		t.Errorf("only %d parameters are shared", shared)
	}
}
