package craft

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"
	"foretell/internal/random"
	"foretell/model"

	"pgregory.net/rapid"
)

// build builds a design that has no mistake.
func build(t rapid.TB, d Design) *model.Transformer[float64] {
	t.Helper()
	m, err := d.Build()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run runs a model over one sequence with all activations.
func run(t rapid.TB, m *model.Transformer[float64], tokens []int32) ([]float64, *model.Cache[float64]) {
	t.Helper()
	logits, cache, err := m.RunWithCache(tokens, 1)
	if err != nil {
		t.Fatal(err)
	}
	return logits, cache
}

// drawTokens draws a word of up to n of v tokens.
func drawTokens(t *rapid.T, v, n int) []int32 {
	return rapid.SliceOfN(rapid.Int32Range(0, int32(v-1)), 1, n).Draw(t, "tokens")
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// A head attends as its description says and writes the mean of what it moves,
// whatever stands beside it.
func TestHeadsAttendAsDescribed(t *testing.T) {
	const nCtx, vocab = 9, 4
	tokens, positions := Numbered("token", vocab), Numbered("position", nCtx)
	rapid.Check(t, func(t *rapid.T) {
		back := rapid.IntRange(0, nCtx-1).Draw(t, "back")
		weights := map[string]float64{}
		for _, name := range tokens {
			if rapid.Bool().Draw(t, "weighted") {
				weights[name] = math.Exp(rapid.Float64Range(-5, 5).Draw(t, "log weight"))
			}
		}
		factor := rapid.Float64Range(-3, 3).Draw(t, "times")
		word := drawTokens(t, vocab, nCtx)
		// What each head gives source s, seen from d, up to a factor.
		cases := []struct {
			attend []Score
			weight func(d, s int) float64
		}{
			{Uniform(), func(_, _ int) float64 { return 1 }},
			{Weighted(weights), func(_, s int) float64 {
				if w, ok := weights[tokens[word[s]]]; ok {
					return w
				}
				return 1
			}},
			{Offset(positions, back), func(d, s int) float64 {
				if d < back || s == d-back {
					return 1
				}
				return 0
			}},
			{Match(tokens, append(tokens[1:], tokens[0])), func(d, s int) float64 {
				successor := func(s int) bool { return word[s] == (word[d]+1)%vocab }
				if successor(s) || !slices.ContainsFunc(upTo(d), successor) {
					return 1
				}
				return 0
			}},
		}
		design := Design{Tokens: tokens, Positions: positions, NCtx: nCtx, Blocks: make([]Block, 1)}
		for i, c := range cases {
			copied := Numbered(fmt.Sprint("copied", i), vocab)
			moves := append(Copy(tokens, copied), Move{Always, fmt.Sprint("constant", i), 2}, Move{tokens[0], copied[1], factor})
			design.Blocks[0].Heads = append(design.Blocks[0].Heads, Head{Attend: c.attend, Move: moves})
		}
		basis, err := design.basis()
		if err != nil {
			t.Fatal(err)
		}
		_, cache := run(t, build(t, design), word)
		pattern, out := cache.Get("blocks.0.attn.hook_pattern").Data, cache.Get("blocks.0.hook_attn_out").Data
		n := len(word)
		for i, c := range cases {
			for d := range n {
				total, moved := 0.0, make([]float64, vocab)
				for s := range d + 1 {
					total += c.weight(d, s)
				}
				for s := range d + 1 {
					want := c.weight(d, s) / total
					if got := pattern[(i*n+d)*n+s]; !near(got, want, 1e-13) {
						t.Fatalf("head %d, from %d to %d: %v, want %v", i, d, s, got, want)
					}
					moved[word[s]] += want
				}
				moved[1] += factor * moved[0]
				read := func(name string) float64 {
					return dot(basis.vectors[name], out[d*basis.width:(d+1)*basis.width])
				}
				for z, want := range moved {
					if got := read(fmt.Sprintf("copied%d %d", i, z)); !near(got, want, 1e-12) {
						t.Fatalf("head %d at %d moved %v of token %d, want %v", i, d, got, z, want)
					}
				}
				if got := read(fmt.Sprint("constant", i)); !near(got, 2, 1e-13) {
					t.Fatalf("head %d moved the constant as %v", i, got)
				}
			}
		}
	})
}

func upTo(d int) []int {
	list := make([]int, d+1)
	for i := range list {
		list[i] = i
	}
	return list
}

// copier predicts the token `back` positions earlier, and applies a curve and a rule on
// the way: something of everything.
func copier(vocab, nCtx, back int) Design {
	tokens, positions, copied := Numbered("token", vocab), Numbered("position", nCtx), Numbered("copied", vocab)
	d := Design{Tokens: tokens, Positions: positions, NCtx: nCtx, Blocks: []Block{{
		Heads: []Head{{Attend: Offset(positions, back), Move: Copy(tokens, copied)}},
	}, {
		Functions: []Apply{{Bump(1, 1), copied[0], "first"}, {Step(0.5, 1), copied[1], "second"}},
		Rules:     []Rule{{If: []string{tokens[1], copied[1]}, To: "twice", Times: 3}},
	}}}
	for z := range tokens {
		d.Logits = append(d.Logits, Move{copied[z], tokens[z], 20})
	}
	d.Logits = append(d.Logits, Move{"first", tokens[0], 1}, Move{"second", tokens[1], -1}, Move{"twice", tokens[1], 1}, Move{Always, tokens[0], 0.5})
	return d
}

// Where the directions lie does not matter: in a rotated residual stream, wider than it
// needs to be, the logits are the same.
func TestAnyOrthonormalBasisWillDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := copier(3, 5, rapid.IntRange(0, 4).Draw(t, "back"))
		plain := build(t, d)
		own, err := d.basis()
		if err != nil {
			t.Fatal(err)
		}
		vectors := orthonormal(own.width, own.width+rapid.IntRange(0, 3).Draw(t, "spare"), rapid.Uint64().Draw(t, "seed"))
		for name, axis := range own.vectors {
			d.Directions = append(d.Directions, Direction{name, vectors[slices.Index(axis, 1)]})
		}
		word := drawTokens(t, 3, 5)
		want, _ := run(t, plain, word)
		got, _ := run(t, build(t, d), word)
		for i := range want {
			if !near(got[i], want[i], 1e-11) {
				t.Fatalf("logit %d is %v in a rotated stream, %v in the plain one", i, got[i], want[i])
			}
		}
	})
}

// orthonormal returns n orthonormal vectors of length d.
func orthonormal(n, d int, seed uint64) [][]float64 {
	s := random.New(seed, "test/basis")
	var list [][]float64
	for len(list) < n {
		v := make([]float64, d)
		for i := range v {
			v[i] = s.Normal()
		}
		for range 2 { // twice is enough
			for _, u := range list {
				c := dot(u, v)
				for i := range v {
					v[i] -= c * u[i]
				}
			}
		}
		norm := math.Sqrt(dot(v, v))
		for i := range v {
			v[i] /= norm
		}
		list = append(list, v)
	}
	return list
}

// A rule is a row of a table over tokens: every function of the last two is one.
func TestRulesAreATable(t *testing.T) {
	const vocab, nCtx = 3, 6
	tokens, positions, before := Numbered("token", vocab), Numbered("position", nCtx), Numbered("before", vocab)
	rapid.Check(t, func(t *rapid.T) {
		table := rapid.SliceOfN(rapid.Float64Range(-5, 5), vocab*vocab, vocab*vocab).Draw(t, "table")
		d := Design{Tokens: tokens, Positions: positions, NCtx: nCtx, Blocks: []Block{{
			Heads: []Head{{Attend: Offset(positions, 1), Move: Copy(tokens, before)}},
		}}, Logits: []Move{{"value", tokens[0], 1}}}
		for i, y := range table {
			d.Blocks[0].Rules = append(d.Blocks[0].Rules, Rule{If: []string{before[i/vocab], tokens[i%vocab]}, To: "value", Times: y})
		}
		word := drawTokens(t, vocab, nCtx)
		logits, _ := run(t, build(t, d), word)
		for i := 1; i < len(word); i++ {
			if want := table[word[i-1]*vocab+word[i]]; !near(logits[i*vocab], want, 1e-12) {
				t.Fatalf("after %v: %v, want %v", word[:i+1], logits[i*vocab], want)
			}
		}
	})
}

// What is built is an ordinary model: it can be saved, read back to the bit, and rounded
// to float32.
func TestBuiltModelsAreOrdinary(t *testing.T) {
	m := build(t, copier(4, 7, 2))
	dir := t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := model.Load[float64](dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Weights.Data, m.Weights.Data) || fmt.Sprint(again.Config) != fmt.Sprint(m.Config) {
		t.Error("the model came back changed")
	}
	word := []int32{0, 1, 1, 3, 2, 1, 0}
	want, _ := run(t, m, word)
	got, err := model.Convert[float32](m).Logits(word)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !near(float64(got[i]), want[i], 1e-5) {
			t.Errorf("logit %d is %v in float32, %v in float64", i, got[i], want[i])
		}
	}
}

func TestBuildNamesTheMistake(t *testing.T) {
	root := math.Sqrt(0.5)
	for _, test := range []struct {
		change func(d *Design)
		want   string
	}{
		{
			func(d *Design) { d.Blocks[0].Heads[0].Move[0].To = "token 2" },
			`direction "token 2" is written to by the token embedding and by the attention of block 0, so neither could be read alone; use a separate direction for one of them`,
		},
		{
			func(d *Design) { d.Positions[3] = "token 1" },
			`direction "token 1" is written to by the token embedding and by the positional embedding, so neither could be read alone; use a separate direction for one of them`,
		},
		{
			func(d *Design) { d.Blocks[1].Functions[0].To = "copied 1" },
			`direction "copied 1" is written to by the attention of block 0 and by the MLP of block 1, so neither could be read alone; use a separate direction for one of them`,
		},
		{func(d *Design) { d.Blocks[1].Rules[0].To = Always }, "the MLP of block 1 writes to a direction without a name; give it a name"},
		{func(d *Design) { d.Tokens[1] = "token 0" }, `direction "token 0" stands for two tokens or two positions; give each its own direction`},
		{func(d *Design) { d.Positions = d.Positions[1:] }, "4 position directions for a context of 5 tokens; give one for each"},
		{
			func(d *Design) { d.Blocks[0].Heads[0].Attend[0].Key = "positron 1" },
			`the attention of block 0 reads "positron 1", which nothing before it writes: did you mean "position 1"?`,
		},
		{
			func(d *Design) { d.Blocks[0].Heads[0].Move[0].From = "twice" },
			`the attention of block 0 reads "twice", which nothing before it writes: the names are token 0, token 1, token 2, position 0, position 1, position 2, position 3, position 4`,
		},
		{
			func(d *Design) { d.Blocks[1].Functions[0].From = "copid 1" },
			`the MLP of block 1 reads "copid 1", which nothing before it writes: did you mean "copied 1"?`,
		},
		{
			func(d *Design) { d.Blocks[1].Rules[0].If[0] = "tokn 0" },
			`the MLP of block 1 reads "tokn 0", which nothing before it writes: did you mean "token 0"?`,
		},
		{
			func(d *Design) { d.Logits[0].From = "frst" },
			`the unembedding reads "frst", which nothing before it writes: did you mean "first"?`,
		},
		{
			func(d *Design) { d.Logits[0].To = "copied 0" },
			`the unembedding writes to the logit of "copied 0", which is not a token: the names are token 0, token 1, token 2`,
		},
		{
			func(d *Design) { d.Blocks[0].Heads[0].Attend = Weighted(map[string]float64{"token 0": -1}) },
			"blocks.0.attn.W_K holds NaN; numbers of a design must be finite, and attention weights positive",
		},
		{
			func(d *Design) { d.Directions = []Direction{{"a", []float64{1, 0}}, {"b", []float64{root, root}}} },
			`directions "a" and "b" overlap: their cosine is 0.707107, so writing to one changes the other; make them orthogonal`,
		},
		{
			func(d *Design) { d.Directions = []Direction{{"a", []float64{1, 0}}, {"b", []float64{0, 2}}} },
			`direction "b" has length 2; give a unit vector`,
		},
		{
			func(d *Design) { d.Directions = []Direction{{"a", []float64{1, 0}}, {"b", []float64{1}}} },
			`direction "b" has 1 coordinates, but "a" has 2`,
		},
		{
			func(d *Design) {
				d.Directions = []Direction{{"token 0", []float64{1, 0}}, {"token 1", []float64{0, 1}}}
			},
			`direction "token 2" is written to, but Directions does not list it; add it there`,
		},
		{func(d *Design) { d.Blocks, d.Logits = nil, nil }, "n_layers is missing; give a whole number in [1, 1048576]"},
	} {
		d := copier(3, 5, 2)
		test.change(&d)
		if _, err := d.Build(); fmt.Sprint(err) != "craft: "+test.want {
			t.Errorf("got %v,\nwant craft: %s", err, test.want)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for _, test := range []struct {
		call func()
		want string
	}{
		{func() { Offset(Numbered("position", 3), 3) }, "craft: an offset of 3 is outside 3 positions"},
		{func() { Match([]string{"a"}, nil) }, "craft: Match with 1 queries and 0 keys"},
		{func() { Copy([]string{"a"}, nil) }, "craft: Copy from 1 directions to 0"},
		{func() { Through([]Point{{0, 1}}) }, "craft: a curve through 1 points; want at least two"},
		{func() { Through([]Point{{0, 1}, {0, 2}}) }, "craft: a curve through x = 0 and then x = 0; want ascending x"},
		{func() { Approximate(math.Sqrt, math.Sqrt, 1, 1, 0.1) }, "craft: an approximation with error 0.1 on [1, 1]; want a positive error and lo < hi"},
	} {
		if got := panics.Text(test.call); !strings.HasPrefix(got, test.want) {
			t.Errorf("panic %q, want %q", got, test.want)
		}
	}
}
