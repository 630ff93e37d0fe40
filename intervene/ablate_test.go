package intervene

import (
	"math"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
)

func ablate(t *testing.T, m *model.Transformer[float64], words *Words, plan Ablation) *Damage {
	t.Helper()
	found, err := Ablate(t.Context(), m, words, plan)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wordsOf(t *testing.T, length int) *Words {
	t.Helper()
	words, err := WordsOf(t.Context(), mess3(t), length)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func wantNear(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// klByPosition is a model's KL over all words of Mess3, word by word, with a hook that
// changes what it wants; hook is nil for none.
func klByPosition(
	t *testing.T, m *model.Transformer[float64], length int, hook func(prob float64, x model.Tensor[float64]),
) []float64 {
	t.Helper()
	table, err := process.Words(t.Context(), mess3(t), length)
	if err != nil {
		t.Fatal(err)
	}
	kl := make([]float64, length)
	from, to := table.Range(length)
	for row := from; row < to; row++ {
		w := model.NewWorkspace[float64](m.Config, 1)
		if hook != nil {
			w.Hook = func(x model.Tensor[float64]) { hook(table.Prob[row], x) }
		}
		logits := m.Forward(w, table.Tokens(row), 1)
		for position, at := length-1, row; position >= 0; position, at = position-1, table.Parent(at) {
			kl[position] += table.Prob[row] * model.Divergence(table.NextTokens(at), logits[position*3:][:3])
		}
	}
	return kl
}

// A head with zeros for its output is a head whose W_O is zero.
func TestZeroedHeadIsZeroWeights(t *testing.T) {
	for _, s := range subjects[:3] {
		m := newModel(t, s.config)
		for layer, heads := range m.Config.NHeads {
			for head := range heads {
				found := ablate(t, m, wordsOf(t, 4), Ablation{With: Zero, Parts: []Part{Head(layer, head)}})
				without := model.Convert[float64](m)
				weights := without.Weights.Get(strings.Replace("blocks.L.attn.W_O", "L", string(rune('0'+layer)), 1))
				n := weights.Shape[1] * weights.Shape[2]
				clear(weights.Data[head*n : (head+1)*n])
				wantNear(t, s.name+", "+found.Parts[0].Name, found.Parts[0].KLByPosition, klByPosition(t, without, 4, nil), 1e-12)
				wantNear(t, s.name, found.KLByPosition, klByPosition(t, m, 4, nil), 1e-12)
			}
		}
	}
}

// Where heads are appended, a head of the last layer with zeros for its output is one
// whose columns the unembedding does not read.
func TestZeroedAppendedHead(t *testing.T) {
	m := newModel(t, subjects[3].config)
	found := ablate(t, m, wordsOf(t, 4), Ablation{With: Zero, Parts: []Part{Head(1, 0)}})
	without := model.Convert[float64](m)
	d := m.Config.Width(1)
	clear(without.Weights.Get("unembed.W_U").Data[d*3 : 2*d*3])
	wantNear(t, "last head", found.Parts[0].KLByPosition, klByPosition(t, without, 4, nil), 1e-12)
}

// The mean of what a part adds is a sum over words by their probability, and stands in
// its place at each position.
func TestMeanAblationIsALoop(t *testing.T) {
	const length = 4
	for _, s := range subjects[:3] {
		m := newModel(t, s.config)
		for _, test := range []struct {
			part Part
			hook string
		}{
			{Attention(0), "blocks.0.hook_attn_out"}, {MLP(m.Config.NLayers - 1), "blocks.L.hook_mlp_out"},
		} {
			hook := strings.Replace(test.hook, "L", string(rune('0'+m.Config.NLayers-1)), 1)
			if m.Config.AttnOnly && strings.Contains(hook, "mlp") {
				continue
			}
			var mean []float64
			klByPosition(t, m, length, func(prob float64, x model.Tensor[float64]) {
				if x.Name != hook {
					return
				}
				if mean == nil {
					mean = make([]float64, len(x.Data))
				}
				for i, v := range x.Data {
					mean[i] += prob * v
				}
			})
			want := klByPosition(t, m, length, func(_ float64, x model.Tensor[float64]) {
				if x.Name == hook {
					copy(x.Data, mean)
				}
			})
			found := ablate(t, m, wordsOf(t, length), Ablation{With: Mean, Parts: []Part{test.part}})
			wantNear(t, s.name+", "+hook, found.Parts[0].KLByPosition, want, 1e-12)
			want = klByPosition(t, m, length, func(_ float64, x model.Tensor[float64]) {
				if n := len(mean) / length; x.Name == hook {
					copy(x.Data[2*n:3*n], mean[2*n:])
				}
			})
			found = ablate(t, m, wordsOf(t, length), Ablation{With: Mean, Parts: []Part{test.part.At(2)}})
			wantNear(t, s.name+", "+hook+" at 2", found.Parts[0].KLByPosition, want, 1e-12)
		}
	}
}

// Resampling draws other words by their probability: over many rounds the mean is that
// over all pairs of words.
func TestResampleIsAMeanOverPairs(t *testing.T) {
	const length = 2
	m := newModel(t, subjects[0].config)
	words := wordsOf(t, length)
	var want float64
	for _, word := range words.list {
		for _, donor := range words.list {
			_, cache, err := m.RunWithCache(donor.tokens, 1, "blocks.0.attn.hook_z")
			if err != nil {
				t.Fatal(err)
			}
			w := model.NewWorkspace[float64](m.Config, 1)
			w.HookNames = []string{"blocks.0.attn.hook_z"}
			w.Hook = func(x model.Tensor[float64]) { copy(x.Data, cache.Get(x.Name).Data) }
			logits := m.Forward(w, word.tokens, 1)
			for position, best := range words.optimal(word) {
				want += word.weight * donor.weight * model.Divergence(best, logits[position*3:][:3]) / length
			}
		}
	}
	mean, squares := 0.0, 0.0
	const seeds = 40
	for seed := range uint64(seeds) {
		found := ablate(t, m, words, Ablation{With: Resample, Parts: []Part{Head(0, 0)}, Seed: seed}).Parts[0]
		mean += found.KL / seeds
		squares += found.KLError * found.KLError / seeds
	}
	if e := math.Sqrt(squares / seeds); math.Abs(mean-want) > 4*e || e > 0.1*want {
		t.Errorf("KL %v ± %v over %d seeds, want %v", mean, e, seeds, want)
	}
}

// All parts together are the model without any of them; chance is above the optimum, and
// KL of sampled words is that of all within its error.
func TestDamage(t *testing.T) {
	m := newModel(t, subjects[0].config)
	words := wordsOf(t, 6)
	found := ablate(t, m, words, Ablation{With: Mean})
	if n, sampled := words.Number(); n != 729 || sampled != 0 || found.Words != 729 || len(found.Parts) != 2 {
		t.Errorf("%d words, %d sequences, %d parts", n, sampled, len(found.Parts))
	}
	if found.Parts[0].Damage < found.Parts[1].Damage || found.Parts[0].DamageError != 0 {
		t.Errorf("%+v", found.Parts)
	}
	floor, err := mess3(t).Floor(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range floor.ByPosition[1:] {
		if got, want := found.ChanceByPosition[i], floor.Chance-h; math.Abs(got-want) > 1e-9 {
			t.Errorf("chance at position %d is %v, want %v", i, got, want)
		}
	}
	together := ablate(t, m, words, Ablation{With: Zero, Parts: []Part{Together(Attention(0), MLP(0)), Embedding(2)}})
	if name := together.Parts[0].Name + together.Parts[1].Name; !strings.Contains(name, "attn_out 0, mlp_out 0") || !strings.Contains(name, "resid_pre 0 at 2") {
		t.Error(name)
	}

	long := subjects[0].config
	long.NCtx = 13
	m = newModel(t, long)
	sample := wordsOf(t, 13)
	if n, sampled := sample.Number(); sampled < 1000 || n > sampled {
		t.Errorf("%d words of %d sequences", n, sampled)
	}
	some := ablate(t, m, sample, Ablation{With: Zero})
	if e := some.Parts[0]; e.KLError <= 0 || e.DamageError <= 0 || some.KLError <= 0 || e.KLError > e.KL/10 {
		t.Errorf("%+v", some)
	}
}

// Without a process the model is scored against its own predictions over given words.
func TestAblateWithoutProcess(t *testing.T) {
	m := newModel(t, subjects[1].config)
	words, err := GivenWords(t.Context(), nil, [][]int32{{0, 1, 2}, {2, 2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range Withs() {
		found := ablate(t, m, words, Ablation{With: With(with)})
		if found.Reference != ToModel || math.Abs(found.KL) > 1e-15 || found.Chance != nil || found.Parts[0].KL <= 0 {
			t.Errorf("%s: %+v", with, found)
		}
	}
	given, err := GivenWords(t.Context(), mess3(t), [][]int32{{0, 1, 2}, {2, 2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if found := ablate(t, m, given, Ablation{With: Mean}); found.Reference != ToOptimal || found.KL <= 0 || found.Words != 2 {
		t.Errorf("%+v", found)
	}
}

func TestAblateRefused(t *testing.T) {
	m, words := newModel(t, subjects[0].config), wordsOf(t, 3)
	one, err := GivenWords(t.Context(), nil, [][]int32{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := GivenWords(t.Context(), nil, [][]int32{{0, 1}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		words *Words
		plan  Ablation
		want  string
	}{
		{words, Ablation{With: "noise"}, `cannot replace parts with "noise"; want one of [zero mean resample]`},
		{words, Ablation{With: Zero, Parts: []Part{Head(0, 1)}}, "head 0.1: head 1 is outside [0, 0]"},
		{words, Ablation{With: Zero, Parts: []Part{MLP(1)}}, "mlp_out 1: layer 1 is outside [0, 0]"},
		{words, Ablation{With: Zero, Parts: []Part{Embedding(3)}}, "position 3 is outside [0, 2]"},
		{one, Ablation{With: Resample}, "only one is given"},
		{one, Ablation{With: Mean}, "the mean of a part over one sequence is its own value"},
		{twice, Ablation{With: Mean}, "the mean of a part over one sequence is its own value"},
		{wordsOf(t, 7), Ablation{With: Zero}, "outside [1, n_ctx = 6]"},
	} {
		if _, err := Ablate(t.Context(), m, test.words, test.plan); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if _, err := GivenWords(t.Context(), nil, [][]int32{{0, 1}, {0}}); err == nil {
		t.Error("words of two lengths")
	}
	if _, err := GivenWords(t.Context(), nil, nil); err == nil {
		t.Error("no words")
	}
	if _, err := WordsOf(t.Context(), mess3(t), 0); err == nil {
		t.Error("words of no tokens")
	}
}
