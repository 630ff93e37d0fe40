package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// long are configurations of more than one tile of rows.
var long = []Config{
	{Residual: "concat", NLayers: 2, NHeads: Heads{1}, NCtx: rowTile, DVocab: 3},
	{Residual: "concat", NLayers: 3, NHeads: Heads{1, 2, 1}, NCtx: rowTile + 5, DVocab: 5, AttnScale: 3},
	{Residual: "concat", NLayers: 2, NHeads: Heads{1}, NCtx: 2*rowTile + 2, DVocab: 6},
}

// disentangledReference is D'Angelo et al. 2025, Sec. 2, as it is written: one-hot
// vectors, A = Softmax(M(hᵀÃh); α), [h, ĥ¹, …, ĥᴴ] and W_O·h^L, for one sequence. It
// returns the logits and, by layer and head, the attention (T,T).
func disentangledReference(m *Transformer[float64], tokens []int32) (logits []float64, attention [][][][]float64) {
	c := m.Config
	h := make([][]float64, len(tokens)) // column i is h_i
	for i, s := range tokens {
		h[i] = make([]float64, c.DVocab+c.NCtx)
		h[i][s], h[i][c.DVocab+i] = 1, 1
	}
	for l, heads := range c.NHeads {
		d := len(h[0])
		weights := m.Weights.Get(fmt.Sprintf("blocks.%d.attn.W_A", l))
		if want := []int{heads, d, d}; !slices.Equal(weights.Shape, want) {
			panic(fmt.Sprint(weights.Shape, " is not ", want))
		}
		next, maps := make([][]float64, len(h)), [][][]float64{}
		for i := range h {
			next[i] = slices.Clone(h[i])
		}
		for head := range heads {
			a := func(r, s int) float64 { return weights.Data[(head*d+r)*d+s] }
			attn := make([][]float64, len(h))
			for i := range h {
				attn[i] = make([]float64, len(h))
				total := 0.0
				for j := range i + 1 {
					score := 0.0
					for r, x := range h[i] {
						for s, y := range h[j] {
							score += x * a(r, s) * y
						}
					}
					attn[i][j] = math.Exp(score / c.AttnScale)
					total += attn[i][j]
				}
				copied := make([]float64, d)
				for j := range i + 1 {
					attn[i][j] /= total
					for s, y := range h[j] {
						copied[s] += attn[i][j] * y
					}
				}
				next[i] = append(next[i], copied...)
			}
			maps = append(maps, attn)
		}
		h, attention = next, append(attention, maps)
	}
	out := m.Weights.Get("unembed.W_U").Data
	for i := range h {
		for z := range c.DVocab {
			y := 0.0
			for s, x := range h[i] {
				y += x * out[s*c.DVocab+z]
			}
			logits = append(logits, y)
		}
	}
	return logits, attention
}

func allConcatenated() []Config {
	list := slices.Clone(long)
	for _, test := range small {
		if test.config.Concatenates() {
			list = append(list, test.config)
		}
	}
	return list
}

// The logits and patterns are those of the formulas, for sequences of any length up to
// n_ctx side by side.
func TestConcatenatedIsTheDisentangledTransformer(t *testing.T) {
	for _, c := range allConcatenated() {
		m := jittered[float64](t, c)
		c = m.Config
		const batch = 2
		w := NewWorkspace[float64](c, batch)
		all, _, _ := batchOf[float64](c, batch)
		for _, T := range []int{c.NCtx, (c.NCtx + 1) / 2, 1, c.NCtx} {
			tokens := all[:batch*T]
			logits := m.Forward(w, tokens, batch)
			for b := range batch {
				want, attention := disentangledReference(m, tokens[b*T:(b+1)*T])
				for i, x := range want {
					if got := logits[b*T*c.DVocab+i]; math.Abs(got-x) > 1e-12*(1+math.Abs(x)) {
						t.Fatalf("%+v, T = %d: logit %d is %v, want %v", c, T, i, got, x)
					}
				}
				for l, heads := range attention {
					p := w.concat.layers[l].pattern[b*len(heads)*T*T:]
					for k, attn := range heads {
						for i, x := range slices.Concat(attn...) {
							if math.Abs(p[k*T*T+i]-x) > 1e-13 {
								t.Fatalf("%+v, T = %d: layer %d, head %d: pattern %d is %v, want %v", c, T, l+1, k+1, i, p[k*T*T+i], x)
							}
						}
					}
				}
			}
		}
	}
}

// passAndGradient returns the logits of a pass over tokens and the gradient of a loss.
func passAndGradient(m *Transformer[float32], w *Workspace[float32], tokens []int32, last bool) []float32 {
	grads := NewWeights[float32](m.Config)
	forward := m.Forward
	if last {
		forward = m.ForwardLast
	}
	out := slices.Clone(forward(w, tokens, 2))
	targets, weights := make([]int32, len(out)/m.Config.DVocab), make([]float32, len(out)/m.Config.DVocab)
	for i := range weights {
		weights[i] = float32(1+i%3) / 4
	}
	m.CrossEntropy(w, targets, weights)
	m.Pack()
	m.Backward(w, tokens, grads)
	return append(out, grads.Data...)
}

// h⁰ is in no product, forward or backward: with NaN in its place in the stream nothing
// changes. Nor does it with NaN in whatever a pass has to write before it reads it.
func TestNoProductRunsOverOneHotBlocks(t *testing.T) {
	for _, c := range allConcatenated() {
		m := jittered[float32](t, c)
		c = m.Config
		tokens, _, _ := batchOf[float32](c, 2)
		w := NewWorkspace[float32](c, 2)
		for _, last := range []bool{false, true} {
			want := passAndGradient(m, w, tokens, last)
			h, a := w.concat.rows(m.concat), w.concat
			for r := range tokens {
				fillNaN(h.at(r, 0)[:m.concat.unit])
			}
			fillNaN(a.transposed, a.scores, a.block, a.dStream, a.dq)
			for _, layer := range a.layers {
				fillNaN(layer.q, layer.pattern)
			}
			if got := passAndGradient(m, w, tokens, last); !slices.Equal(got, want) {
				t.Errorf("%+v: h⁰ has been read", c)
			}
		}
	}
}

func fillNaN(list ...[]float32) {
	for _, x := range list {
		for i := range x {
			x[i] = float32(math.NaN())
		}
	}
}

// What products leave out are zeros: logits and gradients have the bits of those of a
// stream of which nothing is known.
func TestSparseProductsHaveTheBitsOfWholeOnes(t *testing.T) {
	for _, c := range allConcatenated() {
		m := jittered[float32](t, c)
		c = m.Config
		tokens, _, _ := batchOf[float32](c, 2)
		w := NewWorkspace[float32](c, 2)
		for _, last := range []bool{false, true} {
			want := passAndGradient(m, w, tokens, last)
			w.Hook = func(Tensor[float32]) { w.concat.whole = true }
			if got := passAndGradient(m, w, tokens, last); !slices.Equal(got, want) {
				t.Errorf("%+v: whole products give other bits", c)
			}
			w.Hook, w.concat.clean = nil, false
			if got := passAndGradient(m, w, tokens, last); !slices.Equal(got, want) {
				t.Errorf("%+v: the pass after it gives other bits", c)
			}
		}
	}
}

// Sharp heads make no numbers so small that products with them are slow: those that the
// backward pass would multiply again and again are 0. All passes drop the same.
func TestSharpHeadsMakeNoSmallNumbers(t *testing.T) {
	m := jittered[float32](t, allConcatenated()[1])
	c := m.Config
	for l := range c.NLayers {
		for i, x := range m.Weights.blocks[l].attn.wa {
			m.Weights.blocks[l].attn.wa[i] = 60 * (x - 0.3)
		}
	}
	tokens, _, _ := batchOf[float32](c, 2)
	w := NewWorkspace[float32](c, 2)
	all := passAndGradient(m, w, tokens, false)
	dropped := 0
	for _, layer := range w.concat.layers {
		for i, p := range layer.pattern {
			switch T := c.NCtx; {
			case p == 0 && i%T <= i/T%T:
				dropped++
			case p != 0 && p < tiny:
				t.Fatalf("attention %v", p)
			}
		}
	}
	if dropped < 100 {
		t.Errorf("only %d sources are not attended to", dropped)
	}
	for _, list := range [][]float32{w.concat.stream, w.concat.dq, w.concat.dStream} {
		for _, x := range list {
			if x != 0 && math.Abs(float64(x)) < 0x1p-126 {
				t.Fatalf("%v", x)
			}
		}
	}
	checkTree(t, m, w, tokens, all)
}

// checkTree checks that a pass over trees, whose products skip nothing, has the logits of
// two sequences.
func checkTree(t *testing.T, m *Transformer[float32], w *Workspace[float32], tokens []int32, logits []float32) {
	t.Helper()
	T, V := m.Config.NCtx, m.Config.DVocab
	for b := range 2 {
		parents := make([]int32, T)
		for i := range parents {
			parents[i] = int32(i - 1)
		}
		if got := m.ForwardTree(w, tokens[b*T:(b+1)*T], parents); !slices.Equal(got, logits[b*T*V:(b+1)*T*V]) {
			t.Errorf("over a tree the logits of sequence %d are others", b)
		}
	}
}

// No product runs over the blocks of zeros that the matrices of a construction have. The
// logits have the bits that they have with all products.
func TestBlocksOfZeros(t *testing.T) {
	for kept := range 3 { // every third block is not 0, except in its first row and column
		m := jittered[float32](t, long[1])
		c := m.Config
		for l := range c.NHeads {
			d, wa := c.Width(l), m.Weights.blocks[l].attn.wa
			for i := range wa {
				head, row, column := i/(d*d), i/d%d, i%d
				block := head + row/c.DModel + 2*(column/c.DModel)
				if block%3 != kept || row%c.DModel == 0 || column%c.DModel == 0 {
					wa[i] = 0
				}
			}
		}
		tokens, _, _ := batchOf[float32](c, 2)
		w := NewWorkspace[float32](c, 2)
		want := slices.Clone(m.Forward(w, tokens, 2))
		w.Hook = func(Tensor[float32]) { w.concat.whole = true }
		if !slices.Equal(m.Forward(w, tokens, 2), want) {
			t.Errorf("%d: products of whole rows give other logits", kept)
		}
		w.Hook = nil
		checkTree(t, m, w, tokens, want)
	}
}

// What a hook leaves in the stream is what the rest of the pass sees, be it one-hot or
// not: the tokens of one sequence put in place of those of another give its logits.
func TestHookedStreamIsSeen(t *testing.T) {
	for _, c := range allConcatenated() {
		if c.DVocab == 1 {
			continue
		}
		m := jittered[float64](t, c)
		c = m.Config
		tokens, _, _ := batchOf[float64](c, 1)
		others := slices.Clone(tokens)
		for i := range others {
			others[i] = (tokens[i] + 1) % int32(c.DVocab)
		}
		w := NewWorkspace[float64](c, 1)
		want := slices.Clone(m.Forward(w, others, 1))
		before := slices.Clone(m.Forward(w, tokens, 1))
		w.Hook = func(x Tensor[float64]) {
			if x.Name != "blocks.0.hook_resid_pre" {
				return
			}
			for i, token := range others {
				clear(x.Data[i*c.DModel : i*c.DModel+c.DVocab])
				x.Data[i*c.DModel+int(token)] = 1
			}
		}
		if got := m.Forward(w, tokens, 1); !slices.Equal(got, want) {
			t.Errorf("%+v: the stream of other tokens gives other logits", c)
		}
		w.Hook = nil
		if got := m.Forward(w, tokens, 1); !slices.Equal(got, before) {
			t.Errorf("%+v: a patched pass moves the next one", c)
		}
	}
}

// The stream that hooks see is h^ℓ, block by block: a head's blocks are its pattern's
// mixture of the blocks that it reads.
func TestBlocksNameTheStream(t *testing.T) {
	m := jittered[float64](t, allConcatenated()[4])
	c := m.Config
	tokens, _, _ := batchOf[float64](c, 1)
	_, cache, err := m.RunWithCache(tokens, 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range c.Blocks(2)[:8] {
		names = append(names, fmt.Sprintf("%s %d+%d", b.Name, b.Offset, b.Width))
	}
	want := "token 0+2, position 2+5, 1.1.token 7+2, 1.1.position 9+5, 2.1.token 14+2, 2.1.position 16+5, " +
		"2.1.1.1.token 21+2, 2.1.1.1.position 23+5"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("blocks %s\nwant   %s", got, want)
	}
	for layer := range c.NLayers + 1 {
		name := fmt.Sprintf("blocks.%d.hook_resid_pre", layer)
		if layer == c.NLayers {
			name = fmt.Sprintf("blocks.%d.hook_resid_post", layer-1)
		}
		stream := cache.Get(name)
		width := c.Width(layer)
		if !slices.Equal(stream.Shape, []int{1, c.NCtx, width}) {
			t.Fatalf("%s is %v, want width %d", name, stream.Shape, width)
		}
		blocks := c.Blocks(layer)
		if last := blocks[len(blocks)-1]; last.Offset+last.Width != width {
			t.Errorf("the blocks before layer %d end at %d of %d", layer, last.Offset+last.Width, width)
		}
		for _, b := range blocks {
			checkBlock(t, c, cache, tokens, b, stream.Data, width)
		}
	}
}

// checkBlock computes a block from its name: LAYER.HEAD. means what that head's pattern
// mixes.
func checkBlock(t *testing.T, c Config, cache *Cache[float64], tokens []int32, b ResidualBlock, stream []float64, width int) {
	t.Helper()
	var value func(name string, row int) []float64
	value = func(name string, row int) []float64 {
		out := make([]float64, b.Width)
		parts := strings.SplitN(name, ".", 3)
		switch {
		case name == "token":
			out[tokens[row]] = 1
		case name == "position":
			out[row] = 1
		default:
			pattern := cache.Get("blocks." + string(parts[0][0]-1) + ".attn.hook_pattern")
			head, T := int(parts[1][0]-'1'), c.NCtx
			for j := range row + 1 {
				for k, x := range value(parts[2], j) {
					out[k] += pattern.Data[(head*T+row)*T+j] * x
				}
			}
		}
		return out
	}
	for row := range c.NCtx {
		for k, want := range value(b.Name, row) {
			if got := stream[row*width+b.Offset+k]; math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s of position %d: element %d is %v, want %v", b.Name, row, k, got, want)
			}
		}
	}
}

// With output: probabilities W_U yields the distribution itself.
func TestProbabilitiesAsOutput(t *testing.T) {
	for _, c := range []Config{allConcatenated()[5], {DModel: 4, NLayers: 1, NHeads: Heads{1}, NCtx: 3, DVocab: 4, NormalizationType: "none"}} {
		c.Output = "probabilities"
		m, err := Zero[float64](c)
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{0.5, 0, 0.125, 0.375}
		in := "embed.W_E"
		if c.Concatenates() {
			in = "unembed.W_U"
		}
		rows := m.Weights.Get(in).Data
		for token := range 4 {
			copy(rows[token*4:], want)
		}
		if !c.Concatenates() {
			for k := range 4 {
				m.Weights.Get("unembed.W_U").Data[5*k] = 1
			}
		}
		logits, err := m.Logits([]int32{1, 3, 0})
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckLogits(logits, 4); err != nil {
			t.Error(err)
		}
		for z, p := range Probabilities(logits[4:8]) {
			if math.Abs(p-want[z]) > 1e-15 {
				t.Errorf("probability %d is %v, want %v", z, p, want[z])
			}
		}
		if kl := Divergence(want, logits[8:]); math.Abs(kl) > 1e-15 {
			t.Errorf("divergence %v", kl)
		}
		rows[1] = -0.1
		if logits, _ = m.Logits([]int32{0}); CheckLogits(logits, 4) == nil {
			t.Errorf("no error for a negative probability: %v", logits)
		}
	}
}

func TestResolveConcatNamesTheField(t *testing.T) {
	good := Config{Residual: "concat", NLayers: 3, NHeads: Heads{1, 3, 1}, NCtx: 128, DVocab: 5}
	resolved, err := good.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := resolved.Resolve(); err != nil || fmt.Sprint(again) != fmt.Sprint(resolved) {
		t.Errorf("%v: resolved again it is %+v, not %+v", err, again, resolved)
	}
	if resolved.DModel != 133 || resolved.Width(3) != 2128 || resolved.Parameters() != 133*133+3*266*266+1064*1064+2128*5 {
		t.Errorf("%+v with %d parameters", resolved, resolved.Parameters())
	}
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Residual = "cat" }, `residual = "cat" is not one of add, concat`},
		{func(c *Config) { c.Output = "logit" }, `output = "logit" is not one of logits, probabilities; did you mean "logits"?`},
		{func(c *Config) { c.DModel = 64 }, "d_model = 64, but with residual: concat it is d_vocab + n_ctx = 133; leave it out"},
		{func(c *Config) { c.DHead = 32 }, "d_head = 32 has no meaning with residual: concat, whose heads are as wide as the stream; leave it out"},
		{func(c *Config) { c.DMLP = 8 }, "d_mlp = 8 has no meaning with residual: concat, which has no MLP; leave it out"},
		{func(c *Config) { c.ActFn = "relu" }, `act_fn = "relu" has no meaning with residual: concat, which has no MLP; leave it out`},
		{func(c *Config) { c.Eps = 1e-5 }, "eps = 1e-05 has no meaning with residual: concat, which has no norm; leave it out"},
		{func(c *Config) { c.NormalizationType = "LN" }, `normalization_type = "LN", but residual: concat has no norm; leave it out`},
		{func(c *Config) { c.PositionalEmbeddingType = "learned" }, `positional_embedding_type = "learned", but with residual: concat positions are one_hot; leave it out`},
		{func(c *Config) { c.AttnScale = -1 }, "attn_scale = -1 is outside [1e-37, 1e+37]"},
		{func(c *Config) { c.InitializerRange = -1 }, "initializer_range = -1 is outside (0, 100]"},
		{func(c *Config) { c.NHeads = Heads{1, 2} }, "n_heads lists 2 layers, but n_layers is 3"},
		{func(c *Config) { c.NCtx = 0 }, "n_ctx is missing; give a whole number in [1, 1048576]"},
		{func(c *Config) { c.NHeads = Heads{8, 16, 200} }, "n_heads = [8 16 200] makes a residual stream of (d_vocab + n_ctx)·∏(1 + n_heads) = 4.09e+06 numbers and 8.3e+10 parameters; the limits are 1048576 and 1.1e+12: lower n_heads, n_layers or n_ctx"},
		{func(c *Config) { c.Residual, c.DModel = "", 8; c.NHeads = Heads{1}; c.AttnScale = 2 }, "attn_scale = 2 needs residual: concat; otherwise scores are divided by √d_head: leave it out"},
		{func(c *Config) { c.Residual, c.PositionalEmbeddingType = "add", "one_hot" }, `positional_embedding_type = "one_hot" needs residual: concat; give one of learned, sinusoidal, rotary, none`},
	} {
		c := good
		test.change(&c)
		_, err := c.Resolve()
		if fmt.Sprint(err) != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A stream too wide for the machine is refused in one line that gives its size.
func TestConcatMemory(t *testing.T) {
	_, err := Zero[float64](Config{Residual: "concat", NLayers: 3, NHeads: Heads{8, 8, 12}, NCtx: 960, DVocab: 5})
	if err == nil || !strings.HasSuffix(err.Error(), "lower n_heads, n_layers, n_ctx") ||
		!strings.HasPrefix(err.Error(), "model: this configuration, with a residual stream 1016145 wide, needs about") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
