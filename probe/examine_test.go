package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
	"foretell/theory"
)

// A report says of each stage what analyses of the model, of its random initialisation
// and of the words alone say, to the bit; models examined together are as they are
// alone.
func TestExamine(t *testing.T) {
	m, p := randomModel(t, models[1].config), must(build(t, "mess3").Prefixes(t.Context(), 4))
	other := randomModel(t, models[2].config)
	q := Question{Target: Constrained, SideBySide: true, Workers: 2}
	q.Convention = Convention{Positions: EachPosition, Cutoff: 1e-3}
	list, err := ExamineEach(t.Context(), []Subject{{m, 3}, {other, 4}}, p, q)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Examine(t.Context(), Subject{other, 4}, p, q)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "examined alone", *list[1], *alone)

	untrained, err := model.New[float32](m.Config, 3)
	if err != nil {
		t.Fatal(err)
	}
	hooks := m.Config.ResidualStages()
	features := append(Stages(hooks...), SideBySide("all stages", hooks), NextTokenFeatures(p))
	features = append(features, MarkovFeatures(p, 1), MarkovFeatures(p, 2), MarkovFeatures(p, 3))
	plan := Plan{Features: features, Targets: []Target{Constrained, Shuffled(Constrained)}, Convention: q.Convention}
	trained := analyze(t, m, p, plan)
	plan.Targets = plan.Targets[:1]
	random, got := analyze(t, untrained, p, plan), list[0]
	for i, s := range got.Stages {
		r, shuffled, next := reading(trained, i, 0), reading(trained, i, 1), reading(trained, len(hooks)+1, 0)
		wantSame(t, s.Stage, []float64{s.R2, s.R2Error, s.MSE, s.Random, s.Shuffled, s.NextToken},
			[]float64{r.R2, r.R2Error, r.MSE, reading(random, i, 0).R2, shuffled.R2, next.R2})
	}
	if len(got.Stages) != len(hooks)+1 || len(got.Controls) != 4 {
		t.Fatalf("%d stages, %d controls", len(got.Stages), len(got.Controls))
	}
	for i, s := range got.Controls {
		r := reading(trained, len(hooks)+1+i, 0)
		wantSame(t, s.Features, s.R2, r.R2)
		if len(s.R2Position) != p.Length {
			t.Errorf("%s: R² of %d positions", s.Features, len(s.R2Position))
		}
	}
	wantSame(t, "KL", got.KL, trained.KL().Mean)
}

// A process without hidden states has no beliefs to read, but next tokens.
func TestExamineWithoutBeliefs(t *testing.T) {
	source, err := process.Build("interleaved", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Question{}).Words(t.Context(), source, 5); !errors.Is(err, ErrNoBeliefs) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	q := Question{Target: NextTokens}
	p, err := q.Words(t.Context(), source, 5)
	if err != nil {
		t.Fatal(err)
	}
	c := models[0].config
	c.DVocab = source.Alphabet()
	m := randomModel(t, c)
	if _, err := Examine(t.Context(), Subject{m, 1}, p, Question{}); !errors.Is(err, ErrNoBeliefs) {
		t.Errorf("error %v", err)
	}
	report, err := Examine(t.Context(), Subject{m, 1}, p, q)
	if err != nil {
		t.Fatal(err)
	}
	last := report.Stages[len(report.Stages)-1]
	if last.NextToken < 1-1e-9 || !(last.R2 > last.Shuffled) || !(last.R2 < 1) || report.Target != "next" {
		t.Errorf("%+v", report)
	}
}

// A flat network, which has no heads and no residual stream, is examined at its window
// and its layers; no pattern of it can be fixed.
func TestExamineFlat(t *testing.T) {
	p := must(build(t, "mess3").Prefixes(t.Context(), 4))
	m := randomModel(t, model.Config{Architecture: "flat", DModel: 4, NLayers: 1, DMLP: 9, NCtx: 6, DVocab: 3})
	report, err := Examine(t.Context(), Subject{m, 3}, p, Question{Target: Beliefs, Steer: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Stages) != 2 || report.Stages[0].Stage != "hook_window" || report.Stages[1].Stage != "blocks.0.mlp.hook_post" {
		t.Errorf("stages %+v", report.Stages)
	}
	if r2 := report.Stages[0].R2; r2 < 0.98 { // the window has all tokens side by side, and beliefs are nearly sums over them
		t.Errorf("R² of the window is %g", r2)
	}
	_, err = Analyze(t.Context(), m, p, Plan{
		Features: Stages("hook_window"), Targets: []Target{Beliefs}, Fixed: []Pattern{{T: 4, Mean: make([]float64, 16)}},
	})
	if err == nil || !strings.Contains(err.Error(), "layer 0, head 0, which the model does not have") {
		t.Errorf("got %v", err)
	}
}

// Of a model whose heads are concatenated each stage has its own width.
func TestExamineConcatenated(t *testing.T) {
	p := must(build(t, "mess3").Prefixes(t.Context(), 4))
	m := randomModel(t, model.Config{Residual: "concat", NLayers: 2, NHeads: model.Heads{1, 2}, NCtx: 6, DVocab: 3})
	q := Question{Target: Beliefs, SideBySide: true, Steer: true, Workers: 2}
	report, err := Examine(t.Context(), Subject{m, 3}, p, q)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range report.Stages {
		names = append(names, s.Stage)
	}
	hooks := m.Config.ResidualStages()
	if want := "blocks.0.hook_resid_pre blocks.0.hook_resid_post blocks.1.hook_resid_post"; strings.Join(hooks, " ") != want {
		t.Errorf("stages %v", hooks)
	}
	if got, want := strings.Join(names, " "), strings.Join(append(hooks, "all stages"), " "); got != want {
		t.Errorf("stages %s, want %s", got, want)
	}
	a := analyze(t, m, p, Plan{Features: []Features{SideBySide("all", hooks)}, Targets: []Target{Beliefs}, Keep: true})
	kept := a.features[0].kept
	if kept.Width != 9+18+54 {
		t.Fatalf("%d columns, want those of widths 9, 18 and 54", kept.Width)
	}
	for _, row := range []int{0, p.Rows() / 2, p.Rows() - 1} {
		var word []int32
		for at := row; at >= 0; at = p.Parent(at) {
			word = append(word, int32(p.LastToken(at)))
		}
		slices.Reverse(word)
		_, cache, err := m.RunWithCache(word, 1, hooks...)
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for _, hook := range hooks {
			x := cache.Get(hook)
			for _, v := range x.Data[(len(word)-1)*x.Shape[2]:] {
				want = append(want, float64(v))
			}
		}
		if !slices.Equal(kept.Row(row), want) {
			t.Errorf("after %v: %v, want %v", word, kept.Row(row), want)
		}
	}
}

func TestExamineRefuses(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 3))
	two, err := process.Build("iid", nil)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := Question{}.Words(t.Context(), two, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		p    *process.Prefixes
		q    Question
		want string
	}{
		{p, Question{Target: NextTokens, Steer: true}, "probe: steering needs the target beliefs, not next"},
		{flat, Question{}, "the beliefs are the same after every sequence, so there is nothing to read"},
		{
			flat,
			Question{Target: NextTokens},
			"the next-token distributions are the same after every sequence, so there is nothing to read",
		},
	} {
		if _, err := Examine(t.Context(), Subject{m, 1}, test.p, test.q); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestQuestionWords(t *testing.T) {
	h := build(t, "mess3")
	for _, test := range []struct {
		c         Convention
		length    int
		rows      int // at most
		sequences bool
		want      string
	}{
		{Ours, 4, 120, false, ""},
		{Ours, 13, 1 << 18, true, ""},
		{
			Piotrowski2025, 13, 0, false, `probe: the convention "in sample, all sequences equal, all positions together, plain least squares" ` +
				"needs all sequences, and there are more than 1048576 of up to 13 tokens; give a length of at most 12",
		},
		{Ours, 1, 0, false, "probe: 3 sequences of 1 token can occur, and a held-out probe needs at least 5; use longer sequences or score in sample"},
		{Piotrowski2025, 1, 3, false, ""},
	} {
		p, err := Question{Convention: test.c}.Words(t.Context(), h, test.length)
		if err != nil || test.want != "" {
			if fmt.Sprint(err) != test.want {
				t.Errorf("length %d: got %v, want %s", test.length, err, test.want)
			}
			continue
		}
		if p.Rows() > test.rows || p.Rows() < test.rows/4 || (p.Sequences > 0) != test.sequences {
			t.Errorf("length %d: %d rows of %d sequences", test.length, p.Rows(), p.Sequences)
		}
	}
	if got := LongestWords(h, 39, 64); got != 3 {
		t.Errorf("%d tokens, want 3", got)
	}
}

func TestParseTarget(t *testing.T) {
	for _, name := range TargetNames() {
		if got, err := ParseTarget(name); err != nil || got.Name != name {
			t.Errorf("%s: %s, %v", name, got.Name, err)
		}
	}
	if _, err := ParseTarget("logits"); fmt.Sprint(err) != `"logits" is not one of beliefs, constrained, linear, next` {
		t.Errorf("error %v", err)
	}
}

// The fields that others script against, in their order.
func TestReportJSON(t *testing.T) {
	report := Report{
		Stages:  []StageScore{{FeatureScore: FeatureScore{R2Position: []Finite{0.5}}}},
		Steered: []SteeredStage{{Steered: &Steered{}}},
	}
	text, err := json.Marshal(report)
	const score = `"features":"","r2":0,"r2_error":0,"rmse":0,"mse":0,"r2_by_position":[0.5]`
	const estimate = `{"mean":0,"error":0}`
	const moved = `{"along":` + estimate + `,"random":` + estimate + `,"distance":` + estimate + `}`
	want := `{"target":"","convention":"","words":0,"kl":0,"kl_error":0,"kl_by_position":null,` +
		`"stages":[{"stage":"",` + score + `,"r2_random_init":0,"mse_random_init":0,"r2_shuffled":0,"r2_next_token":0}],` +
		`"controls":null,"steered":[{"stage":"","unchanged":` + estimate +
		`,"shortest":` + moved + `,"likeliest":` + moved + `,"spread":0}]}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v\nwant %s", text, err, want)
	}
}

// The linear target has what the process says of each word, and zeros for a word that
// cannot occur.
func TestLinearTarget(t *testing.T) {
	for _, name := range []string{"mess3", "golden_mean", "moon"} {
		h := build(t, name)
		p := must(h.Prefixes(t.Context(), 4))
		table, err := Linear.Of(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for row, prob := range p.Prob {
			want := make([]float64, p.States)
			if prob > 0 {
				if want, err = theory.Of(h).Linear(t.Context(), p.Tokens(row)); err != nil {
					t.Fatal(err)
				}
			}
			wantClose(t, fmt.Sprint(name, p.Tokens(row)), table.Row(row), want, 1e-12)
		}
	}
	coin, err := process.Build("coin", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.Words(t.Context(), coin, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Linear.Of(t.Context(), p); !errors.Is(err, ErrNoBeliefs) {
		t.Errorf("linear beliefs of a coin: %v", err)
	}
}

// must returns the value of a call that cannot fail in a test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
