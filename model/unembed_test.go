package model

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/strict"
)

// A tied output has, to the bit, the logits of a model whose W_U is W_E transposed, and
// its embedding the sum of both gradients.
func TestTiedOutputReadsTheEmbedding(t *testing.T) {
	for _, vocab := range []int{1, 5, 64, 65, 200} {
		tied := Config{DModel: 6, NLayers: 2, NHeads: Heads{2}, DMLP: 7, NCtx: 5, DVocab: vocab, TieUnembed: true}
		apart := tied
		apart.TieUnembed, apart.UnembedBias = false, new(false)
		m, n := jittered[float64](t, tied), jittered[float64](t, apart)
		for _, p := range m.Weights.Tensors {
			copy(n.Weights.Get(p.Name).Data, p.Data)
		}
		turn(n.Weights.Get("unembed.W_U").Data, m.Weights.Get("embed.W_E").Data, vocab, tied.DModel)
		const batch = 3
		tokens, targets, weights := batchOf[float64](m.Config, batch)
		gradient := func(m *Transformer[float64]) (logits []float64, grads *Weights[float64]) {
			w, grads := NewWorkspace[float64](m.Config, batch), NewWeights[float64](m.Config)
			logits = slices.Clone(m.Forward(w, tokens, batch))
			m.CrossEntropy(w, targets, weights)
			m.Pack()
			m.Backward(w, tokens, grads)
			return logits, grads
		}
		got, tiedGrads := gradient(m)
		want, grads := gradient(n)
		if !slices.Equal(got, want) {
			t.Errorf("%d tokens: the logits differ", vocab)
		}
		both := make([]float64, vocab*tied.DModel)
		turn(both, grads.Get("unembed.W_U").Data, tied.DModel, vocab)
		for i, x := range grads.Get("embed.W_E").Data {
			if y := tiedGrads.Get("embed.W_E").Data[i]; math.Abs(both[i]+x-y) > 1e-12 {
				t.Fatalf("%d tokens: gradient %d of the embedding is %v, want %v", vocab, i, y, both[i]+x)
			}
		}
	}
}

// turn writes the transpose of src, (rows,columns), to dst.
func turn(dst, src []float64, rows, columns int) {
	for i := range rows {
		for j := range columns {
			dst[j*rows+i] = src[i*columns+j]
		}
	}
}

// What is said of the output and what is left out are one configuration where they mean
// the same, with the parameters that they should have.
func TestOutputParameters(t *testing.T) {
	plain := Config{DModel: 8, NLayers: 1, NHeads: Heads{1}, NCtx: 4, DVocab: 5}
	concat := Config{Residual: "concat", NLayers: 1, NHeads: Heads{1}, NCtx: 4, DVocab: 5}
	for _, test := range []struct {
		name   string
		config Config
		tie    bool
		bias   *bool
		want   []string
		left   bool // unembed_bias is left out once it is resolved
	}{
		{"as it was", plain, false, nil, []string{"unembed.W_U", "unembed.b_U"}, true},
		{"with what it has anyway", plain, false, new(true), []string{"unembed.W_U", "unembed.b_U"}, true},
		{"without bias", plain, false, new(false), []string{"unembed.W_U"}, false},
		{"tied", plain, true, nil, nil, true},
		{"tied, without what it has not", plain, true, new(false), nil, true},
		{"concatenated, without what it has not", concat, false, new(false), []string{"unembed.W_U"}, true},
	} {
		c := test.config
		c.TieUnembed, c.UnembedBias = test.tie, test.bias
		m, err := Zero[float32](c)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, p := range m.Weights.Tensors {
			if p.Name == "unembed.W_U" || p.Name == "unembed.b_U" {
				got = append(got, p.Name)
			}
		}
		if !slices.Equal(got, test.want) || (m.Config.UnembedBias == nil) != test.left {
			t.Errorf("%s: parameters %v, unembed_bias %v", test.name, got, m.Config.UnembedBias)
		}
		again, err := m.Config.Resolve()
		if err != nil || !equal(again, m.Config) {
			t.Errorf("%s: resolved twice it is %+v, error %v", test.name, again, err)
		}
	}
}

// In YAML the two fields are true or false, and nothing where they are left out.
func TestOutputInYAML(t *testing.T) {
	var c section
	text := "model: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4, d_vocab: 5, unembed_bias: false}\n"
	if err := strict.Unmarshal("config.yaml", []byte(text), &c); err != nil || c.Model.HasUnembedBias() {
		t.Errorf("%+v, %v", c.Model, err)
	}
	for _, wrong := range []string{"unembed_bias: no bias", "tie_unembed: 1"} {
		if err := strict.Unmarshal("config.yaml", []byte("model: {"+wrong+"}\n"), &c); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// The homework's model (EE269 2026, “MiniGPT Architecture from the Homework”).
func TestParametersCountsMiniGPT(t *testing.T) {
	c, err := Config{DModel: 64, NLayers: 3, NHeads: Heads{4}, NCtx: 64, DVocab: 32, UnembedBias: new(false)}.Resolve()
	if err != nil || c.Parameters() != 158272 {
		t.Errorf("%d parameters, %v", c.Parameters(), err)
	}
}

// The divergence from distributions is the cross-entropy less their entropy, with the
// same gradient, and where the model has the targets to float32 next to nothing is left.
func TestSoftDivergenceIsCrossEntropyLessTheLeast(t *testing.T) {
	for _, test := range small {
		m := jittered[float64](t, test.config)
		tokens, _, weights := batchOf[float64](m.Config, 2)
		soft, V, least := softTargets(m.Config, weights), m.Config.DVocab, 0.0
		for at := 0; at < len(soft); at += V {
			for _, q := range soft[at : at+V] {
				if q > 0 {
					least -= q * math.Log(q/weights[at/V])
				}
			}
		}
		w := NewWorkspace[float64](m.Config, 2)
		m.Forward(w, tokens, 2)
		want := m.SoftCrossEntropy(w, soft) - least
		gradient := slices.Clone(w.DLogits())
		closeTo(t, test.name, []float64{m.SoftDivergence(w, soft)}, []float64{want})
		closeTo(t, test.name+", gradient", w.DLogits(), gradient)
	}
	p, logits, gradient := []float32{0.7, 0.2, 0.1}, make([]float32, 3), make([]float32, 3)
	for z, q := range p {
		logits[z] = 5 + float32(math.Log(float64(q)))
	}
	if got := softDivergence(gradient, logits, p); !(math.Abs(got) < 1e-12) {
		t.Errorf("the divergence from itself is %v", got)
	}
}
