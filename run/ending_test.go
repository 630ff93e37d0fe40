package run

import (
	"strings"
	"testing"

	"foretell/train"
)

// rowsOf are evaluations of some KL, ten steps apart.
func rowsOf(kl ...float64) []Row {
	rows := make([]Row, len(kl))
	for i, x := range kl {
		rows[i].Step, rows[i].Optimum, rows[i].GradNorm = 10*i, &train.Optimum{KL: x}, x
	}
	return rows
}

// How a run ends is told by its last tenth, where the evaluations do.
func TestEnding(t *testing.T) {
	long := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
	for name, c := range map[string]struct {
		kl        []float64
		optimizer string
		want      string
	}{
		"falls":           {append(long, 0.5, 0.44), "adam", "still falling: from step 90 to 100 the KL fell by 12 %;"},
		"settles":         {append(long, 0.5, 0.4999), "lbfgs", "from step 90 to 100 the KL changed by less than 1 %;"},
		"rises":           {append(long, 0.5, 0.6), "adam", "from step 90 to 100 the KL rose by 20 %:"},
		"rests":           {append(long, 0.5, 0.5, 0.5), "lbfgs", "at rest: no step has lowered the loss since step 90;"},
		"rests with adam": {append(long, 0.5, 0.5), "adam", "from step 90 to 100 the KL changed by less than 1 %;"},
		"few rows":        {[]float64{1, 0.5, 0.25}, "adam", "still falling: from step 10 to 20 the KL fell by 50 %;"},
		"two rows":        {[]float64{1, 0.5}, "adam", ""},
		"no row":          {nil, "adam", ""},
		"no KL":           {append(long, 0, 0), "adam", ""},
	} {
		r := &Run{Trainer: &train.Trainer{}, rows: rowsOf(c.kl...)}
		r.Config.Train.Objective, r.Config.Train.Optimizer = "exact", c.optimizer
		if got := r.Ending(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if r.Config.Train.Objective = ""; r.Ending() != "" {
			t.Errorf("%s: of samples: %q", name, r.Ending())
		}
	}
}
