package probe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/model"
	"foretell/process"

	"pgregory.net/rapid"
)

func analyze(t rapid.TB, m *model.Transformer[float32], p *process.Prefixes, plan Plan) *Analysis {
	t.Helper()
	a, err := Analyze(context.Background(), m, p, plan)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// studiedHere are features of each kind.
func studiedHere(p *process.Prefixes) []Features {
	return []Features{Stage(stages[0]), Stage(stages[1]), SideBySide("both", stages), NextTokenFeatures(p), MarkovFeatures(p, 2)}
}

// table returns features of every word.
func table(t rapid.TB, f Features, a *Activations) Table {
	t.Helper()
	x := Table{Width: f.width + len(f.Stages)*a.Width}
	for row := range a.Prefixes.Rows() {
		if f.row != nil {
			dst := make([]float64, x.Width)
			f.row(dst, row)
			x.Data = append(x.Data, dst...)
		}
		for _, stage := range f.Stages {
			x.Data = append(x.Data, a.Stages[stage][row*a.Width:(row+1)*a.Width]...)
		}
	}
	return x
}

// reading returns the regression of the plan's target with the second index on the
// features with the first.
func reading(a *Analysis, features, target int) *Reading {
	return a.Regress(a.Plan.Targets[target], a.Plan.Features[features])
}

// both are the targets of an HMM, and their tables.
var both = []Target{Beliefs, Constrained}

func beliefs(p *process.Prefixes) []Table {
	return []Table{{Width: p.States, Data: p.Beliefs}, {Width: p.States, Data: p.Constrained}}
}

// From moments alone come the regressions, the scores and the principal components of
// the activations of all words, for whatever model, process and length.
func TestAnalyzeEqualsRegress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(models).Draw(t, "model").config
		m, err := model.New[float32](c, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		h, err := process.Build(rapid.SampledFrom([]string{"mess3", "sns", "rrxor"}).Draw(t, "process"), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := must(h.(*process.HMM).Prefixes(t.Context(), 5))
		features, targets := studiedHere(p), beliefs(p)
		got := analyze(t, m, p, Plan{Features: features, Targets: both, Workers: 2})
		a, err := Collect(m, p, stages, 2)
		if err != nil {
			t.Fatal(err)
		}
		for f, x := range features {
			x := table(t, x, a)
			for i, y := range targets {
				want, err := Regress(x, y, p.Prob, SequenceFolds(p, foldCount, foldSeed))
				if err != nil {
					t.Fatal(err)
				}
				r := reading(got, f, i)
				what := fmt.Sprintf("%s, target %d", features[f].Name, i)
				wantClose(t, what+": R²", []float64{1, r.R2}, []float64{1, want.HeldOut.R2}, 1e-8)
				variance := want.HeldOut.MSE / (1 - want.HeldOut.R2)
				wantClose(t, what+": MSE of the variance", []float64{1, r.MSE / variance}, []float64{1, want.HeldOut.MSE / variance}, 1e-8)
				wantClose(t, what+": predictions", occurring(p, r.Fits[0].Predict(x)), occurring(p, want.Predict(x)), 1e-7)
			}
			components, err := PrincipalComponents(x, p.Prob)
			if err != nil {
				t.Fatal(err)
			}
			wantClose(t, features[f].Name+": variances", got.Principal(got.Plan.Features[f]).Variance, components.Variance, 1e-9)
			wantClose(t, features[f].Name+": mean", got.Principal(got.Plan.Features[f]).Mean, components.Mean, 1e-9)
		}
		for position, kl := range a.KLByPosition() {
			if estimate := got.KLByPosition()[position]; math.Abs(estimate.Mean-kl) > 1e-12 || estimate.Error != 0 {
				t.Errorf("KL at position %d is %v, want %v without an error", position+1, estimate, kl)
			}
		}
	})
}

// occurring returns the rows of the words that can occur; what a fit makes of others is
// extrapolated.
func occurring(p *process.Prefixes, t Table) (data []float64) {
	return slices.Concat(t.Occurring(p)...)
}

// The workers take the groups as they come; the result is the same to the bit.
func TestAnalyzeDoesNotDependOnTheWorkers(t *testing.T) {
	m, p := randomModel(t, models[2].config), must(build(t, "mess3").Prefixes(t.Context(), 7))
	want := analyze(t, m, p, Plan{Features: studiedHere(p), Targets: both, Workers: 1})
	for _, workers := range []int{0, 2, 3, 50} {
		got := analyze(t, m, p, Plan{Features: studiedHere(p), Targets: both, Workers: workers})
		for f := range studiedHere(p) {
			if fmt.Sprint(reading(got, f, 1)) != fmt.Sprint(reading(want, f, 1)) || !slices.Equal(got.Principal(got.Plan.Features[f]).Components.Data, want.Principal(want.Plan.Features[f]).Components.Data) {
				t.Errorf("%d workers give another result than one for %s", workers, studiedHere(p)[f].Name)
			}
		}
		if got.KL() != want.KL() {
			t.Errorf("%d workers give another KL than one", workers)
		}
	}
}

func TestAnalyzeRefuses(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 3))
	broken := randomModel(t, models[0].config)
	broken.Weights.Get("pos_embed.W_pos").Data[0] = float32(math.Inf(1))
	sampled, err := SampleWords(t.Context(), build(t, "mess3"), 3, 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx      context.Context
		model    *model.Transformer[float32]
		prefixes *process.Prefixes
		feature  Features
		c        Convention
		want     string
	}{
		{t.Context(), m, must(build(t, "mess3").Prefixes(t.Context(), 6)), Stage(stages[0]), Ours, "probe: sequences of 6 tokens do not fit n_ctx = 5"},
		{t.Context(), m, p, Stage("blocks.0.mlp.hook_pre"), Ours, "probe: blocks.0.mlp.hook_pre is not an activation of width d_model = 6: its shape is [1 1 9] for one token"},
		{t.Context(), broken, p, Stage(stages[0]), Ours, "probe: column 0 of blocks.0.hook_resid_mid holds numbers that are not finite"},
		{t.Context(), m, p, MarkovFeatures(p, 8), Ours, "probe: the moments of these features need 10.8 GiB; the limit is 2 GiB: use fewer stages, positions or workers"},
		{t.Context(), m, sampled, Stage(stages[0]), Piotrowski2025, `probe: the convention "in sample, all sequences equal, all positions together, plain least squares" needs all sequences, not 40 sampled ones`},
		{done, m, p, Stage(stages[0]), Ours, "context canceled"},
	} {
		_, err := Analyze(test.ctx, test.model, test.prefixes, Plan{Features: []Features{test.feature}, Targets: both, Convention: test.c, Workers: 2})
		if fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// Features and targets are named in calls, so a plan has no name twice, and a name that
// the plan does not have is a mistake of the caller.
func TestNamesOfThePlan(t *testing.T) {
	m, p := randomModel(t, models[0].config), must(build(t, "mess3").Prefixes(t.Context(), 3))
	_, err := Analyze(t.Context(), m, p, Plan{Features: Stages(stages[0], stages[1], stages[0]), Targets: both})
	if want := `probe: two features of the plan have the name "blocks.0.hook_resid_mid"`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = Analyze(t.Context(), m, p, Plan{Features: Stages(stages[0]), Targets: []Target{Beliefs, Beliefs}})
	if want := `probe: two targets of the plan have the name "beliefs"`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	a := analyze(t, m, p, Plan{Features: Stages(stages[0]), Targets: []Target{Beliefs}})
	wantPanic(t, "another stage", func() { a.Regress(Beliefs, Stage(stages[1])) })
	wantPanic(t, "another target", func() { a.Regress(Constrained, Stage(stages[0])) })
}
