package run

import (
	"testing"
	"time"

	"foretell/train"
)

// A plan counts the evaluations, the checkpoints and the kept weights that a run makes.
func TestPlanCountsWhatARunMakes(t *testing.T) {
	for _, keeps := range []train.Checkpoints{{}, {Rule: "all"}, {Rule: "log"}, {Steps: []int{3, 17}}} {
		for _, steps := range []int{1, 31, 32, 40} {
			c := smallConfig()
			c.Train.NumSteps, c.Train.Checkpoints, c.Train.EvaluateEvery = max(steps, 17), keeps, 7
			if keeps.Steps == nil {
				c.Train.NumSteps = steps
			}
			plan, err := train.NewPlan(c, train.Setup{})
			if err != nil {
				t.Fatal(err)
			}
			if c, err = c.Resolve(); err != nil {
				t.Fatal(err)
			}
			s := schedule{now: c.Train}
			var evaluations, checkpoints, kept int
			for step := range c.Train.NumSteps + 1 {
				evaluations += count(s.evaluates(step))
				checkpoints += count(step > 0 && s.saves(step, time.Time{}, time.Time{}))
				kept += count(s.keeps(step))
			}
			if plan.Evaluations != evaluations || plan.Checkpoints != checkpoints || plan.KeptWeights != kept {
				t.Errorf("%d steps, checkpoints %v: %d evaluations, %d checkpoints, %d kept; planned %d, %d, %d", c.Train.NumSteps,
					keeps, evaluations, checkpoints, kept, plan.Evaluations, plan.Checkpoints, plan.KeptWeights)
			}
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
