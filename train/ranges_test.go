package train

import (
	"strings"
	"testing"
)

// Each number of a configuration can have the ends of its range, and nothing beyond them;
// an error names the number.
func TestRangesOfOptions(t *testing.T) {
	for name, test := range map[string]struct {
		with      []string // other assignments that the number needs
		good, bad []string
	}{
		"num_steps":          {good: []string{"1", "1e12"}, bad: []string{"0", "-1", "1000000000001"}},
		"train_sequences":    {good: []string{"0", "1", "1073741824"}, bad: []string{"-1", "1073741825"}},
		"batch_size":         {good: []string{"1", "1048576"}, bad: []string{"0", "-1", "1048577"}},
		"evaluate_every":     {good: []string{"1", "1e12"}, bad: []string{"0", "-1", "1000000000001"}},
		"evaluate_sequences": {good: []string{"1", "16777216"}, bad: []string{"0", "-1", "16777217"}},
		"checkpoint_every":   {good: []string{"1", "1e12"}, bad: []string{"0", "-1", "1000000000001"}},
		"checkpoint_minutes": {good: []string{"0", "1e-9", "1e6"}, bad: []string{"-1e-9", "1000000.1", ".inf"}},
		"lr":                 {good: []string{"1e-300", "100"}, bad: []string{"0", "-1e-9", "100.0001"}},
		"lr_final": {
			with: []string{"train.lr=0.5", "train.lr_schedule=linear"},
			good: []string{"0", "0.5"}, bad: []string{"-1e-9", "0.5000001"},
		},
		"warmup_steps":  {with: []string{"train.num_steps=7"}, good: []string{"0", "7"}, bad: []string{"-1", "8"}},
		"weight_decay":  {good: []string{"0", "1e6"}, bad: []string{"-1e-9", "1000001"}},
		"eps":           {good: []string{"1e-37", "1"}, bad: []string{"0", "9e-38", "1.0001", "-1"}},
		"momentum":      {with: []string{"train.optimizer=sgd"}, good: []string{"0", "1"}, bad: []string{"-1e-9", "1.0001"}},
		"max_grad_norm": {good: []string{"0", "1e12"}, bad: []string{"-1e-9", "1.0001e12"}},
		"betas": {
			good: []string{"[0, 0]", "[0.9999999, 0.9999999]"},
			bad:  []string{"[-1e-9, 0]", "[0, -1e-9]", "[1, 0.9]", "[0.9, 1]", "[0.9]", "[0.9, 0.9, 0.9]", "[]"},
		},
	} {
		try := func(value string) error {
			_, err := Parse("c.yaml", []byte(good), append(test.with, "train."+name+"="+value)...)
			return err
		}
		for _, value := range test.good {
			if err := try(value); err != nil {
				t.Errorf("%s = %s: %v", name, value, err)
			}
		}
		for _, value := range test.bad {
			if err := try(value); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s = %s: %v", name, value, err)
			}
		}
	}
}

// What is refused as 0 and what is refused as negative has one range in both messages.
func TestRangesOfZeroAreThoseOfOthers(t *testing.T) {
	for _, key := range nonzero {
		if !strings.HasPrefix(key.path, "train.") || key.path == "train.event_weight" {
			continue
		}
		for _, value := range []string{"0", "-1"} {
			_, err := Parse("c.yaml", []byte(good), key.path+"="+value)
			if err == nil || !strings.Contains(err.Error(), "= "+value+" is outside "+key.within) {
				t.Errorf("%s = %s: %v, want outside %s", key.path, value, err, key.within)
			}
		}
	}
}

// A run keeps at most ten thousand checkpoints, by a rule or a list, each step of a list
// from the first to the last, and once.
func TestMostKeptCheckpoints(t *testing.T) {
	list := func(from, to int) (steps []int) {
		for step := from; step <= to; step++ {
			steps = append(steps, step)
		}
		return steps
	}
	for what, test := range map[string]struct {
		o    Options
		fits bool
	}{
		"all":           {Options{NumSteps: 20_000, CheckpointEvery: 2, Checkpoints: Checkpoints{Rule: keepAll}}, true},
		"all and one":   {Options{NumSteps: 20_002, CheckpointEvery: 2, Checkpoints: Checkpoints{Rule: keepAll}}, false},
		"log":           {Options{NumSteps: 2_000_000_000, CheckpointEvery: 1, Checkpoints: Checkpoints{Rule: keepLog}}, true},
		"last":          {Options{NumSteps: 2_000_000_000, CheckpointEvery: 1, Checkpoints: Checkpoints{Rule: keepLast}}, true},
		"some":          {Options{NumSteps: 10, CheckpointEvery: 1, Checkpoints: Checkpoints{Rule: "some"}}, false},
		"list":          {Options{NumSteps: 20_000, Checkpoints: Checkpoints{Steps: list(1, 10_000)}}, true},
		"a long list":   {Options{NumSteps: 20_000, Checkpoints: Checkpoints{Steps: list(1, 10_001)}}, false},
		"an empty list": {Options{NumSteps: 10, Checkpoints: Checkpoints{Steps: []int{}}}, false},
		"ends":          {Options{NumSteps: 10, Checkpoints: Checkpoints{Steps: []int{10, 1}}}, true},
		"step 0":        {Options{NumSteps: 10, Checkpoints: Checkpoints{Steps: []int{0, 5}}}, false},
		"a step beyond": {Options{NumSteps: 10, Checkpoints: Checkpoints{Steps: []int{5, 11}}}, false},
		"a step twice":  {Options{NumSteps: 10, Checkpoints: Checkpoints{Steps: []int{5, 3, 5}}}, false},
	} {
		if _, err := test.o.resolveCheckpoints(); (err == nil) != test.fits {
			t.Errorf("%s: %v", what, err)
		}
	}
}
