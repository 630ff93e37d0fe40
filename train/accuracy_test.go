package train

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
)

// counted counts how often a model's guess comes, over sequences drawn anew, by the
// weights of positions: over all tokens, and over retrieval steps.
func counted(t *testing.T, trainer *Trainer, sequences int) (overall, retrieval float64) {
	t.Helper()
	c := trainer.Config
	n, V := c.Model.NCtx, c.Model.DVocab
	inputs, targets := make([]int32, sequences*n), make([]int32, sequences*n)
	newDrawer(trainer.Process, 99, "test/accuracy", n).draw(inputs, targets, 0, 0, sequences)
	logits := trainer.Model.Forward(model.NewWorkspace[float32](c.Model, sequences), inputs, sequences)
	marks, marked := trainer.Process.(process.Retriever)
	steps := 0.0
	for row, z := range targets {
		weight := trainer.Plan.objective.Weights[row%n] / float64(sequences)
		hit := 1.0
		for _, x := range logits[row*V : (row+1)*V] {
			if x > logits[row*V+int(z)] {
				hit = 0
			}
		}
		overall += weight * hit
		if !marked {
			continue
		}
		flags, err := marks.Retrievals(append(append([]int32(nil), inputs[row/n*n:row+1]...), z))
		if err != nil {
			t.Fatal(err)
		}
		if flags[row%n+1] {
			steps += weight
			retrieval += weight * hit
		}
	}
	return overall, retrieval / steps
}

// canRetrieve counts the held-out predictions at positions with a weight after which a
// token that the process emits would be a retrieval step.
func canRetrieve(t *testing.T, trainer *Trainer) (count int) {
	t.Helper()
	marks, ok := trainer.Process.(process.Retriever)
	if !ok {
		return 0
	}
	e := trainer.evaluator
	for row := range e.inputs {
		can := false
		for z, q := range e.next(row) {
			if q == 0 || trainer.Plan.objective.Weights[row%e.length] == 0 {
				continue
			}
			prefix := e.inputs[row/e.length*e.length : row+1]
			flags, err := marks.Retrievals(append(append([]int32(nil), prefix...), int32(z)))
			if err != nil {
				t.Fatal(err)
			}
			can = can || flags[len(flags)-1]
		}
		if can {
			count++
		}
	}
	return count
}

// The text says the ceiling and of how many steps.
func TestAccuracyText(t *testing.T) {
	share := 0.97
	e := Evaluation{Accuracy: &Accuracy{Overall: 0.5, Ceiling: 0.75, Retrieval: &share, RetrievalCount: 66}}
	const want = "; accuracy 50.0 % of at most 75.0 %, on retrieval steps 97.0 % of at most 100.0 % (66 of them)"
	if got := e.AccuracyText("; "); got != want {
		t.Errorf("%q", got)
	}
	observed := Evaluation{Accuracy: &Accuracy{Overall: 0.5, Constant: 0.25}, Observed: &Observed{}}
	if got := observed.AccuracyText("; "); got != "; accuracy 50.0 % (most frequent token: 25.0 %)" {
		t.Errorf("%q", got)
	}
}

// Accuracy is what counting gives, never above its ceiling, and in JSON under its keys.
func TestAccuracy(t *testing.T) {
	for _, p := range []ProcessConfig{
		smallBrackets,
		smallSwitching,
		{Name: "sine", Params: process.Params{"period": 7.0, "levels": 5.0}},
		{Name: "mackey_glass"},
	} {
		c := smallConfig()
		c.Process, c.Model.NCtx, c.Train.NumSteps, c.Train.EvaluateSequences = p, 10, 200, 2000
		c.Train.LossPositions, c.Train.LossWeights = []int{4, 7, 9, 10}, []float64{1, 1, 2, 1}
		trainer := newTrainer(t, c, 2)
		for range c.Train.NumSteps {
			step(t, trainer)
		}
		e := evaluate(t, trainer)
		if e.Accuracy == nil {
			t.Fatalf("%s has no accuracy", p.Name)
		}
		ceiling, err := trainer.Process.(process.Ceiler).Ceiling(t.Context(), 11)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i, w := range trainer.Plan.objective.Weights {
			want += w * ceiling.ByPosition[i+1]
		}
		if math.Abs(e.Ceiling-want) > 1e-12 || e.Overall > e.Ceiling || e.Overall < 0.1 {
			t.Errorf("%s: %+v, want a ceiling of %v", p.Name, *e.Accuracy, want)
		}
		overall, retrieval := counted(t, trainer, 4000)
		if math.Abs(e.Overall-overall) > 0.02 {
			t.Errorf("%s: accuracy %v, by counting %v", p.Name, e.Overall, overall)
		}
		if _, marked := trainer.Process.(process.Retriever); marked != (e.Retrieval != nil) {
			t.Errorf("%s: accuracy on retrieval steps %v", p.Name, e.Retrieval)
		} else if marked && math.Abs(*e.Retrieval-retrieval) > 0.04 {
			t.Errorf("%s: accuracy on retrieval steps %v, by counting %v", p.Name, *e.Retrieval, retrieval)
		}
		if want := canRetrieve(t, trainer); e.RetrievalCount != want || (want > 0) != (e.Retrieval != nil) {
			t.Errorf("%s: of %d retrieval steps, by counting %d", p.Name, e.RetrievalCount, want)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back Evaluation
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%s: %s reads back as %+v, %v", p.Name, text, back, err)
		}
		if !strings.Contains(string(text), `"accuracy":`) || strings.Contains(string(text), `"accuracy/retrieval":`) != (e.Retrieval != nil) {
			t.Errorf("%s: %s", p.Name, text)
		}
	}
}

// The optimal predictor's own guesses have the ceiling, and every retrieval step.
func TestAccuracyOfTheOptimum(t *testing.T) {
	c := smallConfig()
	c.Process, c.Model.NCtx = smallBrackets, 12
	trainer := newTrainer(t, c, 1)
	g := trainer.evaluator.guesses
	for row := range trainer.evaluator.inputs {
		logits := make([]float32, c.Model.DVocab+trainer.Config.Model.DVocab)
		for z, q := range trainer.evaluator.next(row) {
			logits[z] = float32(q)
		}
		g.judge(row, likeliest(logits))
	}
	a := g.accuracy(trainer.Plan.objective.Weights)
	if a.Overall != a.Ceiling || math.Abs(*a.Retrieval-1) > 1e-12 {
		t.Errorf("accuracy %v of %v, on retrieval steps %v", a.Overall, a.Ceiling, *a.Retrieval)
	}
}

// Accuracy is not reported of a hidden Markov model that a configuration names, nor of
// a process without a ceiling, but of one that Go code has made, and of a signal's noisy
// levels.
func TestAccuracyIsOfSignals(t *testing.T) {
	for _, p := range []ProcessConfig{
		{Name: "mess3"},
		{Name: "coin"},
		{Name: "noisy", Params: process.Params{"process": process.Spec{Name: "mess3"}}},
		{Name: "sine", Definition: process.Definition{States: []string{"A"}, Tokens: []string{"z"}, Transitions: []process.Transition{{From: "A", To: "A", Token: "z", P: 1}}}},
	} {
		c := smallConfig()
		c.Process = p
		text, err := json.Marshal(evaluate(t, newTrainer(t, c, 1)))
		if err != nil || strings.Contains(string(text), "accuracy") {
			t.Errorf("%s: %s, %v", p.Name, text, err)
		}
	}
	noisy := smallConfig()
	noisy.Process = ProcessConfig{Name: "noisy", Params: process.Params{
		"process": process.Spec{Name: "sine", Params: process.Params{"period": 3.0, "levels": 3.0}},
	}}
	if e := evaluate(t, newTrainer(t, noisy, 1)); e.Accuracy == nil || math.Abs(e.Accuracy.Ceiling-0.91) > 1e-3 {
		t.Errorf("noise keeps the levels of a sine: %+v", e.Accuracy)
	}
	made, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	c := smallConfig()
	c.Process = ProcessConfig{}
	trainer, err := NewTrainer(t.Context(), c, Setup{Process: made, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	if e := evaluate(t, trainer); e.Accuracy == nil || e.Retrieval != nil {
		t.Errorf("%+v", e)
	}
}

// The ceiling of a process with too many sequences to enumerate is a mean over the
// held-out sequences, near the exact one of the same process.
func TestSampledCeiling(t *testing.T) {
	c := smallConfig()
	c.Train.EvaluateSequences, c.Model.NCtx = 4000, 10
	p, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	c.Process = ProcessConfig{}
	trainer, err := NewTrainer(t.Context(), c, Setup{Process: p, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	exact := trainer.evaluator.guesses
	want := slices.Clone(exact.ceiling)
	trainer.evaluator.exact = false
	exact.setCeiling(t.Context(), p)
	for i, got := range exact.ceiling {
		if got == want[i] || math.Abs(got-want[i]) > 0.01 {
			t.Errorf("position %d: %v from sequences, exactly %v", i, got, want[i])
		}
	}
}
