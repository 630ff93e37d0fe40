package inspect

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/train"
)

// foreign is a process of a Go type that no package knows, which implements
// process.Process alone.
type foreign struct{ process.Process }

// loadedDie is a die with a memory of one roll: it shows the face before once more with
// probability 0.6, and else rolls anew.
func loadedDie(t *testing.T) foreign {
	t.Helper()
	faces := []float64{0.5, 0.3, 0.2}
	next := make([][]float64, len(faces))
	for last := range next {
		for _, p := range faces {
			next[last] = append(next[last], 0.4*p)
		}
		next[last][last] += 0.6
	}
	p, err := process.Markov(next, 1)
	if err != nil {
		t.Fatal(err)
	}
	return foreign{p}
}

// A process of another type is trained on, in memory, and the model stands beside its
// optimum: closer after training than before.
func TestAProcessOfAnotherTypeIsLearnt(t *testing.T) {
	p := loadedDie(t)
	trainer, err := train.NewTrainer(t.Context(), train.Config{
		Model: model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4},
		Train: train.Options{Seed: 1, BatchSize: 32, NumSteps: 150, LR: 1e-2, LRSchedule: "cosine"},
	}, train.Setup{Process: p, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	word := []int32{0, 2, 2}
	before, err := Predict(trainer.Model, p, word)
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Train(context.Background()); err != nil {
		t.Fatal(err)
	}
	after, err := Predict(trainer.Model, p, word)
	if err != nil {
		t.Fatal(err)
	}
	if want := 0.6 + 0.4*0.2; math.Abs(after.Optimal[2]-want) > 1e-15 || after.KL > 0.02 || after.KL > before.KL/5 {
		t.Errorf("before %+v, after %+v; want the optimum %g for the third face", before, after, want)
	}
	if e, err := trainer.Evaluate(t.Context()); err != nil || *e.GapClosed < 0.8 {
		t.Errorf("%+v, %v: less than 0.8 of the gap closed", e, err)
	}
	if _, err := Predict(trainer.Model, p, []int32{0, 3}); err == nil || !strings.Contains(err.Error(), "token 3") {
		t.Errorf("a word that cannot occur: %v", err)
	}
}

// A model of a process of another type is probed: what it reads is the next-token
// distribution, since there are no beliefs.
func TestAProcessOfAnotherTypeIsProbed(t *testing.T) {
	p, q := loadedDie(t), probe.Question{Target: probe.NextTokens, Workers: 2}
	m, err := model.New[float32](model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	words, err := q.Words(t.Context(), p, 4)
	if err != nil {
		t.Fatal(err)
	}
	report, err := probe.Examine(context.Background(), probe.Subject{Model: m, Seed: 2}, words, q)
	if err != nil {
		t.Fatal(err)
	}
	// The last token, which the first stage holds, gives the distribution of the next.
	if first := report.Stages[0]; first.R2 < 0.999 || first.Shuffled > 0.1 || len(report.Stages) != 3 || report.KL <= 0 {
		t.Errorf("%+v of %d stages", first, len(report.Stages))
	}
	if _, err := (probe.Question{}).Words(t.Context(), p, 4); !errors.Is(err, probe.ErrNoBeliefs) {
		t.Errorf("beliefs: %v", err)
	}
}
