package train

import (
	"math"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// A model is measured as a training would evaluate it, to the last bit.
func TestMeasureIsTheTrainersEvaluation(t *testing.T) {
	recording := smallConfig()
	signal := make([]float64, 300)
	for i := range signal {
		signal[i] = math.Sin(float64(i)) + math.Cos(float64(i*i))
	}
	recording.Process = ProcessConfig{Name: "recording", Params: process.Params{"signal": signal, "levels": 4.0}}
	brackets := smallConfig()
	brackets.Process, brackets.Model.NCtx = smallBrackets, 12
	for name, c := range map[string]Config{"mess3": smallConfig(), "recording": recording, "brackets": brackets} {
		trainer := newTrainer(t, c, 1)
		want, err := trainer.Evaluate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Measure(t.Context(), trainer.Model, trainer.Plan.test())
		if err != nil {
			t.Fatal(err)
		}
		if got.LossEval != want.LossEval || got.Chance != want.Chance || got.Row() != want.Row() {
			t.Errorf("%s: %s, in training %s", name, got.Row(), want.Row())
		}
		precise, err := Measure(t.Context(), model.Convert[float64](trainer.Model), trainer.Plan.test())
		if err != nil || math.Abs(precise.LossEval-want.LossEval) > 1e-6 {
			t.Errorf("%s: loss %v in float64 (%v), %v in float32", name, precise.LossEval, err, want.LossEval)
		}
		if trainer.observer == nil {
			e, means := trainer.evaluator, []float64{}
			for i := range e.sequences {
				means = append(means, stat.Mean(e.kl[i*e.length:(i+1)*e.length], nil))
			}
			want := stat.StdErr(stat.StdDev(means, nil), float64(len(means)))
			if math.Abs(got.KLError-want) > 1e-12 {
				t.Errorf("%s: standard error %v, want %v", name, got.KLError, want)
			}
		}
	}
}

// Shorter sequences, and processes of fewer tokens, are measured; longer ones and more
// tokens are errors.
func TestMeasureLimits(t *testing.T) {
	c := smallConfig()
	m := newTrainer(t, c, 1).Model
	own := newTrainer(t, c, 1).Plan.test()
	coin, err := process.IID(2)
	if err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		change func(t *Test)
		want   string
	}{
		"as it is":           {func(*Test) {}, ""},
		"one token":          {func(t *Test) { t.Length = 1 }, ""},
		"one sequence":       {func(t *Test) { t.Sequences = 1 }, ""},
		"fewer tokens":       {func(t *Test) { t.Process = coin }, ""},
		"no token":           {func(t *Test) { t.Length = 0 }, "sequences of 0 tokens, want 1 to n_ctx"},
		"a token too many":   {func(t *Test) { t.Length = c.Model.NCtx + 1 }, "want 1 to n_ctx"},
		"too many sequences": {func(t *Test) { t.Sequences = math.MaxInt }, "want fewer or shorter sequences"},
		"more tokens": {func(t *Test) {
			t.Process, _ = process.IID(4)
		}, "has 4 tokens, and the model reads 3"},
	} {
		with := own
		test.change(&with)
		got, err := Measure(t.Context(), m, with)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", what, err, test.want)
			}
			continue
		}
		if err != nil || len(got.KLByPosition) != with.Length || math.IsNaN(got.KLError) != (with.Sequences == 1) {
			t.Errorf("%s: %v, %v (%v)", what, got.KLByPosition, got.KLError, err)
		}
	}
}
