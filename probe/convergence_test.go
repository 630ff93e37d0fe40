package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// words returns the table of all words of a process of the catalogue.
func words(t *testing.T, name string, params process.Params, length int) *process.Prefixes {
	t.Helper()
	source, err := process.Build(name, params)
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.Words(t.Context(), source, length)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Of a stationary process what there is to learn are differences of its floors: an
// observer of the last k tokens is at position t where all are at position k+1.
func TestLearnableByFloors(t *testing.T) {
	const length = 7
	for _, name := range []string{"mess3", "rrxor", "golden_mean", "coin", "bloch_walk"} {
		source, err := process.Build(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		floor, err := source.Floor(t.Context(), length+1)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, PlateauTokens+1) // and what is told
		for k := range want {
			for t := 1; t <= length; t++ {
				want[k] += (floor.ByPosition[min(t, k)] - floor.ByPosition[t]) / length
			}
		}
		got := NewLearnable(words(t, name, nil, length))
		wantClose(t, name, append([]float64{got.Information}, got.Plateaus...), want, 1e-11)
	}
}

// A model that ignores its context misses all, the optimal one nothing; one that sees the
// last token, all that the plateau of one token does.
func TestConvergenceOfKnownModels(t *testing.T) {
	p := words(t, "mess3", process.Params{"x": 0.05, "a": 0.85}, 5)
	m, err := model.Zero[float32](model.Config{DModel: 3, NLayers: 1, NHeads: model.Heads{1}, NCtx: 5, DVocab: 3, NormalizationType: "none"})
	if err != nil {
		t.Fatal(err)
	}
	convergence := func(m *model.Transformer[float32], plan Plan) Convergence {
		c, err := analyze(t, m, p, plan).Convergence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	blind := convergence(m, Plan{})
	if math.Abs(blind.Missed-1) > 1e-6 || blind.Converged() || !strings.Contains(blind.Reason, "misses 100 %") {
		t.Errorf("of a model that ignores its context: %+v", blind)
	}

	// Token z's embedding is axis z, and the unembedding has the log-probabilities.
	for z := range 3 {
		m.Weights.Get("embed.W_E").Data[z*3+z] = 1
		next := p.NextTokens(p.Row([]int32{int32(z)}))
		for y, q := range next {
			m.Weights.Get("unembed.W_U").Data[z*3+y] = float32(math.Log(q))
		}
	}
	one := convergence(m, Plan{})
	if one.plateau.Tokens != 1 || !(one.plateau.Apart < 1e-6) || math.Abs(one.plateau.Distance) > 1e-4 || one.Converged() ||
		!strings.Contains(one.Reason, "only the last 1 token") {
		t.Errorf("of a model that sees the last token: %+v", one)
	}
	if without := convergence(nil, Plan{Features: []Features{NextTokenFeatures(p)}}); without.Converged() {
		t.Errorf("without a model: %+v", without)
	}
}

// How far a model is from an observer is a sum over words, by the definition of both.
func TestApartFromAnObserver(t *testing.T) {
	m := randomModel(t, models[0].config)
	for _, name := range []string{"mess3", "golden_mean"} {
		p := words(t, name, nil, 4)
		want := 0.0
		for row, prob := range p.Prob {
			if prob == 0 {
				continue
			}
			word, seen, next := p.Tokens(row), 0.0, make([]float64, p.Alphabet)
			for other, q := range p.Prob { // that ends alike
				if o := p.Tokens(other); len(o) == len(word) && slices.Equal(o[max(0, len(o)-2):], word[max(0, len(word)-2):]) {
					seen += q
					floats.AddScaled(next, q, p.NextTokens(other))
				}
			}
			floats.Scale(1/seen, next)
			logits, err := m.Logits(word)
			if err != nil {
				t.Fatal(err)
			}
			want += prob * divergence(next, logits[(len(word)-1)*m.Config.DVocab:]) / 4
		}
		for _, workers := range []int{1, 3} {
			a := analyze(t, m, p, Plan{Workers: workers})
			got, err := a.apartFrom(t.Context(), p.WindowNext(2))
			if err != nil {
				t.Fatal(err)
			}
			wantClose(t, name, []float64{got}, []float64{want}, 1e-9)
		}
		// Its KL is that of a plateau of two tokens, if that is where the plateau is.
		a := analyze(t, m, p, Plan{})
		l := Learnable{Information: 1000, Plateaus: []float64{1e-9, a.KL().Mean}}
		c, err := l.Of(t.Context(), a)
		if err != nil || l.Judge(a.KL().Mean).Converged() || c.Converged() != (want > a.KL().Mean) || math.Abs(c.plateau.Apart-want) > 1e-9 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// The rule, in each of its cases.
func TestConvergenceRule(t *testing.T) {
	l := Learnable{Information: 1, Plateaus: []float64{0.2, 0.02, 0}}
	for _, test := range []struct {
		name   string
		of     Learnable
		kl     float64
		missed float64
		tokens int    // of the nearest plateau
		reason string // a part of it; empty for converged
	}{
		{"the optimum", l, 0, 0, 1, ""},
		{"little missed", l, 0.03, 0.03, 2, ""},
		{"a little more", l, 0.0301, 0.0301, 2, "misses 3.01 % of the information about the next token, more than 3 %"},
		{"above a plateau", l, 0.2201, 0.2201, 1, "misses 22 %"},
		{"at its upper edge", l, 0.2199, 0.2199, 1, "KL, 0.22 nats, is near 0.2, the KL of an optimal observer that sees only the last 1 token"},
		{"a plateau of little", l, 0.0181, 0.0181, 2, "is near 0.02, the KL of an optimal observer that sees only the last 2 tokens"},
		{"below it", l, 0.0179, 0.0179, 2, ""},
		{"plateaus of rounding", Learnable{Information: 1, Plateaus: []float64{1e-10, 0, 0}}, 1e-10, 1e-10, 0, ""},
		{"nothing to learn", Learnable{Information: 1e-16, Plateaus: []float64{1e-17, 0, 0}}, 1e-9, math.NaN(), 0, "hold no information"},
		{"no number", l, math.NaN(), math.NaN(), 1, "is not finite"},
		{"diverged", l, math.Inf(1), math.Inf(1), 1, "is not finite"},
		{"diverged downwards", l, math.Inf(-1), math.Inf(-1), 1, "is not finite"},
	} {
		c := test.of.Judge(test.kl)
		if nearer := test.of.judge(test.kl, test.kl*0.99); nearer.Reason != c.Reason || !math.IsNaN(c.plateau.Apart) {
			t.Errorf("%s, nearer to the observer: %+v", test.name, nearer)
		}
		if c.Converged() != (test.reason == "") || !strings.Contains(c.Reason, test.reason) || c.plateau.Tokens != test.tokens ||
			fmt.Sprint(c.Missed) != fmt.Sprint(test.missed) {
			t.Errorf("%s: %+v", test.name, c)
		}
	}
}

// A model that is farther from the observer than from the optimum rests on no plateau,
// and is judged by what it misses.
func TestConvergenceFarFromTheObserver(t *testing.T) {
	l := Learnable{Information: 1, Plateaus: []float64{0.2, 0.02, 0}}
	if c := l.judge(0.02, 0.021); !c.Converged() || c.plateau.Tokens != 2 || c.plateau.Apart != 0.021 {
		t.Errorf("%+v", c)
	}
	if c := l.judge(0.2, 0.21); !strings.Contains(c.Reason, "misses 20 %") {
		t.Errorf("%+v", c)
	}
}

// What twice the steps do to an effect counts where the model has converged so far.
func TestConvergenceAtTwice(t *testing.T) {
	good, bad := Convergence{}, Convergence{Reason: "misses all"}
	for _, test := range []struct {
		of               Convergence
		low, high, twice float64
		reason           string
	}{
		{good, 0.4, 0.5, 0.5, ""},
		{good, 0.4, 0.5, 0.4, ""},
		{good, 0.4, 0.5, 0.51, "after twice the steps the effect is 0.51, outside its interval of 0.4 to 0.5"},
		{good, 0.4, 0.5, 0.39, "is 0.39"},
		{good, 0.4, 0.5, math.NaN(), "is NaN"},
		{good, math.NaN(), math.NaN(), 0.4, "NaN to NaN"},
		{bad, 0.4, 0.5, 0.6, "misses all"},
		{bad, 0.4, 0.5, 0.45, "misses all"},
	} {
		got := test.of.AtTwice(test.low, test.high, test.twice)
		if got.Converged() != (test.reason == "") || !strings.Contains(got.Reason, test.reason) {
			t.Errorf("[%g, %g] and %g after %q: %q", test.low, test.high, test.twice, test.of.Reason, got.Reason)
		}
	}
}
