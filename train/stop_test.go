package train

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/process"

	"pgregory.net/rapid"
)

// follow gives a rule the losses of evaluations 0, 1, … until it ends, and returns the
// best evaluation and the last.
func follow(rule Stop, losses []float64) (best, last int) {
	b := Best{Last: -1}
	for i, loss := range losses {
		b.after(rule, i, loss)
		if b.ends(rule) {
			break
		}
	}
	return b.Step, b.Last
}

func TestStopRule(t *testing.T) {
	for _, test := range []struct {
		rule       Stop
		losses     []float64
		best, last int
	}{
		{Stop{1, 0}, []float64{3, 2, 1, 0}, 3, 3},
		{Stop{1, 0}, []float64{3, 2, 2, 0}, 1, 2}, // equal is not better
		{Stop{1, 0}, []float64{3, 4, 0}, 0, 1},    // the model before any step
		{Stop{2, 0}, []float64{3, 2, 2.5, 1, 2, 2, 0}, 3, 5},
		{Stop{3, 0}, []float64{3, 2, 2.5, 2.5}, 1, 3},
		{Stop{2, 0.5}, []float64{3, 2.6, 2.5, 2}, 0, 2}, // lower by 0.5 is not lower by more
		{Stop{2, 0.5}, []float64{3, 2.6, 2.4, 2.3, 2, 1}, 2, 4},
		{Stop{9, 0}, []float64{1}, 0, 0},
		{Stop{1, 0}, []float64{-1, -2, -2}, 1, 2}, // a loss of 0 is nothing special
	} {
		if best, last := follow(test.rule, test.losses); best != test.best || last != test.last {
			t.Errorf("%+v of %v: best %d, last %d, want %d, %d", test.rule, test.losses, best, last, test.best, test.last)
		}
	}
}

// The rule ends where its definition does; the best loss exceeds the least one by at most
// the gain; and evaluating a step again changes nothing.
func TestStopRuleIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := Stop{rapid.IntRange(1, 6).Draw(t, "patience"), float64(rapid.IntRange(0, 3).Draw(t, "gain"))}
		var losses []float64
		for _, x := range rapid.SliceOfN(rapid.IntRange(0, 12), 1, 40).Draw(t, "losses") {
			losses = append(losses, float64(x))
		}
		best, last := follow(rule, losses)
		seen := losses[:last+1]
		if least := slices.Min(seen); losses[best] > least+rule.Gain || rule.Gain == 0 && best != slices.Index(seen, least) {
			t.Fatalf("best %d of %v", best, seen)
		}
		if last < len(losses)-1 && last-best != rule.Patience || last-best > rule.Patience {
			t.Fatalf("best %d, last %d with patience %d", best, last, rule.Patience)
		}
		for k := rule.Patience; rule.Gain == 0 && k <= last; k++ {
			early := slices.Min(losses[k-rule.Patience+1:k+1]) >= slices.Min(losses[:k-rule.Patience+1])
			if early != (k == last && last-best == rule.Patience) {
				t.Fatalf("the last %d of %v: ends %v", rule.Patience, losses[:k+1], early)
			}
		}
		b := Best{Last: -1}
		for i, loss := range seen {
			b.after(rule, i, loss)
			again := b
			if again.after(rule, i, loss) || again.after(rule, i/2, -9) || !reflect.DeepEqual(again, b) {
				t.Fatalf("a step again: %+v after %+v", again, b)
			}
		}
	})
}

// overfits returns a configuration that learns a few sequences by heart.
func overfits() Config {
	c := smallConfig()
	c.Train.TrainSequences, c.Train.NumSteps, c.Train.Stop = 6, 200, &Stop{Patience: 3}
	return c
}

// stopped trains in memory, and returns the trainer with the trained model's step.
func stopped(t *testing.T, c Config, s Setup) (*Trainer, int) {
	t.Helper()
	trainer, err := NewTrainer(t.Context(), c, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	if err := trainer.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, step, err := trainer.Result()
	if err != nil {
		t.Fatal(err)
	}
	return trainer, step
}

// resultHash is the hash of a trainer's result.
func resultHash(t *testing.T, trainer *Trainer) string {
	t.Helper()
	m, _, err := trainer.Result()
	if err != nil {
		t.Fatal(err)
	}
	return weightsHash(m)
}

// A training that overfits stops, and its model is that of the least loss, to the bit:
// the one of a training with that number of steps. The number of workers does not matter.
func TestStopsWhenItOverfits(t *testing.T) {
	c := overfits()
	trainer, best := stopped(t, c, Setup{Workers: 1})
	if end := trainer.At(); !trainer.Stopped() || best == 0 || end != best+3*c.Train.EvaluateEvery || end >= c.Train.NumSteps {
		t.Fatalf("best step %d, last step %d", best, trainer.At())
	}
	other, otherBest := stopped(t, c, Setup{Workers: 3})
	if otherBest != best || other.At() != trainer.At() || resultHash(t, other) != resultHash(t, trainer) ||
		weightsHash(other.Model) != weightsHash(trainer.Model) {
		t.Errorf("3 workers: best step %d of %d, one worker: %d of %d", otherBest, other.At(), best, trainer.At())
	}
	c.Train.Stop, c.Train.NumSteps = nil, best
	plain, _ := stopped(t, c, Setup{Workers: 2})
	if weightsHash(plain.Model) != resultHash(t, trainer) || resultHash(t, plain) != weightsHash(plain.Model) {
		t.Error("the model is not that of the best step")
	}
	loss := evaluate(t, plain).LossEval
	for step(t, plain); plain.At() <= trainer.At(); step(t, plain) {
		if plain.At()%5 == 0 && evaluate(t, plain).LossEval < loss {
			t.Errorf("the loss of step %d is less than that of step %d", plain.At(), best)
		}
	}
}

// A rule that never ends the training still chooses its model. The exact objective and
// L-BFGS, which may rest, have it, too.
func TestStopWithOtherObjectives(t *testing.T) {
	c := overfits()
	c.Train.Stop, c.Train.NumSteps = &Stop{Patience: 1000}, 60
	trainer, best := stopped(t, c, Setup{Workers: 2})
	if trainer.At() != 60 || trainer.Stopped() || best == 60 {
		t.Errorf("best step %d of %d", best, trainer.At())
	}
	for _, optimizer := range []string{"adam", "lbfgs"} {
		c := smallConfig()
		c.Model.NCtx, c.Model.DModel, c.Model.NHeads, c.Model.DMLP = 2, 2, []int{1}, 2
		c.Train = Options{
			Seed: 1, Objective: "exact", Optimizer: optimizer, LR: 0.5, NumSteps: 3000, EvaluateEvery: 1,
			Stop: &Stop{Patience: 4},
		}
		trainer, best := stopped(t, c, Setup{Workers: 1})
		if !trainer.Stopped() || trainer.At() != best+4 {
			t.Errorf("%s: best step %d of %d", optimizer, best, trainer.At())
		}
	}
}

// partsOf returns a recording of the tokens of three parts.
func partsOf(t *testing.T, train, validation, held []int32) *process.Recording {
	t.Helper()
	all := slices.Concat(train, validation, held)
	n := float64(len(all))
	r := recorded(t, 4, len(all), float64(len(held))/n, func(i int) int32 { return all[i] })
	r, err := r.WithValidation(float64(len(validation)) / n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tokens returns n tokens of noise.
func tokens(n int, seed uint64) []int32 {
	list, next := make([]int32, n), noise(4, seed)
	for i := range list {
		list[i] = next(i)
	}
	return list
}

// On a recording the part for validation alone chooses the step: another held-out part
// changes nothing, and another part for validation the choice alone. Its loss is the one
// that it would have as the held-out part.
func TestStopOnARecording(t *testing.T) {
	first, kept, held := tokens(60, 1), tokens(80, 2), tokens(50, 3)
	c := smallConfig()
	c.Process, c.Model.NCtx = ProcessConfig{}, 8
	c.Train.NumSteps, c.Train.Stop, c.Train.LR = 200, &Stop{Patience: 4}, 5e-3
	trained := func(train, validation, held []int32) (*Trainer, int) {
		return stopped(t, c, Setup{Process: partsOf(t, train, validation, held), Workers: 2})
	}
	a, best := trained(first, kept, held)
	if !a.Stopped() || a.At() != best+20 {
		t.Fatalf("best step %d of %d", best, a.At())
	}
	b, otherBest := trained(first, kept, tokens(50, 4))
	if otherBest != best || b.At() != a.At() || resultHash(t, a) != resultHash(t, b) {
		t.Errorf("another held-out part: best step %d of %d, want %d of %d", otherBest, b.At(), best, a.At())
	}
	ea, eb := evaluate(t, a), evaluate(t, b)
	if ea.LossEval == eb.LossEval || *ea.LossValidation != *eb.LossValidation || ea.StopLoss() != *ea.LossValidation {
		t.Errorf("held out %v and %v, validation %v and %v", ea.LossEval, eb.LossEval, *ea.LossValidation, *eb.LossValidation)
	}
	if row := ea.Row(); !strings.Contains(row, fmt.Sprintf("  validation %.5f  chance ", *ea.LossValidation)) || len(row) > 68 {
		t.Errorf("%q", row)
	}
	if line := ea.Summary()[1]; !strings.Contains(line, fmt.Sprintf(", on validation %.5f, chance", *ea.LossValidation)) {
		t.Errorf("%q", line)
	}
	learned, _ := trained(first, first, held) // of which the loss falls
	if learned.At() == a.At() {
		t.Error("another part for validation stops at the same step")
	}
	swapped, _ := trained(first, kept, kept)
	if e := evaluate(t, swapped); e.LossEval != *e.LossValidation {
		t.Errorf("the same part has the loss %v held out, %v for validation", e.LossEval, *e.LossValidation)
	}
}

// The plan says how training may stop, and that its numbers are upper bounds.
func TestStopInThePlan(t *testing.T) {
	for want, rule := range map[string]*Stop{
		"early, when 3 evaluations in a row are not better than the best one;at step 15 at the earliest":                                  {Patience: 3},
		"early, when an evaluation is not better by more than 0.01 nats than the best one;at step 5 at the earliest":                      {1, 0.01},
		"early, when 8 evaluations in a row are not better than the best one;never before the last step, since 8 evaluations take longer": {Patience: 8},
	} {
		c := smallConfig()
		c.Train.Stop = rule
		plan, err := NewPlan(c, Setup{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		plan.Print(&text)
		for _, line := range append(strings.Split(want, ";"), "steps\tat most 40, each on", "in all\tat most 960 sequences", "the model is from the best evaluation") {
			if !strings.Contains(text.String(), line) {
				t.Errorf("the plan has no %q:\n%s", line, &text)
			}
		}
		c.Train.Stop = nil
		without, err := NewPlan(c, Setup{Workers: 1})
		if more := plan.Bytes - without.Bytes; err != nil || more != float64(4*plan.Parameters) {
			t.Errorf("%v, %v more bytes for %d parameters", err, more, plan.Parameters)
		}
	}
}

// A state carries the best evaluation: a trainer restored to it chooses as the first
// does.
func TestRestoredTrainerStopsAlike(t *testing.T) {
	c := overfits()
	want, best := stopped(t, c, Setup{Workers: 1})
	first, second := newTrainer(t, c, 1), newTrainer(t, c, 2)
	for first.At() < best+7 {
		if err := first.evaluateToStop(t.Context()); err != nil {
			t.Fatal(err)
		}
		step(t, first)
	}
	if err := second.Restore(first.State()); err != nil {
		t.Fatal(err)
	}
	if err := second.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second.At() != want.At() || resultHash(t, second) != resultHash(t, want) || first.At() != best+7 {
		t.Errorf("restored, it ends at step %d, else at %d", second.At(), want.At())
	}
	s := first.State()
	s.Best = &Best{Weights: nil}
	if err := second.Restore(s); fmt.Sprint(err) != "train: the state has no best evaluation's weights" || second.At() != want.At() {
		t.Errorf("%v", err)
	}
	if err := second.Restore(newTrainer(t, c, 1).State()); err != nil || second.State().Best != nil || second.Stopped() {
		t.Errorf("%v: the beginning has a best evaluation", err)
	}
}

// A part for validation that has no window is named.
func TestValidationPartTooShort(t *testing.T) {
	c := smallConfig()
	c.Process, c.Model.NCtx, c.Train.Stop = ProcessConfig{}, 8, &Stop{Patience: 1}
	const want = "model.n_ctx = 8 needs windows of 9 tokens, and the validation part of tide is 5 long; lower n_ctx, " +
		"use a longer recording, or change the shares of its parts (holdout, validation)"
	_, err := NewTrainer(t.Context(), c, Setup{Process: partsOf(t, tokens(75, 1), tokens(5, 2), tokens(20, 3)), Workers: 1})
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
