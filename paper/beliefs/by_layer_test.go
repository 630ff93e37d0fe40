package beliefs

import (
	"reflect"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/model"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// told is R² from the last stage and from all side by side, and of the controls that need
// no model.
type told struct {
	trained, random, shuffled [2]float64
	nextToken, lastTokens     float64
}

// reading is that of two seeds, of which the second tells a little more, and which have
// not converged for the reasons given.
func (r told) reading(reasons [2]string) reading {
	found := reading{
		split: "held out", nextToken: r.nextToken, lastTokens: r.lastTokens, stages: []string{"first", "last", "all"},
	}
	for seed, why := range reasons {
		stages := []probe.StageScore{{}}
		for i, x := range r.trained {
			score := probe.StageScore{Random: r.random[i], Shuffled: r.shuffled[i]}
			score.R2 = x + 0.001*float64(i*seed)
			stages = append(stages, score)
		}
		found.Models = append(found.Models, claim.Seeded[[]probe.StageScore]{
			Seed: seed + 1, Unconverged: why, Found: stages,
		})
	}
	return found
}

func TestSpreadRule(t *testing.T) {
	// As expected, but for one change.
	but := func(change func(*told)) told {
		r := told{[2]float64{0.6, 0.8}, [2]float64{0.2, 0.3}, [2]float64{0.1, 0.2}, 0.3, 0.5}
		change(&r)
		return r
	}
	good := but(func(*told) {})
	flat := but(func(r *told) { r.trained[1] = 0.6 })
	spreadOf := func(bySequence, byWord told, reasons ...string) spread {
		var of [2]string
		copy(of[:], reasons)
		return spread{readings: []reading{bySequence.reading(of), byWord.reading(of)}}
	}
	both := func(bySequence, byWord told) spread { return spreadOf(bySequence, byWord) }
	resting, oneRests := spreadOf(good, good, "it rests", "it rests"), spreadOf(good, good, "", "it rests")
	one := spreadOf(good, good, "it rests")
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	cases := []claimtest.Case[spread]{
		{Name: "both", M: both(good, good), Want: claim.Holds},
		{Name: "by sequence alone", M: both(good, flat), Want: claim.Fails},
		{Name: "by word alone", M: both(flat, good), Want: claim.Holds},
		{Name: "none has converged", M: resting, Want: claim.Open},
		{Name: "one has converged", M: oneRests, Want: claim.Open},
		{Name: "the other has", M: one, Want: claim.Open},
	}
	for _, harm := range []struct {
		name   string
		change func(*told)
		want   claim.Verdict
	}{
		{"all stages tell less", func(r *told) { r.trained[1] = 0.5 }, claim.Fails},
		{"more stages tell more of nothing", func(r *told) { r.random[1] = 0.45 }, claim.Fails},
		{"more stages find more by chance", func(r *told) { r.shuffled[1] = 0.35 }, claim.Fails},
		{"more stages find as much by chance", func(r *told) { r.shuffled[1] = 0.3005 }, claim.Open},
		{"the last tokens tell more", func(r *told) { r.lastTokens = 0.61 }, claim.Differs},
		{"the next token tells more", func(r *told) { r.nextToken = 0.61 }, claim.Differs},
		{"the untrained last stage tells more", func(r *told) { r.random = [2]float64{0.61, 0.7} }, claim.Differs},
		{"chance tells more of the last stage", func(r *told) { r.shuffled = [2]float64{0.61, 0.7} }, claim.Differs},
	} {
		cases = append(cases, claimtest.Case[spread]{Name: harm.name, M: both(good, but(harm.change)), Want: harm.want})
	}
	claimtest.Rule(t, spread.judge, verdicts, cases)
	for want, bySequence := range map[claim.Answer]told{
		claim.Yes: good, claim.No: flat, claim.Undecided: but(func(r *told) { r.shuffled[1] = 0.3005 }),
	} {
		if got := both(bySequence, good).judge().Asked[0].Answer; got != want {
			t.Errorf("by sequence: %s, want %s", got, want)
		}
	}
}

// A reading of reports has the stages and the controls that it says.
func TestReadingOfReports(t *testing.T) {
	h, err := rrxor.HMM()
	if err != nil {
		t.Fatal(err)
	}
	p := must(h.Prefixes(t.Context(), 5))
	m, err := model.New[float32](model.Config{
		DModel: 8, NLayers: 1, NHeads: model.Heads{1}, DHead: 8, DMLP: 8, NCtx: 5, DVocab: p.Alphabet,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	q := probe.Question{SideBySide: true}
	reports, err := probe.ExamineEach(t.Context(), []probe.Subject{{Model: m, Seed: 1}, {Model: m, Seed: 2}}, p, q)
	if err != nil {
		t.Fatal(err)
	}
	controls := reports[0].Controls
	if of, want := controls[lastTokens].Features, probe.MarkovFeatures(p, lastTokens).Name; of != want {
		t.Errorf("the control of the last tokens is of the %s, want %s", of, want)
	}
	if of, want := controls[0].Features, probe.NextTokenFeatures(p).Name; of != want {
		t.Errorf("the control of the next token is of the %s, want %s", of, want)
	}
	models := []claim.Seeded[[]probe.StageScore]{{Seed: 1}, {Seed: 2, Unconverged: "it rests"}}
	r := newReading(stageNames(trained.Condition{Shape: trained.Shape{Layers: 1}}), models, reports)
	if r.nextToken != controls[0].R2 || r.lastTokens != controls[lastTokens].R2 {
		t.Errorf("controls %v and %v, want %+v", r.nextToken, r.lastTokens, controls)
	}
	if names := []string{"embedding", "L0 resid_mid", "L0 resid_post", sideBySide}; !slices.Equal(r.stages, names) {
		t.Fatalf("the stages %q, want %q", r.stages, names)
	}
	for i, of := range r.Models {
		if of.Seed != i+1 || of.Unconverged != models[i].Unconverged || !reflect.DeepEqual(of.Found, reports[i].Stages) {
			t.Errorf("%+v, want %+v", of, reports[i].Stages)
		}
	}
	for i, of := range map[string][]float64{
		"trained": atStage(r.BySeed, 1, ofTrained), "random": atStage(r.BySeed, 1, ofRandom),
		"shuffled": atStage(r.BySeed, 1, ofShuffled),
	} {
		a, b := reports[0].Stages[1], reports[1].Stages[1]
		want := map[string][]float64{
			"trained": {a.R2, b.R2}, "random": {a.Random, b.Random}, "shuffled": {a.Shuffled, b.Shuffled},
		}[i]
		if !slices.Equal(of, want) {
			t.Errorf("%s: %v, want %v", i, of, want)
		}
	}
	// The model is its own random initialisation at the first seed alone.
	if a, b := r.Models[0].Found[0], r.Models[1].Found[0]; a.R2 != a.Random || b.R2 == b.Random {
		t.Errorf("the embedding tells %+v and %+v", a, b)
	}
}

// must returns the value of a call that cannot fail in a test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
