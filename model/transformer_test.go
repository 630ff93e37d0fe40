package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
)

// small are configurations that between them take every branch of the forward
// and the backward pass.
var small = []struct {
	name   string
	config Config
}{
	{"one layer, LN, gelu", Config{DModel: 8, NLayers: 1, NHeads: Heads{1}, DMLP: 12, NCtx: 5, DVocab: 3}},
	{"no norm, relu, two heads", Config{DModel: 8, NLayers: 1, NHeads: Heads{2}, NCtx: 4, DVocab: 3, NormalizationType: "none", ActFn: "relu"}},
	{"attention only, heads by layer", Config{DModel: 6, NLayers: 3, NHeads: Heads{1, 3, 2}, DHead: 5, NCtx: 6, DVocab: 5, AttnOnly: true, NormalizationType: "none"}},
	{"LNPre, gelu_new, sinusoidal", Config{DModel: 10, NLayers: 2, NHeads: Heads{2}, DMLP: 7, NCtx: 5, DVocab: 4, NormalizationType: "LNPre", ActFn: "gelu_new", PositionalEmbeddingType: "sinusoidal"}},
	{"silu, no positions, attention-only LN", Config{DModel: 6, NLayers: 2, NHeads: Heads{1}, DMLP: 9, NCtx: 3, DVocab: 7, ActFn: "silu", PositionalEmbeddingType: "none"}},
	{"rotary, two heads", Config{DModel: 8, NLayers: 2, NHeads: Heads{2}, NCtx: 5, DVocab: 3, PositionalEmbeddingType: "rotary"}},
	{"one position, one token", Config{DModel: 3, NLayers: 2, NHeads: Heads{2, 1}, DHead: 1, DMLP: 1, NCtx: 1, DVocab: 1}},
	{"rotary, heads as wide as a tile, of two numbers", Config{DModel: 2, NLayers: 2, NHeads: Heads{2, 1}, DHead: 34, DMLP: 3, NCtx: 3, DVocab: 2, PositionalEmbeddingType: "rotary"}},
	{"two layers, LN, wide heads", Config{DModel: 4, NLayers: 2, NHeads: Heads{3, 1}, DHead: 6, DMLP: 5, NCtx: 7, DVocab: 2, Eps: 1e-3}},
	{"tied output", Config{DModel: 8, NLayers: 1, NHeads: Heads{2}, NCtx: 4, DVocab: 5, TieUnembed: true}},
	{"tied output of more tokens than a tile", Config{DModel: 4, NLayers: 1, NHeads: Heads{1}, DMLP: 3, NCtx: 3, DVocab: 67, TieUnembed: true, NormalizationType: "none"}},
	{"output without bias", Config{DModel: 6, NLayers: 2, NHeads: Heads{2}, DMLP: 5, NCtx: 4, DVocab: 3, UnembedBias: new(false)}},
	{"concatenated, one layer", Config{Residual: "concat", NLayers: 1, NHeads: Heads{2}, NCtx: 4, DVocab: 3}},
	{"concatenated, heads by layer", Config{Residual: "concat", NLayers: 3, NHeads: Heads{1, 3, 1}, NCtx: 5, DVocab: 2, AttnScale: 2}},
	{"concatenated, two heads first", Config{Residual: "concat", NLayers: 2, NHeads: Heads{2, 1}, NCtx: 6, DVocab: 4}},
	{"flat, linear", Config{Architecture: "flat", DModel: 3, NCtx: 5, DVocab: 4}},
	{"flat, one layer", Config{Architecture: "flat", DModel: 2, NLayers: 1, DMLP: 7, NCtx: 6, DVocab: 3}},
	{"flat, three layers of ReLU, no bias at the output", Config{Architecture: "flat", DModel: 4, NLayers: 3, DMLP: 5, NCtx: 4, DVocab: 2, ActFn: "relu", UnembedBias: new(false)}},
	{"flat, one position, one token", Config{Architecture: "flat", DModel: 2, NLayers: 1, DMLP: 1, NCtx: 1, DVocab: 1}},
	{"concatenated, one position, one token", Config{Residual: "concat", NLayers: 2, NHeads: Heads{1, 2}, NCtx: 1, DVocab: 1}},
}

// batchOf draws tokens, targets and weights (some of them 0) for n sequences.
func batchOf[F Float](c Config, n int) (tokens, targets []int32, weights []F) {
	s := random.New(11, "test/batch")
	for range n * c.NCtx {
		tokens = append(tokens, int32(s.IntN(c.DVocab)))
		targets = append(targets, int32(s.IntN(c.DVocab)))
		weights = append(weights, F(s.IntN(3)))
	}
	return
}

// The gradient of every parameter agrees with central differences in float64, against
// tokens and against distributions.
func TestGradientsAgreeWithCentralDifferences(t *testing.T) {
	for _, test := range small {
		const batch = 3
		tokens, targets, weights := batchOf[float64](test.config, batch)
		soft := softTargets(test.config, weights)
		t.Run(test.name, func(t *testing.T) {
			gradientAgrees(t, test.config, func(m *Transformer[float64], w *Workspace[float64]) float64 {
				m.Forward(w, tokens, batch)
				return m.CrossEntropy(w, targets, weights)
			}, tokens)
		})
		t.Run(test.name+", distributions", func(t *testing.T) {
			gradientAgrees(t, test.config, func(m *Transformer[float64], w *Workspace[float64]) float64 {
				m.Forward(w, tokens, batch)
				return m.SoftCrossEntropy(w, soft)
			}, tokens)
		})
	}
}

// softTargets draws a distribution for each position, times the position's weight.
func softTargets(c Config, weights []float64) (soft []float64) {
	s := random.New(12, "test/soft")
	for _, weight := range weights {
		p, total := make([]float64, c.DVocab), 0.0
		for z := range p {
			p[z] = s.Float64()
			total += p[z]
		}
		for z := range p {
			p[z] *= weight / total
		}
		soft = append(soft, p...)
	}
	return soft
}

// gradientAgrees compares the gradient of a loss, which runs the model forward over
// tokens, with its slope in every parameter.
func gradientAgrees(t *testing.T, c Config, lossOf func(*Transformer[float64], *Workspace[float64]) float64, tokens []int32) {
	m, err := New[float64](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Biases and norms start at special values; move them off.
	s := random.New(2, "test/jitter")
	for i := range m.Weights.Data {
		m.Weights.Data[i] += 0.3 * s.Normal()
	}
	w := NewWorkspace[float64](m.Config, len(tokens)/m.Config.NCtx)
	loss := func() float64 { return lossOf(m, w) }
	grads := NewWeights[float64](m.Config)
	loss()
	m.Pack()
	m.Backward(w, tokens, grads)
	for _, tensor := range m.Weights.Tensors {
		g := grads.Get(tensor.Name).Data
		norm, worst := 0.0, 0.0
		for i := range tensor.Data {
			norm += g[i] * g[i]
			worst = max(worst, math.Abs(slope(loss, &tensor.Data[i])-g[i]))
		}
		// b_K shifts every score of a row alike: its gradient is 0.
		if scale := max(math.Sqrt(norm), 1e-3); worst > 1e-6*scale {
			t.Errorf("%s: gradient off by %.2g of its norm %.3g", tensor.Name, worst, scale)
		}
	}
}

// slope is that of a loss in one parameter, by central differences with Richardson's
// extrapolation: the error is of order h⁴.
func slope(loss func() float64, x *float64) float64 { return slopeOver(1e-3, loss, x) }

// slopeOver is slope by steps of h and h/2.
func slopeOver(h float64, loss func() float64, x *float64) float64 {
	at := *x
	central := func(h float64) float64 {
		*x = at + h
		up := loss()
		*x = at - h
		down := loss()
		*x = at
		return (up - down) / (2 * h)
	}
	return (4*central(h/2) - central(h)) / 3
}

// A token can not see later ones: changing the last token changes no earlier logit.
func TestCausality(t *testing.T) {
	for _, test := range small {
		m, err := New[float64](test.config, 1)
		if err != nil {
			t.Fatal(err)
		}
		tokens, _, _ := batchOf[float64](m.Config, 1)
		w := NewWorkspace[float64](m.Config, 1)
		before := append([]float64(nil), m.Forward(w, tokens, 1)...)
		last := len(tokens) - 1
		tokens[last] = (tokens[last] + 1) % int32(m.Config.DVocab)
		after := m.Forward(w, tokens, 1)
		for i := range last * m.Config.DVocab {
			if before[i] != after[i] {
				t.Fatalf("%s: logit %d of %d moved with the last token", test.name, i, last)
			}
		}
	}
}

// A sequence's logits depend neither on its neighbours in the batch nor on the
// tokens that follow, to the bit.
func TestBatchAndPrefixInvariance(t *testing.T) {
	for _, test := range small {
		m, err := New[float32](test.config, 1)
		if err != nil {
			t.Fatal(err)
		}
		const batch = 5
		T, V := m.Config.NCtx, m.Config.DVocab
		tokens, _, _ := batchOf[float32](m.Config, batch)
		w := NewWorkspace[float32](m.Config, batch)
		all := append([]float32(nil), m.Forward(w, tokens, batch)...)
		for b := range batch {
			for n := 1; n <= T; n++ {
				alone := m.Forward(w, tokens[b*T:b*T+n], 1)
				for i, x := range alone {
					if x != all[b*T*V+i] {
						t.Fatalf("%s: sequence %d, %d tokens: logit %d is %v alone and %v in the batch", test.name, b, n, i, x, all[b*T*V+i])
					}
				}
			}
		}
	}
}

func TestSteadyPassesDoNotAllocate(t *testing.T) {
	for _, test := range small {
		m, err := New[float32](test.config, 1)
		if err != nil {
			t.Fatal(err)
		}
		tokens, targets, weights := batchOf[float32](m.Config, 2)
		soft := slices.Repeat([]float32{0.1}, len(tokens)*m.Config.DVocab)
		w, grads := NewWorkspace[float32](m.Config, 2), NewWeights[float32](m.Config)
		step := func() {
			m.Forward(w, tokens, 2)
			m.CrossEntropy(w, targets, weights)
			m.Pack()
			m.Backward(w, tokens, grads)
			m.Forward(w, tokens, 2)
			m.SoftCrossEntropy(w, soft)
			m.Backward(w, tokens, grads)
		}
		if n := testing.AllocsPerRun(3, step); n != 0 {
			t.Errorf("%s: %v allocations in a steady pass", test.name, n)
		}
	}
}

func TestConvertRounds(t *testing.T) {
	m, err := New[float64](small[0].config, 3)
	if err != nil {
		t.Fatal(err)
	}
	single, err := New[float32](small[0].config, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range Convert[float32](m).Weights.Data {
		if x != single.Weights.Data[i] {
			t.Fatalf("parameter %d is %v converted and %v drawn in float32", i, x, single.Weights.Data[i])
		}
	}
}

func TestResolveNamesTheField(t *testing.T) {
	good := Config{DModel: 8, NLayers: 2, NHeads: Heads{2}, NCtx: 4, DVocab: 3}
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.DModel = 0 }, "d_model is missing; give a whole number in [1, 1048576]"},
		{func(c *Config) { c.DModel = -1 }, "d_model = -1 is outside [1, 1048576]"},
		{func(c *Config) { c.NHeads = nil }, "n_heads is missing; give one number, or one for each layer"},
		{func(c *Config) { c.NHeads = Heads{1, 2, 3} }, "n_heads lists 3 layers, but n_layers is 2"},
		{func(c *Config) { c.NHeads = Heads{0} }, "n_heads = 0 is outside [1, 4096]"},
		{func(c *Config) { c.NLayers = 5000 }, "n_layers = 5000 is outside [1, 4096]"},
		{func(c *Config) { c.DModel, c.NLayers = 1<<18, 4096 }, "d_model = 262144 with 4096 layers makes 3.4e+15 parameters; the limit is 1.1e+12"},
		{func(c *Config) { c.NHeads = Heads{3} }, "d_head is missing, and d_model = 8 is not a multiple of n_heads = 3"},
		{func(c *Config) { c.AttnOnly, c.DMLP = true, 5 }, "d_mlp = 5 has no meaning with attn_only: true; leave it out"},
		{func(c *Config) { c.ActFn = "tanh" }, `act_fn = "tanh" is not one of relu, gelu, gelu_new, silu`},
		{func(c *Config) { c.NormalizationType = "RMS" }, `normalization_type = "RMS" is not one of none, LN, LNPre`},
		{func(c *Config) { c.PositionalEmbeddingType = "x" }, `positional_embedding_type = "x" is not one of learned, sinusoidal, rotary, none`},
		{func(c *Config) { c.PositionalEmbeddingType, c.DHead = "rotary", 3 }, "d_head = 3 is odd; rotary positions rotate pairs of numbers, so give an even width"},
		{func(c *Config) { c.Eps = -1 }, "eps = -1 is outside [1e-37, 1]"},
		{func(c *Config) { c.Eps = 1e-50 }, "eps = 1e-50 is outside [1e-37, 1]"},
		{func(c *Config) { c.InitializerRange = math.NaN() }, "initializer_range = NaN is outside (0, 100]"},
		{func(c *Config) { c.TieUnembed, c.UnembedBias = true, new(true) }, "unembed_bias = true, but with tie_unembed: true the output has no bias; leave it out"},
		{func(c *Config) { c.Residual, c.DModel, c.TieUnembed = "concat", 0, true }, "tie_unembed = true has no meaning with residual: concat, where tokens have no embedding; leave it out"},
		{func(c *Config) { c.Residual, c.DModel, c.UnembedBias = "concat", 0, new(true) }, "unembed_bias = true, but residual: concat has no biases; leave it out"},
	} {
		c := good
		test.change(&c)
		_, err := c.Resolve()
		if fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestParametersCountsThePaperModel(t *testing.T) {
	c, err := Config{DModel: 64, NLayers: 1, NHeads: Heads{1}, DMLP: 256, NCtx: 10, DVocab: 3}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	// W_E, W_pos; four 64×64 with biases; the MLP; three norms; W_U, b_U.
	want := 3*64 + 10*64 + 4*(64*64+64) + (64*256 + 256 + 256*64 + 64) + 3*2*64 + 64*3 + 3
	if got := c.Parameters(); got != want {
		t.Errorf("Parameters() = %d, want %d", got, want)
	}
}
