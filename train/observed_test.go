package train

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// recorded returns a recording of n tokens of an alphabet, of which a share is held out.
func recorded(t *testing.T, alphabet, n int, share float64, token func(i int) int32) *process.Recording {
	t.Helper()
	names, record := make([]string, alphabet), make([]int32, n)
	for z := range names {
		names[z] = fmt.Sprint(z)
	}
	for i := range record {
		record[i] = token(i)
	}
	whole, err := process.NewRecording("tide", names, record)
	if err != nil {
		t.Fatal(err)
	}
	r, err := whole.HoldOut(share)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noise draws tokens of an alphabet, independent and equally likely.
func noise(alphabet int, seed uint64) func(int) int32 {
	s := random.New(seed, "test/noise")
	return func(int) int32 { return int32(s.IntN(alphabet)) }
}

// trainedOn returns a trainer of a small model after its steps.
func trainedOn(t *testing.T, s process.Sampler, change func(*Config)) *Trainer {
	t.Helper()
	c := smallConfig()
	c.Process, c.Model.NCtx, c.Train.EvaluateSequences = ProcessConfig{}, 8, 64
	change(&c)
	trainer, err := NewTrainer(t.Context(), c, Setup{Process: s, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	if err := trainer.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	return trainer
}

// The loss is that of the tokens that came, and chance the loss of their own frequencies,
// here by the definitions.
func TestObservedLossAndChance(t *testing.T) {
	r := recorded(t, 5, 400, 0.25, noise(5, 1))
	trainer := trainedOn(t, r, func(c *Config) { c.Train.LossPositions, c.Train.LossWeights = []int{3, 8}, []float64{1, 3} })
	e := evaluate(t, trainer)
	loss, right, count := 0.0, 0.0, make([]float64, 5)
	w := trainer.observer.judged
	for i := range w.sequences {
		inputs := w.inputs[i*8 : (i+1)*8]
		logits, err := trainer.Model.Logits(inputs)
		if err != nil {
			t.Fatal(err)
		}
		for at, weight := range map[int]float64{2: 0.25, 7: 0.75} {
			p := model.Probabilities(logits[at*5 : (at+1)*5])
			target := int(w.targets[i*8+at])
			loss -= weight / 64 * math.Log(p[target])
			count[target] += weight / 64
			if slices.Index(p, slices.Max(p)) == target {
				right += weight / 64
			}
			if at < 7 && w.inputs[i*8+at+1] != int32(target) {
				t.Fatal("a target is not the token that came")
			}
		}
	}
	chance := 0.0
	for _, p := range count {
		chance -= p * math.Log(p)
	}
	if math.Abs(e.LossEval-loss) > 1e-6 || math.Abs(e.Chance-chance) > 1e-12 || math.Abs(e.Overall-right) > 1e-12 ||
		math.Abs(e.Constant-slices.Max(count)) > 1e-12 {
		t.Errorf("%+v %+v, want loss %v, chance %v, accuracy %v", e, e.Accuracy, loss, chance, right)
	}
	if e.Optimum != nil || e.GapClosed != nil || e.KLByPosition != nil || e.Ceiling != 0 || !e.HeldOut {
		t.Errorf("an optimum that nobody knows: %+v", e)
	}
}

// What is held out does not reach the weights: recordings that differ there alone end in
// the same bits, and in different losses.
func TestHeldOutDoesNotReachTheWeights(t *testing.T) {
	train, other, held := noise(4, 1), noise(4, 2), noise(4, 3)
	token := func(last func(int) int32, repeat bool) func(int) int32 {
		return func(i int) int32 {
			switch {
			case i < 300:
				return train(i)
			case repeat:
				return 0
			}
			return last(i)
		}
	}
	first := recorded(t, 4, 400, 0.25, token(held, false))
	train = noise(4, 1)
	second := recorded(t, 4, 400, 0.25, token(other, true))
	if !slices.Equal(first.Record()[:300], second.Record()[:300]) {
		t.Fatal("the training parts differ")
	}
	a, b := trainedOn(t, first, func(*Config) {}), trainedOn(t, second, func(*Config) {})
	if a.Model.Checksum() != b.Model.Checksum() {
		t.Error("what is held out has changed the weights")
	}
	ea, eb := evaluate(t, a), evaluate(t, b)
	if ea.LossEval == eb.LossEval || *ea.LossWindows != *eb.LossWindows {
		t.Errorf("held out %v and %v, training windows %v and %v", ea.LossEval, eb.LossEval, *ea.LossWindows, *eb.LossWindows)
	}
}

// A model that memorises white noise is told to be worse than guessing on what is held
// out, and no text has a floor, a ceiling or a gap.
func TestNoiseIsNotPredicted(t *testing.T) {
	r := recorded(t, 4, 150, 0.4, noise(4, 5))
	trainer := trainedOn(t, r, func(c *Config) { c.Train.NumSteps, c.Train.LR = 400, 0.02 })
	e := evaluate(t, trainer)
	if !(*e.LossWindows < e.Chance-0.2 && e.LossEval > e.Chance) {
		t.Fatalf("held out %v, training windows %v, chance %v", e.LossEval, *e.LossWindows, e.Chance)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range append(e.Summary(), e.Row(), e.GapText("%.1f %% of the gap closed"), string(text)) {
		for _, word := range []string{"floor", "ceiling", "gap", "at most", "kl", "KL"} {
			if strings.Contains(said, word) {
				t.Errorf("%q says %q", said, word)
			}
		}
	}
	lines := e.Summary()
	if want := fmt.Sprintf("%.5f nats worse than guessing", e.LossEval-e.Chance); lines[0] != want ||
		!strings.HasPrefix(lines[1], "held-out loss ") || !strings.HasPrefix(e.Row(), "loss ") ||
		!strings.Contains(e.Row(), "  training ") {
		t.Errorf("%q and %q, want %q", lines, e.Row(), want)
	}
}

// A recorded alternation is learned: the model beats guessing on the part held out.
func TestAlternationIsPredicted(t *testing.T) {
	r := recorded(t, 2, 300, 0.2, func(i int) int32 { return int32(i % 2) })
	trainer := trainedOn(t, r, func(c *Config) { c.Train.NumSteps, c.Train.LR = 200, 0.02 })
	if e := evaluate(t, trainer); e.LossEval > 0.1*e.Chance || e.Overall < 0.99 ||
		!strings.Contains(e.Summary()[0], "better than guessing") {
		t.Errorf("%q", e.Summary())
	}
	whole := recorded(t, 2, 300, 0, func(i int) int32 { return int32(i % 2) })
	if e := evaluate(t, trainedOn(t, whole, func(*Config) {})); e.HeldOut || e.LossWindows != nil ||
		!strings.HasPrefix(e.Summary()[1], "loss on training windows ") || strings.Contains(e.Row(), "training") {
		t.Errorf("%q", e.Summary())
	}
}

// A configuration that asks for what a recording cannot give is refused in one line.
func TestRecordingConfigErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"model.n_ctx = 20 needs windows of 21 tokens, and the held-out part of tide is 20 long; lower n_ctx, use a longer " +
			"recording, or change the shares of its parts (holdout, validation)": func(c *Config) { c.Model.NCtx = 20 },
		"model.n_ctx = 90 needs windows of 91 tokens, and the training part of tide is 80 long; lower n_ctx, use a longer " +
			"recording, or change the shares of its parts (holdout, validation)": func(c *Config) { c.Model.NCtx = 90 },
		"train.objective = exact needs the optimal predictor, and the best possible prediction of tide is not known; leave it out": func(c *Config) {
			c.Train.Objective, c.Train.BatchSize = objectiveExact, 0
		},
		"train.event_weight = 2 is for retrieval steps, which tide does not have; leave it out": func(c *Config) {
			c.Train.EventWeight = 2
		},
		"train.stop needs a part of tide for validation, because the part that chooses the step cannot judge the model; " +
			"set process.params.validation, such as 0.1": func(c *Config) { c.Train.Stop = &Stop{Patience: 3} },
	} {
		c := smallConfig()
		c.Process = ProcessConfig{}
		change(&c)
		if _, err := NewTrainer(t.Context(), c, Setup{Process: recorded(t, 4, 100, 0.2, noise(4, 1)), Workers: 1}); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Before the first step the loss of training is that of the evaluation, and after it that
// of the step.
func TestObservedLossOfTrainingBeforeTheFirstStep(t *testing.T) {
	c := smallConfig()
	c.Process, c.Model.NCtx, c.Train.EvaluateSequences = ProcessConfig{}, 8, 64
	trainer, err := NewTrainer(t.Context(), c, Setup{Process: recorded(t, 3, 300, 0.2, noise(3, 5)), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	if e := evaluate(t, trainer); e.LossTrain != e.LossEval || !(e.LossEval > 0) {
		t.Errorf("step 0: the loss of training is %v, of the evaluation %v", e.LossTrain, e.LossEval)
	}
	loss := step(t, trainer)
	if e := evaluate(t, trainer); e.LossTrain != loss {
		t.Errorf("step 1: the loss of training is %v, of the step %v", e.LossTrain, loss)
	}
}
