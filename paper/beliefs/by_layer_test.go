package beliefs

import (
	"reflect"
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

func (r told) reading() reading {
	found := reading{nextToken: r.nextToken, lastTokens: r.lastTokens, stages: []stage{{}}} // the embedding
	for i := range r.trained {
		found.stages = append(found.stages, stage{
			trained: []float64{r.trained[i]}, random: []float64{r.random[i]}, shuffled: []float64{r.shuffled[i]},
		})
	}
	return found
}

func TestSpreadRule(t *testing.T) {
	// As expected, but for one change.
	but := func(change func(*told)) told {
		r := told{[2]float64{0.6, 0.8}, [2]float64{0.2, 0.4}, [2]float64{0.1, 0.5}, 0.3, 0.5}
		change(&r)
		return r
	}
	good := but(func(*told) {})
	flat := but(func(r *told) { r.trained = [2]float64{0.8, 0.8} })
	both := func(bySequence, byWord told) spread {
		return spread{readings: []reading{bySequence.reading(), byWord.reading()}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, spread.judge, verdicts, []claimtest.Case[spread]{
		{Name: "both", M: both(good, good), Want: claim.Holds},
		{Name: "by sequence alone", M: both(good, flat), Want: claim.Differs},
		{Name: "by word alone", M: both(flat, good), Want: claim.Fails},
	})
	var cases []claimtest.Case[spread]
	for _, harm := range []struct {
		name   string
		change func(*told)
	}{
		{"the last stage as much as all", func(r *told) { r.trained[0] = 0.8 }},
		{"the last tokens as much", func(r *told) { r.lastTokens = 0.6 }},
		{"the next token as much", func(r *told) { r.nextToken = 0.6 }},
		{"the untrained last stage as much", func(r *told) { r.random[0] = 0.6 }},
		{"all untrained stages as much", func(r *told) { r.random[1] = 0.8 }},
		{"chance as much in the last stage", func(r *told) { r.shuffled[0] = 0.6 }},
		{"chance as much in all stages", func(r *told) { r.shuffled[1] = 0.8 }},
	} {
		harmed := but(harm.change)
		cases = append(cases,
			claimtest.Case[spread]{Name: harm.name + ", by sequence", M: both(harmed, good), Want: claim.Fails},
			claimtest.Case[spread]{Name: harm.name + ", by word", M: both(good, harmed), Want: claim.Differs})
	}
	claimtest.Rule(t, spread.judge, nil, cases)
}

// Means over seeds decide, not one of them.
func TestSpreadIsOfMeans(t *testing.T) {
	r := reading{stages: []stage{
		{trained: []float64{0.9, 0.1}, random: []float64{0, 0.7}, shuffled: []float64{0, 0}},
		{trained: []float64{0.7, 0.5}, random: []float64{0, 0.9}, shuffled: []float64{0, 0}},
	}}
	if !r.asExpected() {
		t.Error("means of 0.5 and 0.6, beside 0.35 and 0.45, are not as expected")
	}
}

// A reading of reports has the stages and the controls that it says.
func TestReadingOfReports(t *testing.T) {
	h, err := rrxor.HMM()
	if err != nil {
		t.Fatal(err)
	}
	p := h.Prefixes(5)
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
	shape := trained.Condition{Shape: trained.Shape{Layers: 1}}
	r := newReading("", stageNames(shape), reports)
	if r.nextToken != controls[0].R2 || r.lastTokens != controls[lastTokens].R2 {
		t.Errorf("controls %v and %v, want %+v", r.nextToken, r.lastTokens, controls)
	}
	names := []string{"embedding", "L0 mid", "L0 post", sideBySide}
	if len(r.stages) != len(names) {
		t.Fatalf("%d stages, want %d", len(r.stages), len(names))
	}
	for i, st := range r.stages {
		a, b := reports[0].Stages[i], reports[1].Stages[i]
		want := stage{names[i], []float64{a.R2, b.R2}, []float64{a.Random, b.Random}, []float64{a.Shuffled, b.Shuffled}}
		if !reflect.DeepEqual(st, want) {
			t.Errorf("%+v, want %+v", st, want)
		}
	}
	// The model is its own random initialisation at the first seed alone.
	if st := r.stages[0]; st.trained[0] != st.random[0] || st.trained[1] == st.random[1] {
		t.Errorf("the embedding tells %+v", st)
	}
}
