package intervene

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/craft"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// subjects are models of every kind, as they are initialised.
var subjects = []struct {
	name   string
	config model.Config
}{
	{"one layer", model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, DMLP: 16, NCtx: 6, DVocab: 3}},
	{"two layers, heads of their own", model.Config{
		DModel: 8, NLayers: 2, NHeads: model.Heads{2, 3}, DHead: 4, DMLP: 12, NCtx: 5, DVocab: 3,
	}},
	{"rotary, without MLP and norm", model.Config{
		DModel: 8, NLayers: 2, NHeads: model.Heads{2}, NCtx: 5, DVocab: 3,
		AttnOnly: true, NormalizationType: "none", PositionalEmbeddingType: "rotary",
	}},
	{"concatenating", model.Config{
		Residual: "concat", NLayers: 2, NHeads: model.Heads{2, 1}, NCtx: 5, DVocab: 3, InitializerRange: 0.5,
	}},
	{"flat", model.Config{Architecture: "flat", DModel: 4, NLayers: 1, DMLP: 8, NCtx: 5, DVocab: 3}},
}

func newModel(t *testing.T, c model.Config) *model.Transformer[float64] {
	t.Helper()
	if c.InitializerRange == 0 {
		c.InitializerRange = 0.4 // so that there is something to patch
	}
	m, err := model.New[float64](c, 3)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mess3(t *testing.T) process.Process {
	t.Helper()
	p, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func patch(t *testing.T, m *model.Transformer[float64], pairs Pairs, plan Patching) *Map {
	t.Helper()
	found, err := Patch(t.Context(), m, mess3(t), pairs, plan)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	clean   = []int32{0, 2, 1, 1, 0}
	corrupt = []int32{1, 2, 0, 1, 2}
)

// A replacement by the same recovers 0, all of the residual stream recovers 1, and so
// does the last position of the last layer's: to the bit.
func TestWhatIsReplacedBySameOrByAll(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		for _, hook := range Hooks(m.Config) {
			found := patch(t, m, OnePair(clean, corrupt), Patching{Hook: hook})
			if found.Degenerate != "" || found.KLClean == found.KLCorrupt {
				t.Fatalf("%s, %s: %s", s.name, hook, found.Degenerate)
			}
			first, last := found.Rows[0], found.Rows[len(found.Rows)-1]
			if hook == "resid_pre" && (first.Recovered[1] != 0 || first.Recovered[3] != 0) {
				t.Errorf("%s: tokens that are the same recover %v", s.name, first.Recovered)
			}
			stream := hook == "resid_pre" || hook == "resid_post" || hook == "mlp_post" && m.Config.Flat()
			if whole := found.Rows[0].Whole; stream && (*whole.Recovered != 1 || whole.KL != found.KLClean) {
				t.Errorf("%s: all of %s recovers %v", s.name, hook, *whole.Recovered)
			}
			if end := len(clean) - 1; hook == "resid_post" && last.KL[end] != found.KLClean {
				t.Errorf("%s: the last position of %s has KL %v, not %v", s.name, hook, last.KL[end], found.KLClean)
			}
			for _, row := range found.Rows {
				for i, back := range append(slices.Clone(row.Recovered), *row.Whole.Recovered) {
					kl := append(slices.Clone(row.KL), row.Whole.KL)[i]
					if want := (found.KLCorrupt - kl) / (found.KLCorrupt - found.KLClean); math.Abs(back-want) > 1e-12 {
						t.Errorf("%s, %s, %s: recovered %v, want %v", s.name, hook, row.Name, back, want)
					}
				}
			}
		}
	}
}

// The clean word patched into itself is itself, to the bit, and there is nothing to
// recover.
func TestCleanIntoItself(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		for _, hook := range Hooks(m.Config) {
			found := patch(t, m, OnePair(clean, clean), Patching{Hook: hook})
			if found.KLClean != found.KLCorrupt || !strings.Contains(found.Degenerate, "equally far") {
				t.Errorf("%s, %s: %+v", s.name, hook, found)
			}
			for _, row := range found.Rows {
				for _, kl := range append(slices.Clone(row.KL), row.Whole.KL) {
					if kl != found.KLClean {
						t.Errorf("%s, %s, %s: KL %v, not %v", s.name, hook, row.Name, kl, found.KLClean)
					}
				}
				if row.Recovered != nil || row.Whole.Recovered != nil {
					t.Errorf("%s, %s: something is recovered", s.name, hook)
				}
			}
		}
	}
}

// What the first layer reads at a position is its token there: patching it is replacing
// the token.
func TestPatchedEmbeddingIsReplacedToken(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		if !slices.Contains(Hooks(m.Config), "resid_pre") {
			continue
		}
		found := patch(t, m, OnePair(clean, corrupt), Patching{Hook: "resid_pre", Scored: []int{2, 4}})
		next, err := optima(mess3(t), clean)
		if err != nil {
			t.Fatal(err)
		}
		for position := range clean {
			word := slices.Clone(corrupt)
			word[position] = clean[position]
			logits, err := m.Logits(word)
			if err != nil {
				t.Fatal(err)
			}
			want := model.Divergence(next[2], logits[2*3:3*3])/2 + model.Divergence(next[4], logits[4*3:])/2
			if got := found.Rows[0].KL[position]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s, position %d: KL %v, want %v", s.name, position, got, want)
			}
		}
	}
}

// Each site of a map is a pass of its own whose hook writes what another pass has kept.
func TestPatchEqualsDirectPasses(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		_, cache, err := m.RunWithCache(clean, 1)
		if err != nil {
			t.Fatal(err)
		}
		next, err := optima(mess3(t), clean)
		if err != nil {
			t.Fatal(err)
		}
		for _, hook := range Hooks(m.Config) {
			found := patch(t, m, OnePair(clean, corrupt), Patching{Hook: hook, Workers: 3})
			for _, row := range found.Rows {
				for position, got := range row.KL {
					logits := directly(m, cache, Site{hook, row.Layer, row.Head, position})
					want := model.Divergence(next[4], logits[4*3:])
					if math.Abs(got-want) > 1e-12 {
						t.Errorf("%s, %s, %s, position %d: KL %v, want %v", s.name, hook, row.Name, position, got, want)
					}
				}
			}
		}
	}
}

// directly runs the corrupt word with what the cache has at a site.
func directly(m *model.Transformer[float64], cache *model.Cache[float64], s Site) []float64 {
	suffix := map[string]string{
		"resid_pre": "hook_resid_pre", "resid_mid": "hook_resid_mid", "resid_post": "hook_resid_post",
		"attn_out": "hook_attn_out", "mlp_out": "hook_mlp_out", "mlp_pre": "mlp.hook_pre", "mlp_post": "mlp.hook_post",
	}[s.Hook]
	if suffix == "" {
		suffix = "attn.hook_" + s.Hook
	}
	if s.Hook == "z" && m.Config.Concatenates() {
		suffix = "hook_resid_post"
	}
	w := model.NewWorkspace[float64](m.Config, 1)
	w.Hook = func(t model.Tensor[float64]) {
		if t.Name != fmt.Sprintf("blocks.%d.%s", s.Layer, suffix) {
			return
		}
		from := cache.Get(t.Name).Data
		for i := range t.Data {
			if holds(m.Config, t.Shape, i, s) {
				t.Data[i] = from[i]
			}
		}
	}
	return slices.Clone(m.Forward(w, corrupt, 1))
}

// holds says whether number i of an activation of one word is of a site.
func holds(c model.Config, shape []int, i int, s Site) bool {
	last := shape[len(shape)-1]
	switch {
	case s.Hook == "pattern" || s.Hook == "attn_scores":
		return i/last%last == s.Position && i/last/last == s.Head
	case s.Hook == "z" && c.Concatenates():
		d := c.Width(s.Layer)
		return i/last == s.Position && i%last/d == 1+s.Head
	case len(shape) == 4:
		return i/last/shape[2] == s.Position && i/last%shape[2] == s.Head
	}
	return i/last == s.Position
}

// What is fixed is the same whatever is patched: with all of the first layer's stream
// fixed nothing but itself is left to differ.
func TestFixed(t *testing.T) {
	for _, s := range subjects[:4] {
		m := newModel(t, s.config)
		_, cache, err := m.RunWithCache(clean, 1, "blocks.0.hook_resid_pre")
		if err != nil {
			t.Fatal(err)
		}
		stream, plan := cache.Get("blocks.0.hook_resid_pre").Data, Patching{Hook: "resid_pre"}
		d := len(stream) / len(clean)
		for position := range clean {
			plan.Fixed = append(plan.Fixed, Fixed{Site{"resid_pre", 0, All, position}, stream[position*d : (position+1)*d]})
		}
		found := patch(t, m, OnePair(clean, corrupt), plan)
		own := patch(t, m, OnePair(clean, clean), Patching{Hook: "resid_pre"})
		if found.KLClean != found.KLCorrupt || math.Abs(found.KLClean-own.KLClean) > 1e-12 || found.Degenerate == "" {
			t.Errorf("%s: clean %v, corrupt %v, alone %v", s.name, found.KLClean, found.KLCorrupt, own.KLClean)
		}
	}
}

// The result does not depend on the workers, nor on how many sites share a pass.
func TestWorkers(t *testing.T) {
	m := newModel(t, subjects[1].config)
	pairs, err := PairsOf(t.Context(), mess3(t), 5, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	var before string
	for _, workers := range []int{1, 2, 5} {
		found := patch(t, m, pairs, Patching{Hook: "z", Workers: workers})
		if now := fmt.Sprintf("%+v", found.Rows[1].RecoveredError); before != "" && now != before {
			t.Errorf("%d workers: %s, not %s", workers, now, before)
		} else {
			before = now
		}
		words, err := WordsOf(t.Context(), mess3(t), 5)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Ablate(t.Context(), m, words, Ablation{With: Resample, Workers: workers}); err != nil {
			t.Fatal(err)
		}
	}
}

// Where one word alone can occur there is no pair, of few words nor of samples.
func TestPairsOfOneWord(t *testing.T) {
	always, err := process.Build("golden_mean", process.Params{"p": 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{1, 20} {
		if p, err := PairsOf(t.Context(), always, length, 10, 1); err != errOneWord {
			t.Errorf("words of %d tokens: %d pairs (%v)", length, len(p.Pairs), err)
		}
	}
	if p, err := PairsOf(t.Context(), mess3(t), 1, 6, 1); err != nil || p.Sampled || len(p.Pairs) != 6 {
		t.Errorf("three words have %d pairs (%v)", len(p.Pairs), err)
	}
}

// Over many pairs the map is a ratio of sums, and of all pairs it has no error bars.
func TestPairs(t *testing.T) {
	m := newModel(t, subjects[0].config)
	all, err := PairsOf(t.Context(), mess3(t), 2, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if all.Sampled || len(all.Pairs) != 72 {
		t.Fatalf("%d pairs, sampled: %v", len(all.Pairs), all.Sampled)
	}
	found := patch(t, m, all, Patching{Hook: "resid_pre"})
	above, below := 0.0, 0.0
	for _, pair := range all.Pairs {
		one := patch(t, m, OnePair(pair.Clean, pair.Corrupt), Patching{Hook: "resid_pre"})
		above += pair.Weight * (one.KLCorrupt - one.Rows[0].KL[0])
		below += pair.Weight * (one.KLCorrupt - one.KLClean)
	}
	if got := found.Rows[0].Recovered[0]; math.Abs(got-above/below) > 1e-12 || found.Rows[0].RecoveredError != nil {
		t.Errorf("recovered %v ± %v, want %v", got, found.Rows[0].RecoveredError, above/below)
	}
	sampled, err := PairsOf(t.Context(), mess3(t), 2, 71, 1)
	if err != nil {
		t.Fatal(err)
	}
	some := patch(t, m, sampled, Patching{Hook: "resid_pre"})
	if e := some.Rows[0].RecoveredError; !sampled.Sampled || len(sampled.Pairs) != 71 || len(e) != 2 || e[0] <= 0 ||
		math.Abs(some.Rows[0].Recovered[0]-above/below) > 4*e[0] {
		t.Errorf("%d pairs recover %v ± %v, all %v", len(sampled.Pairs), some.Rows[0].Recovered, e, above/below)
	}
	if all, some := found.Rows[0].Whole, some.Rows[0].Whole; all.RecoveredError != nil || some.RecoveredError == nil || *some.RecoveredError < 0 {
		t.Errorf("errors of the whole: %v of all pairs, %v of some", all.RecoveredError, some.RecoveredError)
	}
}

// Without a process the model is scored against its own prediction, which is 0 away.
func TestPatchWithoutProcess(t *testing.T) {
	m := newModel(t, subjects[0].config)
	found, err := Patch(t.Context(), m, nil, OnePair(clean, corrupt), Patching{Hook: "resid_post"})
	if err != nil {
		t.Fatal(err)
	}
	if found.Reference != ToModel || math.Abs(found.KLClean) > 1e-15 || found.Rows[0].KL[4] != found.KLClean {
		t.Errorf("%+v", found)
	}
}

// The first-order estimate is exact where KL is a straight line: the slope of a small
// step from the corrupt word to the clean one.
func TestAttributionIsTheSlope(t *testing.T) {
	for _, s := range subjects {
		m := newModel(t, s.config)
		for _, hook := range Hooks(m.Config) {
			found := patch(t, m, OnePair(clean, corrupt), Patching{Hook: hook, Attribution: true, Scored: []int{1, 4}})
			for _, row := range found.Rows {
				for position, got := range row.Attribution {
					const step = 1e-5
					there := stepped(t, m, Site{hook, row.Layer, row.Head, position}, step)
					back := stepped(t, m, Site{hook, row.Layer, row.Head, position}, -step)
					want := -(there - back) / (2 * step) / (found.KLCorrupt - found.KLClean)
					if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
						t.Errorf("%s, %s, %s, position %d: %v, want %v", s.name, hook, row.Name, position, got, want)
					}
				}
			}
			if r := found.Correlation; r == nil != (found.Compared < 3) || r != nil && (*r > 1 || *r < -1) {
				t.Errorf("%s, %s: correlation %v over %d sites", s.name, hook, r, found.Compared)
			}
		}
	}
}

// Sites where nothing changes are none that an estimate could be compared at: of words
// that differ at one token there is one, and no correlation.
func TestCorrelationIsOfSitesThatChange(t *testing.T) {
	m := newModel(t, subjects[0].config)
	for differ, want := range []int{1: 1, 2: 2, 3: 3, 5: 5} {
		if want == 0 {
			continue
		}
		other := slices.Clone(clean)
		for i := range differ {
			other[i] = (other[i] + 1) % 3
		}
		found := patch(t, m, OnePair(clean, other), Patching{Hook: "resid_pre", Attribution: true})
		if found.Compared != want || (found.Correlation != nil) != (want >= 3) {
			t.Errorf("%d tokens differ: correlation %v over %d sites", differ, found.Correlation, found.Compared)
		}
	}
}

// The correlation is Pearson's: 1 or −1 on a line, whatever its slope and offset,
// 5.5/√43.75 of points worked out by hand, and none where one of both is constant.
func TestCorrelationIsPearsons(t *testing.T) {
	x, none := []float64{1, 2, 3, 4}, math.NaN()
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{1, 3, 2, 5}, 5.5 / math.Sqrt(43.75)},
		{[]float64{5, 7, 9, 11}, 1},
		{[]float64{-1, -4, -7, -10}, -1},
		{[]float64{3, 3, 3, 3}, none},
	} {
		m := &Map{Rows: []MapRow{{Recovered: c.y[:1], Attribution: x[:1]}, {Recovered: c.y[1:], Attribution: x[1:]}}}
		m.correlate()
		got := none
		if m.Correlation != nil {
			got = *m.Correlation
		}
		if m.Compared != 4 || !(math.Abs(got-c.want) <= 1e-15) && !math.IsNaN(got+c.want) || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v against %v: %v over %d sites, want %v", c.y, x, got, m.Compared, c.want)
		}
	}
}

// A gap that is small beside KL itself, within its error, or the wrong way round is said.
func TestWarning(t *testing.T) {
	for _, test := range []struct {
		clean, corrupt, e float64
		want              string
	}{
		{0.01, 0.4, 0, ""},
		{0, 1e-5, 0, ""},
		{0.0224, 9.31e-05, 0, "farther from the reference on clean sequences than on corrupt ones (0.0224 and 9.31e-05 nats, 0.022 apart)"},
		{0.01, 0.01, 0, "hardly nearer to the reference on clean sequences than on corrupt ones (0.01 and 0.01 nats, 0 apart)"},
		{0.003, 0.00337, 0, "hardly nearer to the reference on clean sequences than on corrupt ones (0.003 and 0.00337 nats, 0.00037 apart)"},
		{0.01, 0.02, 0.008, "may be no nearer to the reference on clean sequences"},
	} {
		got := warning(test.clean, test.corrupt, probe.Estimate{Mean: test.corrupt - test.clean, Error: test.e})
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("KL %v and %v: %q, want %q", test.clean, test.corrupt, got, test.want)
		}
	}
	m := newModel(t, subjects[0].config)
	for _, words := range []Pairs{OnePair(clean, corrupt), OnePair(corrupt, clean)} {
		found := patch(t, m, words, Patching{Hook: "z"})
		few := found.KLCorrupt-found.KLClean < 0.25*found.KLCorrupt
		if first := found.Rows[0].Recovered[0]; first == 0 && math.Signbit(first) {
			t.Error("minus zero is recovered")
		}
		if (found.Warning != "") != few || found.Rows[0].Recovered == nil {
			t.Errorf("KL %v and %v: %q", found.KLClean, found.KLCorrupt, found.Warning)
		}
	}
}

// stepped is the mean KL at positions 1 and 4 of the corrupt word with a site a step
// nearer to what it is in the clean one.
func stepped(t *testing.T, m *model.Transformer[float64], s Site, step float64) float64 {
	t.Helper()
	_, from, err := m.RunWithCache(corrupt, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, to, err := m.RunWithCache(clean, 1)
	if err != nil {
		t.Fatal(err)
	}
	next, err := optima(mess3(t), clean)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range from.Names() {
		x, y := from.Get(name).Data, to.Get(name).Data
		for i := range x {
			if x[i] != y[i] { // masked scores are both −∞
				x[i] += step * (y[i] - x[i])
			}
		}
	}
	logits := directly(m, from, s)
	return model.Divergence(next[1], logits[3:6])/2 + model.Divergence(next[4], logits[4*3:])/2
}

func TestPatchRefused(t *testing.T) {
	m := newModel(t, subjects[1].config)
	for _, test := range []struct {
		pairs Pairs
		plan  Patching
		want  string
	}{
		{OnePair(clean, corrupt[:4]), Patching{Hook: "z"}, "the clean sequence has 5 tokens and the corrupt one 4"},
		{OnePair(nil, nil), Patching{Hook: "z"}, "a context of 0 tokens"},
		{OnePair(clean, []int32{0, 1, 2, 3, 0}), Patching{Hook: "z"}, "token 3 at position 4 is outside the alphabet"},
		{OnePair(append(clean[:5:5], 1), append(corrupt[:5:5], 1)), Patching{Hook: "z"}, "outside [1, n_ctx = 5]"},
		{Pairs{}, Patching{Hook: "z"}, "no pair of sequences is given"},
		{OnePair(clean, corrupt), Patching{Hook: "resid_mdi"}, `no hook "resid_mdi"; did you mean "resid_mid"?`},
		{OnePair(clean, corrupt), Patching{Hook: "blocks.0.hook_resid_mid"}, `without their layer; for "blocks.0.hook_resid_mid" write "resid_mid"`},
		{OnePair(clean, corrupt), Patching{Hook: "blocks.9.attn.hook_z"}, `for "blocks.9.attn.hook_z" write "z"`},
		{OnePair(clean, corrupt), Patching{Hook: "mlp.hook_post"}, `for "mlp.hook_post" write "mlp_post"`},
		{OnePair(clean, corrupt), Patching{Hook: "everything"}, "they have resid_pre, q, k, v, attn_scores"},
		{OnePair(clean, corrupt), Patching{Hook: "z", Rows: []Row{{2, 0}}}, "layer 2 is outside [0, 1]"},
		{OnePair(clean, corrupt), Patching{Hook: "z", Rows: []Row{{0, 2}}}, "head 0.2: head 2 is outside [0, 1]"},
		{OnePair(clean, corrupt), Patching{Hook: "resid_mid", Rows: []Row{{0, 0}}}, "hook resid_mid has no heads"},
		{OnePair(clean, corrupt), Patching{Hook: "z", Positions: []int{5}}, "position 5 is outside [0, 4]"},
		{OnePair(clean, corrupt), Patching{Hook: "z", Scored: []int{-1}}, "scored position -1 is outside [0, 4]"},
		{OnePair(clean, corrupt), Patching{Hook: "z", Fixed: []Fixed{{Site: Site{"pattern", 0, All, 1}}}}, "give one position and, if the hook has heads, one head"},
		{OnePair(clean, corrupt), Patching{Hook: "z", Fixed: []Fixed{{Site: Site{"pattern", 0, 1, 2}}}}, "pattern 0.1 at 2 has 3 numbers, and 0 are given"},
	} {
		if _, err := Patch(t.Context(), m, mess3(t), test.pairs, test.plan); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	induction, err := craft.Make("induction", map[string]any{"n_ctx": 8.0})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		m    *model.Transformer[float64]
		plan Patching
		want string
	}{
		{induction.Model, Patching{Hook: "z", Attribution: true}, "attribution is not available with output: probabilities"},
		{m, Patching{Hook: "z", Attribution: true, Fixed: []Fixed{{Site{"pattern", 0, 1, 0}, []float64{1}}}}, "attribution is not available with fixed activations"},
	} {
		if _, err := Patch(t.Context(), test.m, mess3(t), OnePair(clean, corrupt), test.plan); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if _, err := PairsOf(t.Context(), mess3(t), 3, 1, 1); err == nil {
		t.Error("one sampled pair")
	}
	concat := newModel(t, subjects[3].config)
	_, err = Patch(t.Context(), concat, mess3(t), OnePair(clean, corrupt), Patching{Hook: "blocks.1.hook_resid_post"})
	if err == nil || !strings.Contains(err.Error(), `write "resid_post"`) {
		t.Errorf("a full name where heads are concatenated: %v", err)
	}
	source, err := process.Build("even", nil)
	if err != nil {
		t.Fatal(err)
	}
	two := newModel(t, model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 2})
	impossible := OnePair([]int32{0, 1, 0, 0}, []int32{0, 1, 1, 0})
	if _, err := Patch(t.Context(), two, source, impossible, Patching{Hook: "z"}); err == nil || !strings.Contains(err.Error(), "the clean sequence cannot occur") {
		t.Errorf("a clean word that cannot occur: %v", err)
	}
	if _, err := Patch(t.Context(), two, mess3(t), impossible, Patching{Hook: "z"}); err == nil || !strings.Contains(err.Error(), "the process has 3 tokens, but the model has d_vocab = 2") {
		t.Errorf("a process of more tokens: %v", err)
	}
}
