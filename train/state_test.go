package train

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"foretell/internal/strict"
	"foretell/process"
)

// A trainer that is restored to another's state takes the same steps, with each
// optimiser; the state that it was given stays as it is.
func TestRestoreGoesOn(t *testing.T) {
	for optimizer, kinds := range map[string][]string{"adam": {"exp_avg", "exp_avg_sq"}, "sgd": {"momentum_buffer"}, "plain": nil} {
		c := smallConfig()
		switch optimizer {
		case "sgd":
			c.Train.Optimizer, c.Train.Momentum = "sgd", 0.9
		case "plain":
			c.Train.Optimizer = "sgd"
		}
		first, second := newTrainer(t, c, 2), newTrainer(t, c, 1)
		for range 7 {
			step(t, first)
		}
		s := first.State()
		if got := slices.Sorted(maps.Keys(s.Moments)); !slices.Equal(got, kinds) || s.Step != 7 {
			t.Errorf("%s: moments %q at step %d, want %q", optimizer, got, s.Step, kinds)
		}
		if err := second.Restore(s); err != nil {
			t.Fatal(err)
		}
		before := weightsHash(first.Model)
		for range 5 {
			step(t, second)
		}
		if weightsHash(first.Model) != before {
			t.Errorf("%s: steps of the restored trainer moved the other", optimizer)
		}
		for range 5 {
			step(t, first)
		}
		a, b := evaluationText(t, first)+weightsHash(first.Model), evaluationText(t, second)+weightsHash(second.Model)
		if a != b {
			t.Errorf("%s: %s, restored %s", optimizer, a, b)
		}
	}
}

// A state of another model or optimiser is an error that changes nothing.
func TestRestoreRefuses(t *testing.T) {
	trainer := newTrainer(t, smallConfig(), 1)
	step(t, trainer)
	before := weightsHash(trainer.Model)
	wide, sgd := smallConfig(), smallConfig()
	wide.Model.DMLP = 64
	sgd.Train.Optimizer = "sgd"
	mixed := trainer.State()
	mixed.Moments = newTrainer(t, wide, 1).State().Moments
	for want, s := range map[string]State{
		"train: the state has no weights":              {},
		"train: the state's weights belong to another": newTrainer(t, wide, 1).State(),
		"train: the state has no exp_avg":              newTrainer(t, sgd, 1).State(),
		"train: the state's exp_avg":                   mixed,
	} {
		if err := trainer.Restore(s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if trainer.At() != 1 || weightsHash(trainer.Model) != before {
		t.Error("the trainer has changed")
	}
}

// Train takes the steps that are left, stops when its context ends and can be called
// again.
func TestTrain(t *testing.T) {
	want := newTrainer(t, smallConfig(), 1)
	for range 40 {
		step(t, want)
	}
	trainer := newTrainer(t, smallConfig(), 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := trainer.Train(ctx); !errors.Is(err, context.Canceled) || trainer.At() != 0 {
		t.Errorf("after %d steps: %v", trainer.At(), err)
	}
	step(t, trainer)
	for range 2 { // the second finds nothing to do
		if err := trainer.Train(t.Context()); err != nil || trainer.At() != 40 {
			t.Errorf("after %d steps: %v", trainer.At(), err)
		}
	}
	if weightsHash(trainer.Model) != weightsHash(want.Model) {
		t.Error("other weights than step by step")
	}
}

func TestTrainSaysThatItDiverged(t *testing.T) {
	c := smallConfig()
	c.Train.Optimizer, c.Train.LR, c.Model.NormalizationType = "sgd", 100, "none"
	trainer := newTrainer(t, c, 1)
	if err := trainer.Train(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "train: diverged: at step ") {
		t.Errorf("after %d steps: %v", trainer.At(), err)
	}
}

// unknown is a process of a type that no catalogue has.
type unknown struct{ process.Process }

func (unknown) Name() string { return "unknown" }

// A process made in Go is learned as one that a configuration names: the bits are
// the same.
func TestTrainerOnAProcess(t *testing.T) {
	c := smallConfig()
	want := newTrainer(t, c, 1)
	p, err := process.Build("mess3", nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Process = ProcessConfig{}
	trainer, err := NewTrainer(t.Context(), c, Setup{Process: unknown{p}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	for _, trainer := range []*Trainer{want, trainer} {
		if err := trainer.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	a, b := evaluationText(t, trainer)+weightsHash(trainer.Model), evaluationText(t, want)+weightsHash(want.Model)
	if a != b || trainer.Process.Name() != "unknown" {
		t.Errorf("%s: %s, want %s", trainer.Process.Name(), a, b)
	}
}

func TestTrainerOnAProcessRefuses(t *testing.T) {
	p, err := process.Build("mess3", nil)
	if err != nil {
		t.Fatal(err)
	}
	twice, small := smallConfig(), smallConfig()
	small.Process, small.Model.DVocab = ProcessConfig{}, 2
	for want, c := range map[string]Config{
		`process is given twice: the configuration names "mess3", and the caller gives unknown; leave it out of the configuration`: twice,
		"model.d_vocab = 2 is less than the 3 tokens of unknown":                                                                   small,
	} {
		var field *strict.FieldError
		if _, err := NewTrainer(t.Context(), c, Setup{Process: unknown{p}, Workers: 1}); !errors.As(err, &field) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Moments counts the arrays of the state of each optimiser.
func TestMomentsOfEachOptimizer(t *testing.T) {
	for _, o := range []Options{
		{Optimizer: "adam", Momentum: 0.9}, {Optimizer: "adamw"}, {Optimizer: "sgd"}, {Optimizer: "sgd", Momentum: 0.9},
	} {
		if got, want := o.Moments(), len(newOptimizer(o, smallConfig().Model).moments()); got != want {
			t.Errorf("%s with momentum %v: %d, but it has %d", o.Optimizer, o.Momentum, got, want)
		}
	}
}
