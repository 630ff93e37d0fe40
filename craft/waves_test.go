package craft

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"foretell/model"

	"pgregory.net/rapid"
)

// drawTurns draws turns of planes with a frequency that contexts resolve.
func drawTurns(t *rapid.T, planes int) []Turn {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Turn {
		return Turn{
			rapid.IntRange(0, planes-1).Draw(t, "plane"), rapid.Float64Range(-40, 40).Draw(t, "offset"),
			rapid.Float64Range(-20, 20).Draw(t, "nats"),
		}
	}), 0, 4).Draw(t, "turns")
}

// A head attends by the softmax of what its turns score, with sinusoidal positions as
// with rotary ones, and whatever tokens stand there.
func TestHeadsTurnAsDescribed(t *testing.T) {
	const nCtx, vocab = 9, 3
	tokens := Numbered("token", vocab)
	rapid.Check(t, func(t *rapid.T) {
		w := Waves{rapid.SampledFrom([]string{Sinusoidal, Rotary}).Draw(t, "kind"), 2 * rapid.IntRange(8, 20).Draw(t, "planes")}
		turns := drawTurns(t, w.Planes()-1)
		favour := rapid.Float64Range(-3, 3).Draw(t, "score of token 1")
		slowest := 0.0 // by which rotary positions turn a score
		if w.Kind == Rotary {
			slowest = w.Frequency(w.Planes() - 1)
		}
		word := drawTokens(t, vocab, nCtx)
		d := Design{Tokens: tokens, NCtx: nCtx, Waves: w, Blocks: []Block{{Heads: []Head{{
			Attend: []Score{{Always, tokens[1], favour}}, Turns: turns, Move: Copy(tokens, Numbered("copied", vocab)),
		}}}}}
		_, cache := run(t, build(t, d), word)
		pattern := cache.Get("blocks.0.attn.hook_pattern").Data
		for i := range word {
			want, total := make([]float64, i+1), 0.0
			for j := range want {
				score := w.Score(turns, float64(i-j))
				if word[j] == 1 {
					score += favour * math.Cos(float64(i-j)*slowest)
				}
				want[j] = math.Exp(score)
				total += want[j]
			}
			for j, x := range want {
				if got := pattern[i*len(word)+j]; !near(got, x/total, 1e-10) {
					t.Fatalf("from %d to %d: %v, want %v", i, j, got, x/total)
				}
			}
		}
	})
}

// The columns of sinusoidal positions can be read, by an MLP, whatever directions lie
// across them.
func TestSinusoidsCanBeRead(t *testing.T) {
	tokens := Numbered("token", 4)
	rapid.Check(t, func(t *rapid.T) {
		w := Waves{Sinusoidal, 2 * rapid.IntRange(9, 40).Draw(t, "planes")}
		k := rapid.IntRange(0, w.Planes()-1).Draw(t, "plane")
		column, at := Sine(k), math.Sin
		if rapid.Bool().Draw(t, "cosine") {
			column, at = Cosine(k), math.Cos
		}
		d := Design{
			Tokens: tokens, NCtx: 12, Waves: w,
			Blocks: []Block{{Functions: []Apply{{Through([]Point{{-1, -1}, {1, 1}}), column, "read"}}}},
			Logits: []Move{{"read", tokens[0], 1}},
		}
		word := drawTokens(t, 4, 12)
		logits, _ := run(t, build(t, d), word)
		for p := range word {
			if want := at(float64(p) * w.Frequency(k)); !near(logits[p*4], want, 1e-12) {
				t.Fatalf("%s at %d reads %v, want %v", column, p, logits[p*4], want)
			}
		}
	})
}

// What a head gives elsewhere is what [Waves.Elsewhere] says, the least turns that keep
// it below a bound do, and the gap bounds it.
func TestPeakedHeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nCtx := rapid.IntRange(2, 60).Draw(t, "n_ctx")
		w := Waves{rapid.SampledFrom([]string{Sinusoidal, Rotary}).Draw(t, "kind"), 2 * rapid.IntRange(40, 60).Draw(t, "planes")}
		from := rapid.IntRange(0, 30).Draw(t, "fastest plane")
		var planes []int
		for k := range rapid.IntRange(1, 5).Draw(t, "planes") {
			planes = append(planes, from+k)
		}
		offset := rapid.IntRange(0, nCtx-1).Draw(t, "offset")
		elsewhere := math.Exp(rapid.Float64Range(-40, -2).Draw(t, "log elsewhere"))
		turns := w.Peaked(planes, offset, nCtx, elsewhere)
		if got := w.Elsewhere(turns, offset, nCtx); got > elsewhere || got < 0.9*elsewhere {
			t.Fatalf("%v goes elsewhere, want at most %v, and nearly that", got, elsewhere)
		}
		gap, at := w.Gap(planes, nCtx)
		for m := 1; m < nCtx; m++ {
			below := 0.0
			for _, k := range planes {
				below += 1 - math.Cos(float64(m)*w.Frequency(k))
			}
			if below < gap-1e-13 || m == at && !near(below, gap, 1e-13) {
				t.Fatalf("%d positions away it is %v below the peak, where %v is the gap at %d", m, below, gap, at)
			}
		}
		// Elsewhere is of differences of scores, whose last digits are lost where they are
		// large: some 2^-53 of each plane's nats at either end.
		lost := 8 * 0x1p-53 * float64(len(turns)) * turns[0].Nats
		if bound := float64(nCtx-1) * math.Exp(-turns[0].Nats*gap); w.Elsewhere(turns, offset, nCtx) > bound*(1+1e-9+lost) {
			t.Fatalf("more goes elsewhere than %v", bound)
		}
		d := Design{Tokens: []string{"a"}, NCtx: nCtx, Waves: w, Blocks: []Block{{Heads: []Head{{
			Turns: turns, Move: []Move{{"a", "copied", 1}},
		}}}}}
		_, cache := run(t, build(t, d), make([]int32, nCtx))
		last := cache.Get("blocks.0.attn.hook_pattern").Data[(nCtx-1)*nCtx:]
		if got := 1 - last[nCtx-1-offset]; !near(got, w.Elsewhere(turns, offset, nCtx), 1e-9*math.Abs(turns[0].Nats)+1e-12) {
			t.Fatalf("%v goes elsewhere, want %v", got, w.Elsewhere(turns, offset, nCtx))
		}
	})
}

// Of sources with a mark the latest takes the attention, and of all where none has one.
func TestLastOf(t *testing.T) {
	tokens := []string{"a", "b"}
	rapid.Check(t, func(t *rapid.T) {
		nCtx := rapid.IntRange(1, 40).Draw(t, "n_ctx")
		w := Waves{rapid.SampledFrom([]string{Sinusoidal, Rotary}).Draw(t, "kind"), 64}
		attend, turns := w.LastOf(tokens[1:], nCtx, 1e-12)
		word := drawTokens(t, 2, nCtx)
		d := Design{Tokens: tokens, NCtx: nCtx, Waves: w, Blocks: []Block{{Heads: []Head{{attend, turns, Copy(tokens, []string{"A", "B"})}}}}}
		_, cache := run(t, build(t, d), word)
		pattern := cache.Get("blocks.0.attn.hook_pattern").Data
		for i := range word {
			want := i
			for j := range i + 1 {
				if word[j] == 1 {
					want = j
				}
			}
			if !slices.Contains(word[:i+1], 1) {
				want = i
			}
			if got := pattern[i*len(word)+want]; got < 1-1e-11 {
				t.Fatalf("after %v it looks at %d with %v", word[:i+1], want, got)
			}
		}
	})
}

// The frequencies are those of the model, bit by bit.
func TestWavesAreTheModels(t *testing.T) {
	const nCtx, width = 50, 64
	m, err := model.Zero[float64](model.Config{
		DModel: width, NLayers: 1, NHeads: model.Heads{1}, NCtx: nCtx, DVocab: 1, PositionalEmbeddingType: Sinusoidal,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, cache := run(t, m, make([]int32, nCtx))
	table := cache.Get("hook_pos_embed").Data
	w := Waves{Sinusoidal, width}
	for k := range w.Planes() {
		if got := math.Atan2(table[width+2*k], table[width+2*k+1]); !near(got, w.Frequency(k), 2e-16) {
			t.Errorf("plane %d turns by %v, want %v", k, got, w.Frequency(k))
		}
	}
}

func TestWavesNameTheMistake(t *testing.T) {
	head := func(turns ...Turn) []Block {
		return []Block{{Heads: []Head{{Turns: turns, Attend: []Score{{Always, "a", 1}}, Move: []Move{{"a", "b", 1}}}}}}
	}
	for _, test := range []struct {
		d    Design
		want string
	}{
		{Design{Blocks: head(Turn{})}, "a head has Turns, but the design has no planes of positions; give Waves"},
		{Design{Waves: Waves{"", 8}}, "waves of width 8 have no kind; give sinusoidal or rotary"},
		{Design{Waves: Waves{"learned", 8}}, `waves are "learned"; give sinusoidal or rotary`},
		{Design{Waves: Waves{Rotary, 7}}, "waves have a width of 7; give an even width of at least 2"},
		{Design{Waves: Waves{Rotary, 8}, Positions: []string{"first"}}, "a design with rotary waves cannot have Positions or Directions; leave them out"},
		{Design{Waves: Waves{Sinusoidal, 8}, Blocks: head(Turn{Plane: 4})}, "a head has a Turn in plane 4, but only 4 planes (from 0) with sinusoidal positions of width 8"},
		{Design{Waves: Waves{Rotary, 8}, Blocks: head(Turn{Plane: 3})}, "a head has a Turn in plane 3, but only 3 planes (from 0) with rotary positions of width 8"},
		{Design{Waves: Waves{Rotary, 2}, Blocks: []Block{{Heads: []Head{{Move: Copy([]string{"a", "a", "a"}, []string{"b", "c", "d"})}}}}}, "a head needs 3 dimensions, but rotary positions have a width of 2; make them wider"},
		{Design{Waves: Waves{Sinusoidal, 4}, Blocks: head()}, "2 directions and 3 sinusoidal positions need a width of 6, not 4"},
		{
			Design{Waves: Waves{Sinusoidal, 8}, Blocks: []Block{{Heads: []Head{{Move: []Move{{"a", Sine(1), 1}}}}}}},
			`direction "sin 1" is written to by the positional embedding and by the attention of block 0, so neither could be read alone; use a separate direction for one of them`,
		},
	} {
		test.d.Tokens, test.d.NCtx = []string{"a"}, 3
		if _, err := test.d.Build(); err == nil || err.Error() != "craft: "+test.want {
			t.Errorf("got %v,\nwant craft: %s", err, test.want)
		}
	}
}

// For the frequencies of any width the peak is unique, but 44 positions away a single
// plane with ω = 1 comes within 1.6e-4 of it, and 710 away within 2e-9.
func TestTheFastestPlaneNearlyRepeats(t *testing.T) {
	w := Waves{Sinusoidal, 64}
	for _, test := range []struct {
		nCtx, at int
		gap      float64
	}{{44, 25, 0.00879719}, {45, 44, 1.56691e-4}, {711, 710, 1.8173e-9}} {
		gap, at := w.Gap([]int{0}, test.nCtx)
		if at != test.at || math.Abs(gap/test.gap-1) > 1e-4 {
			t.Errorf("in %d positions: %v at %d, want %v at %d", test.nCtx, gap, at, test.gap, test.at)
		}
	}
}

// What each part of a design reads and writes, by groups of directions.
func TestWiring(t *testing.T) {
	d, err := SwitchingDelay{Delays: []int{2, 3}, Key: 0.1, Values: 4, Signal: Signal{8, Sinusoidal}}.Design()
	if err != nil {
		t.Fatal(err)
	}
	w := d.Wiring()
	want := Wiring{
		Parts:  []string{"embedding", "positions", "head 0.0", "head 0.1", "head 0.2", "MLP 0", "unembedding"},
		Groups: []string{"value", "key", "sin", "cos", "selected", "found by head 1:", "found by head 2:", "computed"},
		Uses: [][]float64{
			{1, 1, 0, 0, 0, 0, 0, 0},
			{0, 0, 1, 1, 0, 0, 0, 0},
			{0, -1, -1, -1, 1, 0, 0, 0},
			{-1, 0, -1, -1, 0, 1, 0, 0},
			{-1, 0, -1, -1, 0, 0, 1, 0},
			{0, 0, 0, 0, -1, -1, -1, 1},
			{0, 0, 0, 0, 0, 0, 0, -1},
		},
	}
	if !reflect.DeepEqual(w, want) {
		t.Errorf("%v, want %v", w, want)
	}
}
