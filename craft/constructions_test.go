package craft

import (
	"fmt"
	"math"
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
		word := []int32{process.BOS, 1, 1, 0}
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
			if math.Abs(got[z]-p) > 1e-6 {
				t.Errorf("%s: token %d has probability %v, want %v", c.Name, z, got[z], p)
			}
		}
	}
}

func TestMakeNamesTheMistake(t *testing.T) {
	for _, test := range []struct {
		name   string
		params Params
		want   string
	}{
		{"con", nil, `unknown construction "con": did you mean "coin"?`},
		{"nothing", nil, `unknown construction "nothing": there are coin, coin-attention`},
		{"coin", Params{"n_cxt": 3.0}, `coin: unknown parameter "n_cxt": did you mean "n_ctx"?`},
		{"coin", Params{"a": []any{1.0}}, "coin: a = [1] is not a number"},
		{"coin", Params{"a": -1.0}, "coin: a = -1 is outside (0, 1e6]"},
		{"coin", Params{"n_ctx": 2.5}, "coin: n_ctx = 2.5 is not a whole number"},
		{"coin", Params{"width": 0.5}, "coin: width = 0.5 is not a whole number"},
		{"coin-attention", Params{"width": 5.0}, "coin: width = 5 is too small for an error of 1e-06 with the prior Beta(1, 1) and n_ctx = 1024: 23 heads would do"},
	} {
		if _, err := Make(test.name, test.params); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
