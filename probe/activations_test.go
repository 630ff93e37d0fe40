package probe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"foretell/model"
	"foretell/process"
)

// models are transformers with what a probe has to cope with: one head and
// several, a norm and none, attention alone.
var models = []struct {
	name   string
	config model.Config
}{
	{"one head, LN", model.Config{DModel: 6, NLayers: 1, NHeads: model.Heads{1}, DMLP: 9, NCtx: 5, DVocab: 3}},
	{"two heads, no norm", model.Config{DModel: 6, NLayers: 1, NHeads: model.Heads{2}, DMLP: 9, NCtx: 5, DVocab: 3, NormalizationType: "none"}},
	{"heads by layer, more tokens than the process", model.Config{DModel: 6, NLayers: 2, NHeads: model.Heads{2, 3}, NCtx: 7, DVocab: 4, AttnOnly: true}},
}

// randomModel returns a model whose every parameter is a random number, biases
// and norms included.
func randomModel(t *testing.T, c model.Config) *model.Transformer[float32] {
	t.Helper()
	m, err := model.New[float32](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range normals(2, len(m.Weights.Data), 1).Data {
		m.Weights.Data[i] += float32(0.4 * x)
	}
	return m
}

func build(t *testing.T, name string) *process.HMM {
	t.Helper()
	p, err := process.Build(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*process.HMM)
}

var stages = []string{"blocks.0.hook_resid_mid", "blocks.0.hook_resid_post"}

// What Collect keeps of a word is what a pass over that word alone gives: the
// activations to the bit, the divergence by its definition, and the moments of
// the patterns by a sum over all words. Of golden_mean most words cannot occur.
func TestCollectEqualsDirectPasses(t *testing.T) {
	for _, test := range models {
		for _, name := range []string{"mess3", "golden_mean"} {
			t.Run(test.name+", "+name, func(t *testing.T) {
				m, p := randomModel(t, test.config), must(build(t, name).Prefixes(t.Context(), 5))
				a, err := Collect(m, p, stages, 2)
				if err != nil {
					t.Fatal(err)
				}
				brute := newPatternSums(m.Config, p.Length)
				for row := range p.Rows() {
					tokens := p.Tokens(row)
					logits, cache, err := m.RunWithCache(tokens, 1)
					if err != nil {
						t.Fatal(err)
					}
					last := len(tokens) - 1
					for _, stage := range stages {
						for j, x := range cache.Get(stage).Data[last*a.Width:] {
							if got := a.Stages[stage][row*a.Width+j]; got != float64(x) {
								t.Fatalf("%s of %v: entry %d is %v, a pass over the word alone gives %v", stage, tokens, j, got, x)
							}
						}
					}
					want := divergence(p.NextTokens(row), logits[last*m.Config.DVocab:])
					if math.Abs(a.KL[row]-want) > 1e-12 {
						t.Fatalf("KL of %v is %v, want %v", tokens, a.KL[row], want)
					}
					brute.add(p.Prob[row], cache, last)
				}
				brute.compare(t, a.Patterns)
			})
		}
	}
}

// divergence is Σ p·(ln p − ln softmax(logits)), term by term.
func divergence(p []float64, logits []float32) float64 {
	total, kl := 0.0, 0.0
	for _, x := range logits {
		total += math.Exp(float64(x))
	}
	for z, q := range p {
		if q > 0 {
			kl += q * math.Log(q*total/math.Exp(float64(logits[z])))
		}
	}
	return kl
}

// patternSums collects every attention to a word's last token with the weight of
// the word, by layer and head and then by destination and source.
type patternSums struct {
	heads  []int // of each layer
	length int
	values [][][]weighted
}

type weighted struct{ weight, value float64 }

func newPatternSums(c model.Config, length int) *patternSums {
	s := &patternSums{heads: c.NHeads, length: length}
	for _, heads := range c.NHeads {
		for range heads {
			s.values = append(s.values, make([][]weighted, length*length))
		}
	}
	return s
}

func (s *patternSums) add(weight float64, cache *model.Cache[float32], last int) {
	at := 0
	for layer, heads := range s.heads {
		pattern, T := cache.Get(fmt.Sprintf("blocks.%d.attn.hook_pattern", layer)).Data, last+1
		for h := range heads {
			for src := range T {
				i := last*s.length + src
				s.values[at][i] = append(s.values[at][i], weighted{weight, float64(pattern[(h*T+last)*T+src])})
			}
			at++
		}
	}
}

// compare checks means and standard deviations, the latter about the mean, in
// two passes.
func (s *patternSums) compare(t *testing.T, patterns []Pattern) {
	t.Helper()
	at := 0
	for layer, heads := range s.heads {
		for head := range heads {
			p := patterns[at]
			if p.Layer != layer || p.Head != head || p.T != s.length {
				t.Fatalf("pattern %d is of layer %d, head %d, %d positions", at, p.Layer, p.Head, p.T)
			}
			for i, values := range s.values[at] {
				mean, variance := 0.0, 0.0
				for _, v := range values {
					mean += v.weight * v.value
				}
				for _, v := range values {
					variance += v.weight * (v.value - mean) * (v.value - mean)
				}
				if math.Abs(p.Mean[i]-mean) > 1e-12 || math.Abs(p.SD[i]-math.Sqrt(variance)) > 1e-7 {
					t.Errorf("layer %d, head %d, entry %d: mean %v and SD %v, want %v and %v", layer, head, i, p.Mean[i], p.SD[i], mean, math.Sqrt(variance))
				}
			}
			at++
		}
	}
	if len(patterns) != at {
		t.Errorf("%d patterns of %d heads", len(patterns), at)
	}
}

// The workers take the passes as they come; the result is the same to the bit.
func TestCollectDoesNotDependOnTheWorkers(t *testing.T) {
	m, p := randomModel(t, models[2].config), must(build(t, "mess3").Prefixes(t.Context(), 7))
	want, err := Collect(m, p, stages, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{0, 2, 3, 50} {
		got, err := Collect(m, p, stages, workers)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.Equal(got.KL, want.KL) && len(got.Patterns) == len(want.Patterns)
		for _, stage := range stages {
			same = same && slices.Equal(got.Stages[stage], want.Stages[stage])
		}
		for i, pattern := range want.Patterns {
			same = same && slices.Equal(got.Patterns[i].Mean, pattern.Mean) && slices.Equal(got.Patterns[i].SD, pattern.SD)
		}
		if !same {
			t.Errorf("%d workers give another result than one", workers)
		}
	}
}

func TestCollectRefuses(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 3))
	binary := models[0].config
	binary.DVocab = 2
	for _, test := range []struct {
		model    *model.Transformer[float32]
		prefixes *process.Prefixes
		stages   []string
		want     string
	}{
		{m, must(build(t, "mess3").Prefixes(t.Context(), 6)), stages, "probe: sequences of 6 tokens do not fit n_ctx = 5"},
		{randomModel(t, binary), p, stages, "probe: the process has 3 tokens, but the model has d_vocab = 2"},
		{m, p, []string{stages[0], "blocks.1.hook_resid_mid"}, `model: there is no activation "blocks.1.hook_resid_mid": did you mean "blocks.0.hook_resid_mid"?`},
		{m, p, []string{stages[0], "blocks.0.mlp.hook_pre"}, "probe: blocks.0.mlp.hook_pre is not an activation of width d_model = 6: its shape is [1 1 9] for one token"},
		{m, p, []string{"blocks.0.attn.hook_q"}, "probe: blocks.0.attn.hook_q is not an activation of width d_model = 6: its shape is [1 1 1 6] for one token"},
	} {
		if _, err := Collect(test.model, test.prefixes, test.stages, 2); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// The runs of a sweep's passes hold every row of the table once, and none is empty.
func TestRunsHoldEachRowOnce(t *testing.T) {
	const length = 9 // so that there are several passes, which share words
	c := models[0].config
	c.NCtx = length
	m := randomModel(t, c)
	p, err := build(t, "mess3").Prefixes(t.Context(), length)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	times := make([]int, p.Rows())
	err = Sweep(t.Context(), m, p, nil, 3, func() (func(*Pass), func()) {
		return func(pass *Pass) {
			mu.Lock()
			defer mu.Unlock()
			for _, span := range pass.Spans {
				from, to := p.Range(span.Length)
				if span.N < 1 || span.Row < from || span.Row+span.N > to {
					t.Errorf("span %+v of words in rows %d to %d", span, from, to)
				}
				for i := range span.N {
					times[span.Row+i]++
				}
			}
		}, func() {}
	})
	for row, n := range times {
		if n != 1 || err != nil {
			t.Fatalf("row %d is in %d runs (%v)", row, n, err)
		}
	}
}

// A sweep refuses hook names that no pass over a tree shows, before any pass.
func TestSweepRefusesUnknownHooks(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 2))
	for hook, want := range map[string]string{
		"blocks.0.hook_resid_mdi":        `probe: there is no activation "blocks.0.hook_resid_mdi": did you mean "blocks.0.hook_resid_mid"?`,
		"blocks.0.attn.hook_attn_scores": "probe: a pass over a tree of sequences does not have blocks.0.attn.hook_attn_scores; use hook_pattern",
	} {
		err := Sweep(context.Background(), m, p, []string{hook}, 1, func() (func(*Pass), func()) {
			return func(*Pass) { t.Error("a pass ran") }, func() {}
		})
		if fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Patterns and divergences alone need no stage.
func TestCollectWithoutStages(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 2))
	a, err := Collect(m, p, nil, 1)
	if err != nil || len(a.Stages) != 0 || len(a.Patterns) != 1 || len(a.KL) != p.Rows() {
		t.Errorf("%+v, %v", a, err)
	}
}
