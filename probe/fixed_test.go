package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/craft"
	"foretell/model"
	"foretell/process"
)

// A pattern is replaced by the mean of one sequence's own: the pass is the same to the
// bit.
func TestFixingTheOwnPatternChangesNothing(t *testing.T) {
	for _, test := range models {
		m := randomModel(t, test.config)
		p, err := process.WordsOf(t.Context(), build(t, "mess3"), [][]int32{{0, 2, 1, 1, 0}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		a := analyze(t, m, p, Plan{Features: Stages(stages...), Keep: true, Patterns: true})
		b, err := a.AtMeanPatterns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, test.name+": KL", b.KLByPosition(), a.KLByPosition())
		wantSame(t, test.name+": patterns", b.Patterns, a.Patterns)
		for f := range stages {
			wantSame(t, test.name+": "+stages[f], b.Table(b.Plan.Features[f]), a.Table(a.Plan.Features[f]))
		}
	}
}

// With mean patterns a pass over the tree of words is that over each word alone whose
// patterns a hook replaces by sums over words; of all heads, and of one.
func TestAtMeanPatternsEqualsDirectPasses(t *testing.T) {
	for _, test := range models {
		for _, heads := range [][]int{nil, {0}, {len(patternsOf(test.config)) - 1}} {
			for _, name := range []string{"mess3", "golden_mean"} {
				what := fmt.Sprintf("%s, %s, heads %v", test.name, name, heads)
				m, p := randomModel(t, test.config), must(build(t, name).Prefixes(t.Context(), 4))
				plan := Plan{Features: Stages(stages[1]), Targets: both, Keep: true, Patterns: true, Workers: 2}
				a, err := analyze(t, m, p, plan).AtMeanPatterns(t.Context(), heads...)
				if err != nil {
					t.Fatal(err)
				}
				rows, kl := atMeanPatterns(t, m, p, heads)
				wantClose(t, what, a.Table(a.Plan.Features[0]).Data, rows, 1e-5)
				for length := 1; length <= p.Length; length++ {
					from, to := p.Range(length)
					want := 0.0
					for row := from; row < to; row++ {
						want += p.Prob[row] * kl[row]
					}
					wantClose(t, what+": KL", []float64{a.KLByPosition()[length-1].Mean}, []float64{want}, 1e-5)
				}
				streamed := plan
				streamed.Keep, streamed.Workers = false, 1
				b, err := analyze(t, m, p, streamed).AtMeanPatterns(t.Context(), heads...)
				if err != nil {
					t.Fatal(err)
				}
				wantClose(t, what+": R²", []float64{reading(b, 0, 0).R2}, []float64{reading(a, 0, 0).R2}, 1e-6)
				kept, err := a.Predict(t.Context(), a.Plan.Targets[0], a.Plan.Features[0])
				if err != nil {
					t.Fatal(err)
				}
				read, err := b.Predict(t.Context(), b.Plan.Targets[0], b.Plan.Features[0])
				if err != nil {
					t.Fatal(err)
				}
				wantClose(t, what+": predicted", occurring(p, read), occurring(p, kept), 1e-4)
			}
		}
	}
}

// patternsOf lists the layer and head of each pattern.
func patternsOf(c model.Config) (list [][2]int) {
	for layer, heads := range c.NHeads {
		for head := range heads {
			list = append(list, [2]int{layer, head})
		}
	}
	return list
}

// atMeanPatterns returns the last position's stages[1] of each word, (rows, d_model), and
// its KL, with the patterns of some heads, or all, replaced by their means.
func atMeanPatterns(t *testing.T, m *model.Transformer[float32], p *process.Prefixes, heads []int) (rows, kl []float64) {
	t.Helper()
	all := patternsOf(m.Config)
	mean := make([][]float64, len(all)) // (heads, T·T)
	for i, at := range all {
		mean[i] = make([]float64, p.Length*p.Length)
		for row, prob := range p.Prob {
			word := p.Tokens(row)
			_, cache, err := m.RunWithCache(word, 1, patternHook(at[0]))
			if err != nil {
				t.Fatal(err)
			}
			n := len(word)
			for s, x := range cache.Get(patternHook(at[0])).Data[(at[1]*n+n-1)*n:][:n] {
				mean[i][(n-1)*p.Length+s] += prob * float64(x)
			}
		}
	}
	for row := range p.Rows() {
		word := p.Tokens(row)
		n := len(word)
		w := model.NewWorkspace[float32](m.Config, 1)
		var stage []float32
		w.Hook = func(x model.Tensor[float32]) {
			if x.Name == stages[1] {
				stage = slices.Clone(x.Data)
			}
			for i, at := range all {
				if x.Name == patternHook(at[0]) && (heads == nil || slices.Contains(heads, i)) {
					for d := range n {
						for s := range d + 1 {
							x.Data[(at[1]*n+d)*n+s] = float32(mean[i][d*p.Length+s])
						}
					}
				}
			}
		}
		logits := m.Forward(w, word, 1)
		for _, x := range stage[(n-1)*m.Config.DModel:] {
			rows = append(rows, float64(x))
		}
		kl = append(kl, divergence(p.NextTokens(row), logits[(n-1)*m.Config.DVocab:]))
	}
	return rows, kl
}

// crafted is a transformer of one head that brings back how much of its attention is on
// token 1, read as logits.
func crafted(t *testing.T, attend []craft.Score) *model.Transformer[float32] {
	t.Helper()
	const n = 5
	built, err := craft.Design{
		Tokens: []string{"0", "1", "2"}, Positions: craft.Numbered("position", n), NCtx: n,
		Blocks: []craft.Block{{Heads: []craft.Head{{Attend: attend, Move: []craft.Move{{From: "1", To: "share", Times: 1}}}}}},
		Logits: []craft.Move{{From: "share", To: "1", Times: 2}},
	}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return model.Convert[float32](built)
}

const craftedStage = "blocks.0.hook_resid_mid"

// Attention that does not look at tokens is its own mean.
func TestMeanOfAttentionByPosition(t *testing.T) {
	p := must(build(t, "mess3").Prefixes(t.Context(), 5))
	positions := craft.Numbered("position", 5)
	for name, attend := range map[string][]craft.Score{
		"uniform": craft.Uniform(), "offset": craft.Offset(positions, 2),
		"decaying": {{Query: craft.Always, Key: positions[1], Nats: -0.7}, {Query: positions[3], Key: positions[2], Nats: 1.5}},
	} {
		a := analyze(t, crafted(t, attend), p, Plan{Features: Stages(craftedStage), Targets: both, Keep: true, Patterns: true})
		b, err := a.AtMeanPatterns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantClose(t, name, b.Table(b.Plan.Features[0]).Data, a.Table(a.Plan.Features[0]).Data, 1e-6)
		wantClose(t, name+": KL", []float64{b.KL().Mean}, []float64{a.KL().Mean}, 1e-6)
		wantClose(t, name+": R²", []float64{reading(b, 0, 0).R2, reading(b, 0, 1).R2}, []float64{reading(a, 0, 0).R2, reading(a, 0, 1).R2}, 1e-6)
		found, err := a.TokenDependence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := found[0]; len(found) != 1 || got.Mean > 1e-7 || len(got.ByPosition) != 5 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// A head that weighs token 1 three times brings back 3k/(3k + n − k) where k of n tokens
// are 1s; with mean patterns a sum over positions of what each attends to on the average.
// The mean pattern and the distances from it are sums over words of tokens.
func TestMeanOfAttentionByToken(t *testing.T) {
	const weight = 3
	p := words(t, "mess3", process.Params{"x": 0.1, "a": 0.7}, 5)
	attention := func(word []int32) []float64 {
		list, total := make([]float64, len(word)), 0.0
		for s, z := range word {
			if list[s] = 1; z == 1 {
				list[s] = weight
			}
			total += list[s]
		}
		for s := range list {
			list[s] /= total
		}
		return list
	}
	mean, distance := make([]float64, 25), make([]float64, 5)
	for row, prob := range p.Prob {
		word := p.Tokens(row)
		for s, x := range attention(word) {
			mean[(len(word)-1)*5+s] += prob * x
		}
	}
	own, fixed := make([]float64, p.Rows()), make([]float64, p.Rows())
	for row, prob := range p.Prob {
		word := p.Tokens(row)
		d := len(word) - 1
		for s, x := range attention(word) {
			distance[d] += prob * math.Abs(x-mean[d*5+s]) / 2
			if word[s] == 1 {
				own[row] += x
				fixed[row] += mean[d*5+s]
			}
		}
	}

	targets := []Target{tableTarget("own", Table{own, 1}), tableTarget("fixed", Table{fixed, 1})}
	a := analyze(t, crafted(t, craft.Weighted(map[string]float64{"1": weight})), p, Plan{
		Features: Stages(craftedStage), Targets: targets, Keep: true, Patterns: true,
	})
	b, err := a.AtMeanPatterns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantClose(t, "mean pattern", a.Patterns[0].Mean, mean, 1e-6)
	share := func(a *Analysis) (column []float64) { // the direction that the head writes to
		for row := range p.Rows() {
			column = append(column, a.Table(a.Plan.Features[0]).Row(row)[8])
		}
		return column
	}
	wantClose(t, "as built", share(a), own, 1e-6)
	wantClose(t, "with mean patterns", share(b), fixed, 1e-6)
	for _, test := range []struct {
		a      *Analysis
		target int
		exact  bool
	}{{a, 0, true}, {a, 1, false}, {b, 0, false}, {b, 1, true}} {
		if r2 := reading(test.a, 0, test.target).R2; (r2 > 1-1e-9) != test.exact {
			t.Errorf("R² of %s is %.12f", targets[test.target].Name, r2)
		}
	}
	kl := 0.0
	for row, prob := range p.Prob {
		kl += prob * divergence(p.NextTokens(row), []float32{0, float32(2 * fixed[row]), 0}) / 5
	}
	wantClose(t, "KL with mean patterns", []float64{b.KL().Mean}, []float64{kl}, 1e-6)

	found, err := a.TokenDependence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantClose(t, "distances", found[0].ByPosition, distance, 1e-6)
	wantClose(t, "their mean", []float64{found[0].Mean}, []float64{(distance[1] + distance[2] + distance[3] + distance[4]) / 4}, 1e-6)
	if found[0].ByPosition[0] != 0 {
		t.Errorf("the attention to the only source varies by %g", found[0].ByPosition[0])
	}
}

// Distances of attention by layer and head are sums over words, in models of several
// heads; they do not depend on the number of workers, and neither do means in their
// place.
func TestTokenDependence(t *testing.T) {
	m, p := randomModel(t, models[2].config), must(build(t, "mess3").Prefixes(t.Context(), 5))
	var before []Dependence
	for _, workers := range []int{1, 3} {
		plan := Plan{Features: Stages(stages[0]), Targets: both, Patterns: true, Workers: workers}
		a := analyze(t, m, p, plan)
		found, err := a.TokenDependence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range patternsOf(m.Config) {
			want := make([]float64, p.Length)
			for row, prob := range p.Prob {
				word := p.Tokens(row)
				n := len(word)
				_, cache, err := m.RunWithCache(word, 1, patternHook(at[0]))
				if err != nil {
					t.Fatal(err)
				}
				for s, x := range cache.Get(patternHook(at[0])).Data[(at[1]*n+n-1)*n:][:n] {
					want[n-1] += prob * math.Abs(float64(x)-a.Patterns[i].Mean[(n-1)*p.Length+s]) / 2
				}
			}
			if found[i].Layer != at[0] || found[i].Head != at[1] {
				t.Errorf("pattern %d is of layer %d, head %d", i, found[i].Layer, found[i].Head)
			}
			wantClose(t, fmt.Sprint("head ", at), found[i].ByPosition, want, 1e-12)
		}
		if before != nil {
			wantSame(t, "dependence", found, before)
		}
		before = found
	}
	// One head after another is both at once, with the means that the second has then.
	plan := Plan{Features: Stages(stages[0]), Targets: both, Patterns: true}
	first, err := analyze(t, m, p, plan).AtMeanPatterns(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.AtMeanPatterns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan.Fixed = first.Patterns
	wantSame(t, "one after another", second.KLByPosition(), analyze(t, m, p, plan).KLByPosition())

	of := func(workers int) string {
		a, err := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: both, Patterns: true, Workers: workers}).AtMeanPatterns(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(reading(a, 0, 0).Score, a.KLByPosition(), a.Patterns)
	}
	if one, three := of(1), of(3); one != three {
		t.Errorf("one worker: %.300s\nthree: %.300s", one, three)
	}
}

// Two analyses made from one do not share their fixed patterns, even where its list of
// them has room for more.
func TestAtMeanPatternsLeavesItsAnalysisAlone(t *testing.T) {
	m, err := model.New[float32](model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{2}, NCtx: 3, DVocab: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := must(build(t, "golden_mean").Prefixes(t.Context(), 3))
	a := analyze(t, m, p, Plan{Patterns: true, Fixed: make([]Pattern, 0, 2)})
	first := must(a.AtMeanPatterns(t.Context(), 0))
	must(a.AtMeanPatterns(t.Context(), 1))
	if len(a.Plan.Fixed) != 0 || len(first.Plan.Fixed) != 1 || first.Plan.Fixed[0].Head != 0 {
		t.Errorf("head 0 was fixed, then head 1 in another analysis: the first has %+v, and their origin %+v",
			first.Plan.Fixed, a.Plan.Fixed)
	}
}

func TestFixedPatternsRefused(t *testing.T) {
	m, p := subject(t)
	good := analyze(t, m, p, Plan{Patterns: true}).Patterns[0]
	changed := func(change func(*Pattern)) []Pattern {
		q := good
		q.Mean = slices.Clone(good.Mean)
		change(&q)
		return []Pattern{q}
	}
	for _, test := range []struct {
		fixed []Pattern
		want  string
	}{
		{changed(func(q *Pattern) { q.Layer = 1 }), "layer 1, head 0, which the model does not have"},
		{changed(func(q *Pattern) { q.Head = -1 }), "layer 0, head -1, which the model does not have"},
		{[]Pattern{good, good}, "two patterns are fixed for layer 0, head 0"},
		{changed(func(q *Pattern) { q.T, q.Mean = 4, q.Mean[:16] }), "16 entries over 4 positions, but sequences have 5 tokens"},
		{changed(func(q *Pattern) { q.Mean[1] = 0.1 }), "has attention 0.1 from position 1 to 2"},
		{changed(func(q *Pattern) { q.Mean[5] = -0.1 }), "has attention -0.1 from position 2 to 1"},
		{changed(func(q *Pattern) { q.Mean[5] = math.NaN() }), "has attention NaN from position 2 to 1"},
		{changed(func(q *Pattern) { q.Mean[5] += 0.1 }), "rows that sum to 1.1, not 1"},
	} {
		if _, err := Analyze(t.Context(), m, p, Plan{Fixed: test.fixed}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if _, err := Analyze(t.Context(), nil, p, Plan{Fixed: []Pattern{good}}); err == nil {
		t.Error("patterns are fixed without a model")
	}
	without := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: both})
	if _, err := without.AtMeanPatterns(t.Context()); err == nil {
		t.Error("mean patterns of an analysis without patterns")
	}
	if _, err := without.TokenDependence(t.Context()); err == nil {
		t.Error("token dependence of an analysis without patterns")
	}
	fixed := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: both, Fixed: []Pattern{good}})
	if _, err := fixed.SteerEach(t.Context(), Beliefs); err == nil || !strings.Contains(err.Error(), "patterns are fixed") {
		t.Errorf("steering with fixed patterns: %v", err)
	}
}
