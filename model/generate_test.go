package model

import (
	"errors"
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
)

// continued returns what a model generates.
func continued[F Float](t *testing.T, m *Transformer[F], prompt []int32, g Generation) (tokens []int32) {
	t.Helper()
	for next, err := range m.Generate(prompt, g) {
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, next.Token)
	}
	return tokens
}

// Each token is drawn as the options say from the logits of a whole pass over the tokens
// before it, or over the last n_ctx of them.
func TestGenerateDrawsFromWholePasses(t *testing.T) {
	for _, test := range streamed {
		m := jittered[float32](t, test.config)
		prompt, _, _ := batchOf[float32](m.Config, 1)
		prompt = prompt[:(len(prompt)+1)/2]
		for _, g := range []Generation{
			{},
			{Sampling: Sampling{Temperature: 1}, Seed: 3},
			{Sampling: Sampling{Temperature: 0.5, TopK: 2}, Seed: 3, Slide: true},
			{Sampling: Sampling{Temperature: 2, TopP: 0.9}, Seed: 4, Slide: true},
		} {
			g.Most = len(prompt) + 5
			word := slices.Clone(prompt)
			for next, err := range m.Generate(prompt, g) {
				if err != nil {
					t.Fatal(err)
				}
				all, err := m.Logits(word[max(0, len(word)-m.Config.NCtx):])
				if err != nil {
					t.Fatal(err)
				}
				logits := all[len(all)-m.Config.DVocab:]
				if !slices.Equal(next.Logits, logits) {
					t.Fatalf("%s: after %v: logits %v, want %v", test.name, word, next.Logits, logits)
				}
				want := draw(Sampled(logits, g.Sampling), random.New(g.Seed, "generate", uint64(len(word))))
				if next.Token != want {
					t.Fatalf("%s: after %v: %d, want %d", test.name, word, next.Token, want)
				}
				word = append(word, next.Token)
			}
			want := len(prompt) + g.Most
			if !g.Slide {
				want = min(want, m.Config.NCtx+1)
			}
			if len(word) != want {
				t.Errorf("%s: %d tokens, want %d", test.name, len(word), want)
			}
		}
	}
}

func TestGenerateEnds(t *testing.T) {
	m := jittered[float32](t, Config{DModel: 8, NLayers: 1, NHeads: Heads{2}, NCtx: 6, DVocab: 3})
	drawn := Generation{Sampling: Sampling{Temperature: 3}, Seed: 1, Most: 40, Slide: true}
	all := continued(t, m, []int32{0}, drawn)
	if again := continued(t, m, []int32{0}, drawn); !slices.Equal(again, all) || len(all) != 40 {
		t.Errorf("the same seed gives %v and %v", all, again)
	}
	other := drawn
	other.Seed = 2
	if slices.Equal(continued(t, m, []int32{0}, other), all) {
		t.Error("another seed gives the same tokens")
	}
	// A position's token does not depend on where the prompt ends.
	if rest := continued(t, m, append([]int32{0}, all[:15]...), drawn); !slices.Equal(rest[:25], all[15:]) {
		t.Errorf("from the middle %v, want %v", rest[:25], all[15:])
	}
	stopped := drawn
	stopped.Stop = []int32{all[2]}
	if got := continued(t, m, []int32{0}, stopped); !slices.Equal(got, all[:slices.Index(all, all[2])+1]) {
		t.Errorf("stopped at %v of %v", got, all)
	}
	full := drawn
	full.Slide = false
	if got := continued(t, m, []int32{0}, full); !slices.Equal(got, all[:6]) {
		t.Errorf("with a full context %v of %v", got, all)
	}
	for range m.Generate([]int32{0}, drawn) {
		break // nobody wants more
	}
	if got := continued(t, m, []int32{0}, Generation{}); got != nil {
		t.Errorf("no token was asked for, and %v came", got)
	}
}

func TestGenerateRefuses(t *testing.T) {
	m := jittered[float32](t, Config{DModel: 8, NLayers: 1, NHeads: Heads{2}, NCtx: 3, DVocab: 3})
	broken := jittered[float32](t, m.Config)
	broken.Weights.Get("unembed.b_U").Data[1] = float32(math.NaN())
	for _, test := range []struct {
		m      *Transformer[float32]
		prompt []int32
		g      Generation
		want   string
	}{
		{m, []int32{0}, Generation{Sampling: Sampling{Temperature: -1}}, "temperature = -1 is outside [0, 1e6]; 0 takes the most probable token"},
		{m, []int32{0}, Generation{Sampling: Sampling{Temperature: math.NaN()}}, "temperature = NaN is outside [0, 1e6]; 0 takes the most probable token"},
		{m, []int32{0}, Generation{Sampling: Sampling{TopK: -1}}, "top_k = -1 is less than 0; 0 keeps all tokens"},
		{m, []int32{0}, Generation{Sampling: Sampling{TopP: 1.5}}, "top_p = 1.5 is outside [0, 1]; 1 keeps all tokens"},
		{m, []int32{0}, Generation{Stop: []int32{1, 3}}, "stop = 3 is not a token; give one of 0 to 2"},
		{m, []int32{0}, Generation{Most: -1}, "most = -1 is less than 0; give at least 0"},
		{m, nil, Generation{Most: 1}, "model: a context of 0 tokens is outside [1, n_ctx = 3]"},
		{m, []int32{0, 0, 0, 0}, Generation{Most: 1}, "model: a context of 4 tokens is outside [1, n_ctx = 3]"},
		{m, []int32{7, 0, 0, 0}, Generation{Most: 1, Slide: true}, "model: token 7 at position 1 is outside the alphabet [0, 2]"},
		{broken, []int32{0, 1}, Generation{Most: 1}, "the model's logit of token 1 at position 1 is NaN; the model's weights have overflowed"},
	} {
		count := 0
		for _, err := range test.m.Generate(test.prompt, test.g) {
			if count++; err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if test.m == broken && !errors.Is(err, ErrNotFinite) {
				t.Errorf("%v is not ErrNotFinite", err)
			}
		}
		if count != 1 {
			t.Errorf("%d times %s", count, test.want)
		}
	}
}

func near(p, q []float64) bool {
	for i := range p {
		if !(math.Abs(p[i]-q[i]) < 1e-12) {
			return false
		}
	}
	return len(p) == len(q)
}

// Distributions by hand: logits are logarithms of (1, 2, 4, 8, 1)/16.
func TestSampled(t *testing.T) {
	ln := math.Log(2)
	logits := []float64{5, 5 + ln, 5 + 2*ln, 5 + 3*ln, 5}
	for _, test := range []struct {
		s    Sampling
		want []float64
	}{
		{Sampling{}, []float64{0, 0, 0, 1, 0}},
		{Sampling{TopK: 2, TopP: 0.1}, []float64{0, 0, 0, 1, 0}},
		{Sampling{Temperature: 1}, []float64{1. / 16, 2. / 16, 4. / 16, 8. / 16, 1. / 16}},
		{Sampling{Temperature: 1, TopK: 9, TopP: 1}, []float64{1. / 16, 2. / 16, 4. / 16, 8. / 16, 1. / 16}},
		{Sampling{Temperature: 0.5}, []float64{1. / 86, 4. / 86, 16. / 86, 64. / 86, 1. / 86}},
		{Sampling{Temperature: 1e-6}, []float64{0, 0, 0, 1, 0}},
		{Sampling{Temperature: 1e6}, []float64{0.2, 0.2, 0.2, 0.2, 0.2}},
		{Sampling{Temperature: 1, TopK: 1}, []float64{0, 0, 0, 1, 0}},
		{Sampling{Temperature: 1, TopK: 2}, []float64{0, 0, 1. / 3, 2. / 3, 0}},
		{Sampling{Temperature: 1, TopK: 4}, []float64{1. / 15, 2. / 15, 4. / 15, 8. / 15, 0}}, // the first of two
		{Sampling{Temperature: 1, TopP: 0.3}, []float64{0, 0, 0, 1, 0}},
		{Sampling{Temperature: 1, TopP: 0.5}, []float64{0, 0, 0, 1, 0}}, // reached by one alone
		{Sampling{Temperature: 1, TopP: 0.6}, []float64{0, 0, 1. / 3, 2. / 3, 0}},
		{Sampling{Temperature: 1, TopK: 3, TopP: 0.57}, []float64{0, 0, 0, 1, 0}}, // 8 of the 14 that are left
		{Sampling{Temperature: 1, TopK: 3, TopP: 0.58}, []float64{0, 0, 1. / 3, 2. / 3, 0}},
	} {
		got := Sampled(logits, test.s)
		if test.s.Temperature == 1e6 {
			for i := range got {
				got[i] = math.Round(got[i]*1e4) / 1e4
			}
		}
		if !near(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.s, got, test.want)
		}
	}
	if got := Sampled([]float32{1, 3, 3}, Sampling{}); !slices.Equal(got, []float64{0, 1, 0}) {
		t.Errorf("of equal logits %v", got)
	}
	if got := Sampled([]float64{-1e300, 1e300}, Sampling{Temperature: 1}); !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("of huge logits %v", got)
	}
	if got := Sampled([]float64{-1e300, 1e300, -1e300}, Sampling{Temperature: 1, TopK: 2, TopP: 0.5}); !slices.Equal(got, []float64{0, 1, 0}) {
		t.Errorf("of fewer than two that are possible %v", got)
	}
}

// What is drawn has the distribution's frequencies, and nothing of probability 0.
func TestDraw(t *testing.T) {
	p := []float64{0, 0.5, 0, 0.25, 0.25, 0}
	const n = 40_000
	counts := make([]float64, len(p))
	for i := range n {
		counts[draw(p, random.New(1, "test/draw", uint64(i)))]++
	}
	for z, q := range p {
		if got := counts[z] / n; math.Abs(got-q) > 5*math.Sqrt(q*(1-q)/n) {
			t.Errorf("token %d: %v of all, want %v", z, got, q)
		}
	}
}
