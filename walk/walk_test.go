package walk

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/internal/random"
	"foretell/model"

	"pgregory.net/rapid"
)

// anyModel draws a small model of any architecture, every parameter off its initial
// value, and tokens for it.
func anyModel(t *rapid.T) (*model.Transformer[float64], []int32) {
	layers := rapid.IntRange(1, 3).Draw(t, "layers")
	c := model.Config{
		DModel: rapid.IntRange(1, 9).Draw(t, "d_model"), NLayers: layers,
		NHeads: rapid.SliceOfN(rapid.IntRange(1, 3), layers, layers).Draw(t, "heads"),
		DHead:  2 * rapid.IntRange(1, 3).Draw(t, "d_head/2"), DMLP: rapid.IntRange(1, 12).Draw(t, "d_mlp"),
		NCtx: rapid.IntRange(1, 6).Draw(t, "n_ctx"), DVocab: rapid.IntRange(1, 10).Draw(t, "d_vocab"),
		ActFn:                   rapid.SampledFrom([]string{"relu", "gelu", "gelu_new", "silu"}).Draw(t, "act_fn"),
		NormalizationType:       rapid.SampledFrom([]string{"none", "LN", "LNPre"}).Draw(t, "norm"),
		PositionalEmbeddingType: rapid.SampledFrom([]string{"learned", "sinusoidal", "rotary", "none"}).Draw(t, "positions"),
		AttnOnly:                rapid.Bool().Draw(t, "attn_only"),
		TieUnembed:              rapid.Bool().Draw(t, "tied"),
	}
	if !c.TieUnembed && rapid.Bool().Draw(t, "without bias") {
		c.UnembedBias = new(false)
	}
	if c.AttnOnly {
		c.DMLP = 0
	}
	m, err := model.New[float64](c, rapid.Uint64().Draw(t, "seed"))
	if err != nil {
		t.Fatal(err)
	}
	s := random.New(1, "test/jitter")
	for i := range m.Weights.Data {
		m.Weights.Data[i] += 0.5 * s.Normal()
	}
	return m, rapid.SliceOfN(rapid.Int32Range(0, int32(c.DVocab-1)), 1, c.NCtx).Draw(t, "tokens")
}

// In a model of any architecture every formula holds, and the contributions add up
// to the winning logit, at any position.
func TestContributionsAddUpToTheLogit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, tokens := anyModel(t)
		o := Defaults
		o.Position = rapid.IntRange(All, len(tokens)-1).Draw(t, "position")
		d, err := New(t.Context(), m, tokens, o)
		if err != nil {
			t.Fatal(err)
		}
		at := len(tokens) - 1
		if o.Position != All {
			at = o.Position
		}
		logits, err := m.Logits(tokens)
		if err != nil {
			t.Fatal(err)
		}
		V := m.Config.DVocab
		token, logit := largest(logits[at*V : (at+1)*V])
		a := d.Attribution
		if a.Position != at || a.Token != token || a.Logit != logit {
			t.Fatalf("logit %v of token %d at %d, want %v of %d at %d", a.Logit, a.Token, a.Position, logit, token, at)
		}
		sum, size := 0.0, 1.0
		for _, p := range a.Parts {
			sum += p.Value
			size += math.Abs(p.Value)
		}
		if sum != a.Sum || math.Abs(sum-logit) > 1e-12*size {
			t.Fatalf("the contributions add up to %v, the logit is %v", sum, logit)
		}
	})
}

// The walk checks what it shows: each parameter of a model takes part in an equation
// that fails if the parameter is not the model's.
func TestWrongParameterIsFound(t *testing.T) {
	for _, c := range []model.Config{
		{DModel: 4, NLayers: 2, NHeads: model.Heads{2}, DMLP: 3, NCtx: 3, DVocab: 3},
		{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, DVocab: 3, AttnOnly: true, NormalizationType: "none"},
		{DModel: 4, NLayers: 1, NHeads: model.Heads{2}, DMLP: 3, NCtx: 3, DVocab: 3, TieUnembed: true},
	} {
		m, err := model.New[float64](c, 1)
		if err != nil {
			t.Fatal(err)
		}
		tokens := []int32{0, 1, 2}
		_, cache, err := m.RunWithCache(tokens, 1)
		if err != nil {
			t.Fatal(err)
		}
		logits, err := m.Logits(tokens)
		if err != nil {
			t.Fatal(err)
		}
		walked := func() error {
			w := &walker{Options: Defaults, config: m.Config, weights: m.Weights, cache: cache, tokens: tokens, logits: newMatrix(3, 3, logits), ended: t.Context().Err}
			w.document()
			return w.err
		}
		if err := walked(); err != nil {
			t.Fatal(err)
		}
		for _, tensor := range m.Weights.Tensors {
			for i, x := range tensor.Data {
				tensor.Data[i] = x + 1e-6
				if err := walked(); err == nil || !strings.Contains(err.Error(), "does not hold: it gives ") {
					t.Errorf("%s[%d] is wrong: error %v", tensor.Name, i, err)
				}
				tensor.Data[i] = x
			}
		}
	}
}

// A walk of one position shows in its own rows what the walk of all positions shows
// there, and a walk of one layer that layer's section.
func TestOnePositionAndOneLayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, tokens := anyModel(t)
		all, err := New(t.Context(), m, tokens, Defaults)
		if err != nil {
			t.Fatal(err)
		}
		o := Defaults
		o.Position = rapid.IntRange(0, len(tokens)-1).Draw(t, "position")
		one, err := New(t.Context(), m, tokens, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range one.Sections {
			for j, step := range s.Steps {
				full, part := lastEquation(all.Sections[i].Steps[j]), lastEquation(step)
				for r := range part.Rows {
					row := o.Position - part.Rows + 1 + r
					for k, x := range part.Row(r) {
						if y := full.At(row, k); x != y && !math.IsInf(x, -1) && math.Abs(x-y) > 1e-12*(1+math.Abs(x)) {
							t.Fatalf("%s: row %d, column %d is %v, of all positions %v", step.Title, row, k, x, y)
						}
					}
				}
			}
		}
		o = Defaults
		o.Layer = rapid.IntRange(0, m.Config.NLayers-1).Draw(t, "layer")
		layer, err := New(t.Context(), m, tokens, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(layer.Sections) != 1 || layer.Attribution != nil || written(t, Document{Title: "layer", Digits: 4, Size: 8, Sections: layer.Sections}) != written(t, Document{Title: "layer", Digits: 4, Size: 8, Sections: all.Sections[1+o.Layer : 2+o.Layer]}) {
			t.Fatalf("layer %d is not the layer of the whole walk", o.Layer)
		}
	})
}

func lastEquation(s Step) Matrix { return s.Equations[len(s.Equations)-1].Result() }

func written(t *rapid.T, d Document) string { return writtenFor(t, d, pageWidth) }

func writtenFor(t *rapid.T, d Document, width int) string {
	var b bytes.Buffer
	if err := WriteText(&b, &d, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The text of any model fits a terminal, with any number of digits.
func TestTextFitsTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, tokens := anyModel(t)
		o := Defaults
		o.Digits = rapid.IntRange(1, MostDigits).Draw(t, "digits")
		o.Size = rapid.IntRange(1, 12).Draw(t, "size")
		d, err := New(t.Context(), m, tokens, o)
		if err != nil {
			t.Fatal(err)
		}
		width := rapid.SampledFrom([]int{60, pageWidth, 100, 200}).Draw(t, "width")
		for line := range strings.Lines(writtenFor(t, *d, width)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width || strings.HasSuffix(line, " \n") {
				t.Fatalf("%d columns: %q", n, line)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		tokens []int32
		change func(*Options)
		want   string
	}{
		{nil, nil, "walk: a context of 0 tokens is outside [1, n_ctx = 3]"},
		{[]int32{0, 1, 2, 0}, nil, "walk: a context of 4 tokens is outside [1, n_ctx = 3]"},
		{[]int32{0, 3}, nil, "walk: token 3 at position 2 is outside the alphabet [0, 2]"},
		{[]int32{0, 1}, func(o *Options) { o.Position = 2 }, "walk: position 2 is outside [0, 1]"},
		{[]int32{0, 1}, func(o *Options) { o.Position = -2 }, "walk: position -2 is outside [0, 1]"},
		{[]int32{0, 1}, func(o *Options) { o.Layer = 1 }, "walk: layer 1 is outside [0, 0]"},
		{[]int32{0, 1}, func(o *Options) { o.Digits = 16 }, "walk: digits 16 is outside [1, 15]"},
		{[]int32{0, 1}, func(o *Options) { o.Size = 0 }, "walk: size 0 is outside [1, 64]"},
	} {
		o := Defaults
		if c.change != nil {
			c.change(&o)
		}
		if _, err := New(t.Context(), ABC(), c.tokens, o); err == nil || err.Error() != c.want {
			t.Errorf("%v %+v: %v, want %s", c.tokens, o, err, c.want)
		}
	}
}

// Models of other kinds are refused in a line.
func TestOtherKinds(t *testing.T) {
	concat := model.Config{Residual: "concat", NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, DVocab: 2}
	other := model.Config{Output: "probabilities", DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, DVocab: 2}
	flat := model.Config{Architecture: "flat", DModel: 2, NCtx: 3, DVocab: 2}
	for want, c := range map[string]model.Config{
		"walk: the model has architecture: flat; walk needs a transformer":                          flat,
		"walk: the model has residual: concat; walk needs a model that adds to its residual stream": concat,
		"walk: the model has output: probabilities; walk needs a model that outputs logits":         other,
	} {
		m, err := model.Zero[float64](c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(t.Context(), m, []int32{0}, Defaults); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestOverflow(t *testing.T) {
	m := ABC()
	m.Weights.Get("unembed.b_U").Data[1] = math.NaN()
	const want = "walk: the model's logit of token 1 at position 0 is NaN; the model's weights have overflowed"
	if _, err := New(t.Context(), m, []int32{0, 1}, Defaults); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestTooLarge(t *testing.T) {
	m, err := model.Zero[float64](model.Config{DModel: 1, NLayers: 1, NHeads: model.Heads{1}, NCtx: 1, DVocab: MostNumbers >> 4, AttnOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), m, []int32{0}, Defaults); err != nil {
		t.Error(err)
	}
	m.Config.DVocab = MostNumbers // enough for the check, which comes before the pass
	const want = "walk: the model and its activations over 1 token have 8.4e+07 numbers, and the limit is 1.7e+07; use a smaller model or fewer tokens"
	if _, err := New(t.Context(), m, []int32{0}, Defaults); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
