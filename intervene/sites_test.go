package intervene

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/model"
	"foretell/process"
)

// In every model each hook has, at each position and of each head, as many numbers as a
// pass shows there; all of them at once are the whole activation, but for what is masked
// or carried on from before. Fixed numbers have to be as many.
func TestNumbersOfSites(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		_, cache, err := m.RunWithCache(clean, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hooksOf(m.Config) {
			for layer := range m.Config.NLayers {
				heads := []int{All}
				if h.layout != byPosition {
					heads = upTo(m.Config.NHeads[layer])
				}
				visited := map[int]bool{}
				var data []float64
				for _, head := range heads {
					for position := range clean {
						site := Site{h.name, layer, head, position}
						at, err := locate(m.Config, site, len(clean))
						if err != nil {
							t.Fatal(err)
						}
						activation, n := cache.Get(at.hook), 0
						data = activation.Data
						at.rows(activation.Shape, 0, func(_, from, to int) {
							n += to - from
							for i := from; i < to; i++ {
								if visited[i] {
									t.Fatalf("%s, %s: number %d belongs to another site, too", s.name, site, i)
								}
								visited[i] = true
							}
						})
						if got := at.numbers(m.Config, site); got != n {
							t.Errorf("%s, %s: %d numbers, want %d", s.name, site, got, n)
						}
						for _, given := range []int{n - 1, n, n + 1} {
							plan := Patching{Hook: h.name, Fixed: []Fixed{{site, make([]float64, given)}}}
							if _, err := newPatcher(m, mess3(t), OnePair(clean, corrupt), plan); (err == nil) != (given == n) {
								t.Errorf("%s, %s: %d of %d numbers fixed: %v", s.name, site, given, n, err)
							}
						}
					}
				}
				want := len(data)
				switch h.layout {
				case byDestination: // half of which is masked
					want = want / (len(clean) * len(clean)) * len(clean) * (len(clean) + 1) / 2
				case appended:
					want = want / (1 + m.Config.NHeads[layer]) * m.Config.NHeads[layer]
				}
				if len(visited) != want {
					t.Errorf("%s, %s of layer %d: sites have %d numbers of %d", s.name, h.name, layer, len(visited), want)
				}
			}
		}
	}
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// A hook's full name is the hook and its layer, in every model; a name of Hooks is of all
// layers, with hook_ before it or not.
func TestNamed(t *testing.T) {
	for _, s := range subjects {
		c := newModel(t, s.config).Config
		if got, want := len(Hooks(c)), len(hooksOf(c)); got != want {
			t.Errorf("%s: %d hooks of %d", s.name, got, want)
		}
		for _, h := range hooksOf(c) {
			for _, name := range []string{h.name, "hook_" + h.name} {
				if got, layer, err := Named(c, name); got != h.name || layer != All || err != nil {
					t.Errorf("%s: %s is %s of %d (%v)", s.name, name, got, layer, err)
				}
			}
			byHead, err := ByHead(c, h.name)
			if want := !slices.Contains([]string{
				"resid_pre", "attn_out", "resid_mid", "mlp_pre", "mlp_post", "mlp_out", "resid_post",
			}, h.name); byHead != want || err != nil {
				t.Errorf("%s: %s of heads: %v (%v)", s.name, h.name, byHead, err)
			}
			for layer := range c.NLayers {
				name := fmt.Sprintf("blocks.%d.%s", layer, h.suffix)
				want := h.name
				if h.layout == appended { // its columns are part of the residual stream
					want = "resid_post"
				}
				if got, of, err := Named(c, name); got != want || of != layer || err != nil {
					t.Errorf("%s: %s is %s of %d (%v), want %s", s.name, name, got, of, err, want)
				}
			}
			for _, bad := range []string{
				fmt.Sprintf("blocks.%d.%s", c.NLayers, h.suffix), "blocks.-1." + h.suffix, "blocks.x." + h.suffix,
				"blocks.0." + h.suffix + "s", "blocks." + h.suffix, "blocks.0", "0." + h.suffix, h.suffix + ".0", "",
			} {
				_, _, err := Named(c, bad)
				if inner := new(ArgumentError); !errors.As(err, &inner) || inner.Unwrap() != inner.Reason {
					t.Errorf("%s: %q: %v", s.name, bad, err)
				}
			}
		}
		for _, bad := range []string{"nothing", "resid"} {
			if _, err := ByHead(c, bad); err == nil {
				t.Errorf("%s: %q is a hook", s.name, bad)
			}
		}
	}
	want := []string{
		"resid_pre", "q", "k", "v", "rot_q", "rot_k", "attn_scores", "pattern", "z", "attn_out", "resid_mid",
		"mlp_pre", "mlp_post", "mlp_out", "resid_post",
	}
	if got := HookNames(); !slices.Equal(got, want) {
		t.Errorf("hooks %q, want %q", got, want)
	}
}

// A site is written with its layer, head and position, and a part at a position is its
// sites there.
func TestPartsAtAPosition(t *testing.T) {
	for site, want := range map[Site]string{
		{"z", 0, 1, All}: "head 0.1", {"mlp_out", 0, All, All}: "mlp_out 0", {"resid_pre", 0, All, 2}: "resid_pre 0 at 2",
		{"q", 3, 0, 0}: "q 3.0 at 0", {"z", 1, All, 4}: "z 1 at 4",
	} {
		if got := site.String(); got != want {
			t.Errorf("%+v is %q, want %q", site, got, want)
		}
	}
	both := Together(Head(1, 0), Attention(0), MLP(0), Embedding(3))
	at := both.At(2)
	if both.Name != "head 1.0, attn_out 0, mlp_out 0, resid_pre 0 at 3" || at.Name != both.Name+" at 2" {
		t.Errorf("%q and %q", both.Name, at.Name)
	}
	for i, s := range both.Sites {
		here := s
		here.Position = 2
		if want := map[bool]int{true: 3, false: All}[s.Hook == "resid_pre"]; s.Position != want || at.Sites[i] != here {
			t.Errorf("site %+v, at 2 %+v", s, at.Sites[i])
		}
	}
	m, words := newModel(t, subjects[0].config), wordsOf(t, 3)
	every := ablate(t, m, words, Ablation{With: Zero, Parts: []Part{Embedding(0), Embedding(1), Embedding(2)}})
	same := ablate(t, m, words, Ablation{With: Zero, Parts: []Part{
		Embedding(1).At(0), Embedding(2).At(1), Embedding(0).At(2),
	}})
	for i, part := range every.Parts {
		if same.Parts[i].KL != part.KL {
			t.Errorf("%s has KL %v, %s %v", part.Name, part.KL, same.Parts[i].Name, same.Parts[i].KL)
		}
	}
}

// In any number of rounds every word has the same weight in each, and what is the same in
// each round is the mean without an error.
func TestRounds(t *testing.T) {
	for _, rounds := range []int{1, 2, 3, 8} {
		words, err := GivenWords(t.Context(), nil, [][]int32{{0, 1}, {1, 1}, {2, 0}})
		if err != nil {
			t.Fatal(err)
		}
		a := &ablater[float64]{words: words, rounds: rounds}
		found := [][]float64{{1, 2}, {3, 4}, {5, 9}}
		sums := a.groups()
		for round := range rounds {
			a.sum(sums, found, round)
		}
		if shares := a.shares(); len(shares) != rounds || math.Abs(slices.Min(shares)-1) > 1e-15 || slices.Max(shares) != slices.Min(shares) {
			t.Errorf("%d rounds have shares %v", rounds, shares)
		}
		e := a.mean(sums)
		wantNear(t, fmt.Sprint(rounds, " rounds"), append(a.overGroups(sums), e.Mean), []float64{3, 5, 4}, 1e-14)
		if !(e.Error < 1e-7) {
			t.Errorf("%d rounds of the same differ by %v", rounds, e.Error)
		}
	}
}

// A map of one pair has its words, and one of several has none.
func TestMapsOfOnePairHaveItsWords(t *testing.T) {
	m := newModel(t, subjects[0].config)
	one := OnePair(clean, corrupt)
	for n := 1; n <= 3; n++ {
		found := patch(t, m, Pairs{Pairs: slices.Repeat(one.Pairs, n)}, Patching{Hook: "resid_pre"})
		if found.Pairs != n {
			t.Errorf("%d pairs are %d", n, found.Pairs)
		}
		if n == 1 && (!slices.Equal(found.Clean, clean) || !slices.Equal(found.Corrupt, corrupt)) {
			t.Errorf("the words are %v and %v", found.Clean, found.Corrupt)
		}
		if n > 1 && (found.Clean != nil || found.Corrupt != nil) {
			t.Errorf("of %d pairs the words are %v and %v", n, found.Clean, found.Corrupt)
		}
	}
}

// Pairs have weights that are finite and not negative, 0 for 1, and words of one length.
func TestPairsAreChecked(t *testing.T) {
	m := newModel(t, subjects[0].config)
	for weight, good := range map[float64]bool{
		0: true, 1: true, 0.25: true, 1e-300: true, -1: false, -1e-300: false, math.Inf(1): false, math.Inf(-1): false,
	} {
		pairs := OnePair(clean, corrupt)
		pairs.Pairs[0].Weight = weight
		if _, err := Patch(t.Context(), m, nil, pairs, Patching{Hook: "resid_pre"}); (err == nil) != good {
			t.Errorf("weight %v: %v", weight, err)
		}
	}
	nan := OnePair(clean, corrupt)
	nan.Pairs[0].Weight = math.NaN()
	long := Pairs{Pairs: []Pair{{Clean: clean, Corrupt: corrupt}, {Clean: clean[:4], Corrupt: corrupt[:4]}}}
	for what, pairs := range map[string]Pairs{"a weight of NaN": nan, "words of two lengths": long} {
		if _, err := Patch(t.Context(), m, nil, pairs, Patching{Hook: "resid_pre"}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	weighed := Pairs{Pairs: []Pair{{clean, corrupt, 0}, {corrupt, clean, 1}}}
	even := Pairs{Pairs: []Pair{{clean, corrupt, 2}, {corrupt, clean, 2}}}
	a, b := patch(t, m, weighed, Patching{Hook: "resid_pre"}), patch(t, m, even, Patching{Hook: "resid_pre"})
	wantNear(t, "KL", []float64{a.KLClean, a.KLCorrupt}, []float64{b.KLClean, b.KLCorrupt}, 1e-14)
	for _, bad := range [][2]int{{0, 2}, {-1, 2}, {1, 1}, {1, 0}, {0, 0}} {
		if _, err := PairsOf(t.Context(), mess3(t), bad[0], bad[1], 1); err == nil {
			t.Errorf("%d pairs of words of %d tokens", bad[1], bad[0])
		}
	}
	for _, n := range []int{2, 5} {
		if p, err := PairsOf(t.Context(), mess3(t), 1, n, 3); err != nil || !p.Sampled || len(p.Pairs) != n {
			t.Errorf("%d pairs of words of one token: %d, sampled %v (%v)", n, len(p.Pairs), p.Sampled, err)
		}
	}
}

// What ends with its context ends everywhere: pairs, words, maps and ablations, all and
// sampled.
func TestInterrupted(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	m, words := newModel(t, subjects[0].config), wordsOf(t, 3)
	for what, try := range map[string]func() error{
		"all pairs":     func() error { _, err := PairsOf(over, mess3(t), 2, 100, 1); return err },
		"sampled pairs": func() error { _, err := PairsOf(over, mess3(t), 9, 100, 1); return err },
		"all words":     func() error { _, err := WordsOf(over, mess3(t), 3); return err },
		"sampled words": func() error { _, err := WordsOf(over, mess3(t), 14); return err },
		"given words":   func() error { _, err := GivenWords(over, mess3(t), [][]int32{{0, 1}}); return err },
		"a map": func() error {
			_, err := Patch(over, m, mess3(t), OnePair(clean, corrupt), Patching{Hook: "resid_pre"})
			return err
		},
		"zeros":     func() error { _, err := Ablate(over, m, words, Ablation{With: Zero}); return err },
		"means":     func() error { _, err := Ablate(over, m, words, Ablation{With: Mean}); return err },
		"resampled": func() error { _, err := Ablate(over, m, words, Ablation{With: Resample}); return err },
	} {
		if err := try(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Given words are those of the process: one that cannot occur, one of a token that it has
// not and one of no tokens are errors.
func TestGivenWordsOfAProcess(t *testing.T) {
	even, err := process.Build("even", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][][]int32{{{0, 1, 0, 0}}, {{0, 2}}, {{-1, 0}}, {{}}, {{0, 1}, {0}}, nil} {
		if _, err := GivenWords(t.Context(), even, bad); err == nil {
			t.Errorf("%v are words of the even process", bad)
		}
	}
	words, err := GivenWords(t.Context(), even, [][]int32{{0, 1, 1, 0}, {1, 1, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if n, sequences := words.Number(); n != 2 || sequences != 0 {
		t.Errorf("%d words, %d sequences", n, sequences)
	}
	for i, word := range words.list {
		want, err := optima(even, word.tokens)
		if err != nil {
			t.Fatal(err)
		}
		for pos, next := range words.optimal(word) {
			wantNear(t, fmt.Sprint("word ", i, " at ", pos), next, want[pos], 1e-12)
		}
	}
	big := newModel(t, model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 2})
	three, err := GivenWords(t.Context(), mess3(t), [][]int32{{0, 1}, {1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ablate(t.Context(), big, three, Ablation{With: Zero}); err == nil {
		t.Error("a process of more tokens than the model")
	}
}

// A model without layers has nothing to patch or to ablate.
func TestNoLayers(t *testing.T) {
	c := newModel(t, subjects[0].config).Config
	c.NLayers, c.NHeads = 0, nil
	for _, s := range []Site{{"resid_pre", 0, All, All}, {"z", 0, 0, 0}} {
		if _, err := locate(c, s, 3); err == nil {
			t.Errorf("%s is a site of a model without layers", s)
		}
	}
	if parts, rows := EachPart(c), append(EachRow(c, true), EachRow(c, false)...); len(parts) != 0 || len(rows) != 0 {
		t.Errorf("parts %v, rows %v", parts, rows)
	}
}

// Where the MLP takes off again what would overflow, the model has no finite numbers
// without it, and that is an error; and so is what is fixed to infinity.
func TestNotFiniteWithoutAPart(t *testing.T) {
	m, err := model.Zero[float64](model.Config{
		DModel: 2, NLayers: 1, NHeads: model.Heads{1}, DMLP: 1, NCtx: 3, DVocab: 3, NormalizationType: "none", ActFn: "relu",
	})
	if err != nil {
		t.Fatal(err)
	}
	embedding := m.Weights.Get("embed.W_E").Data
	for i := 0; i < len(embedding); i += 2 {
		embedding[i] = 1e308
	}
	m.Weights.Get("blocks.0.mlp.b_out").Data[0] = -1e308
	for i := range m.Weights.Get("unembed.W_U").Data[:3] {
		m.Weights.Get("unembed.W_U").Data[i] = 100 * float64(i)
	}
	words := wordsOf(t, 2)
	if _, err := Ablate(t.Context(), m, words, Ablation{With: Zero, Parts: []Part{Head(0, 0)}}); err != nil {
		t.Errorf("without the head: %v", err)
	}
	if _, err := Ablate(t.Context(), m, words, Ablation{With: Zero, Parts: []Part{MLP(0)}}); err == nil {
		t.Error("without the MLP the numbers are finite")
	}
	for _, value := range []float64{math.Inf(1), math.NaN()} {
		plan := Patching{Hook: "resid_post", Fixed: []Fixed{{Site{"mlp_out", 0, All, 1}, []float64{value, 0}}}}
		if _, err := Patch(t.Context(), m, nil, OnePair([]int32{0, 1}, []int32{1, 0}), plan); !errors.Is(err, model.ErrNotFinite) {
			t.Errorf("fixed to %v: %v", value, err)
		}
	}
}

// All positions are the numbers of each position one after another, and all heads those
// of each head, of every word of a batch.
func TestAllIsTheUnion(t *testing.T) {
	visited := func(t *testing.T, c model.Config, s Site, shape []int, b int) (list []int) {
		at, err := locate(c, s, len(clean))
		if err != nil {
			t.Fatal(err)
		}
		at.rows(shape, b, func(_, from, to int) {
			for i := from; i < to; i++ {
				list = append(list, i)
			}
		})
		slices.Sort(list)
		return list
	}
	for _, s := range subjects {
		m := newModel(t, s.config)
		_, cache, err := m.RunWithCache(slices.Concat(clean, corrupt), 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hooksOf(m.Config) {
			for layer := range m.Config.NLayers {
				shape := cache.Get(fmt.Sprintf("blocks.%d.%s", layer, h.suffix)).Shape
				heads := []int{All}
				if h.layout != byPosition {
					heads = append(heads, upTo(m.Config.NHeads[layer])...)
				}
				for b := range 2 {
					var ofHeads []int
					for _, head := range heads {
						var each []int
						for position := range clean {
							each = append(each, visited(t, m.Config, Site{h.name, layer, head, position}, shape, b)...)
						}
						slices.Sort(each)
						all := visited(t, m.Config, Site{h.name, layer, head, All}, shape, b)
						if !slices.Equal(all, each) || len(all) == 0 {
							t.Errorf("%s, %s of layer %d, head %d: %d numbers of %d", s.name, h.name, layer, head, len(all), len(each))
						}
						if head != All {
							ofHeads = append(ofHeads, all...)
						}
					}
					slices.Sort(ofHeads)
					if all := visited(t, m.Config, Site{h.name, layer, All, All}, shape, b); len(heads) > 1 && !slices.Equal(all, ofHeads) {
						t.Errorf("%s, %s of layer %d: %d numbers, and %d of heads", s.name, h.name, layer, len(all), len(ofHeads))
					}
				}
			}
		}
	}
}

// Every position of a word may be scored, and no other. The mean over positions is that
// of each by itself.
func TestScoredPositions(t *testing.T) {
	m := newModel(t, subjects[0].config)
	mean := 0.0
	for position := -2; position <= len(clean)+1; position++ {
		found, err := Patch(t.Context(), m, mess3(t), OnePair(clean, corrupt), Patching{Hook: "resid_pre", Scored: []int{position}})
		if good := position >= 0 && position < len(clean); (err == nil) != good {
			t.Errorf("position %d: %v", position, err)
		} else if good {
			mean += found.KLCorrupt / float64(len(clean))
		}
	}
	all := patch(t, m, OnePair(clean, corrupt), Patching{Hook: "resid_pre", Scored: upTo(len(clean))})
	wantNear(t, "all positions", []float64{all.KLCorrupt}, []float64{mean}, 1e-13)
}
