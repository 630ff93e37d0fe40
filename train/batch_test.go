package train

import (
	"fmt"
	"testing"

	"foretell/process"
)

// A finite training set is so many sequences, all of which come, whoever draws them; what
// is held out is none of them.
func TestFiniteTrainingSet(t *testing.T) {
	const set = 7
	c := smallConfig()
	c.Process, c.Model.NCtx = ProcessConfig{Name: "iid", Params: process.Params{"n": 4.0}}, 20
	c.Train.TrainSequences = set
	plan := mustPlan(t, c)
	one, other := newBatch(plan, 4, false), newBatch(plan, 1, false)
	seen := map[string]int{}
	for step := range 50 {
		inputs := one.draw(step, 4, 4)
		for i := range 4 {
			sequence := fmt.Sprint(inputs[i*20 : (i+1)*20])
			seen[sequence]++
			if again := fmt.Sprint(other.draw(step, 4+i, 1)); again != sequence {
				t.Fatalf("step %d, sequence %d: %s in a batch and %s alone", step, 4+i, sequence, again)
			}
		}
	}
	if len(seen) != set {
		t.Errorf("%d sequences in 200 draws, want %d", len(seen), set)
	}
	evaluator, err := newEvaluator(t.Context(), plan.test(), plan.process.(process.Process))
	if err != nil {
		t.Fatal(err)
	}
	held := evaluator.inputs
	for i := 0; i < len(held); i += 20 {
		if seen[fmt.Sprint(held[i:i+20])] > 0 {
			t.Error("a sequence of the training set is held out")
		}
	}
}
