package train

import (
	"slices"
	"testing"
)

// Which steps are kept by each rule, whatever the order of a list.
func TestKeeps(t *testing.T) {
	for _, test := range []struct {
		line string
		want []int
	}{
		{"  checkpoints: last", nil},
		{"  checkpoints: all", []int{8, 16, 24, 32, 40}},
		{"  checkpoints: log", []int{1, 2, 4, 8, 16, 32, 40}},
		{"  checkpoints: [30, 1, 40]", []int{1, 30, 40}},
	} {
		c, err := Parse("c.yaml", []byte(with(test.line)))
		if err != nil {
			t.Fatal(err)
		}
		var kept []int
		for step := range c.Train.NumSteps + 20 {
			if c.Train.Keeps(step) {
				kept = append(kept, step)
			}
		}
		if !slices.Equal(kept, test.want) {
			t.Errorf("%s keeps %v, want %v", test.line, kept, test.want)
		}
	}
}

// A run keeps up to 10,000 checkpoints, listed or by the rule all, and not one more.
func TestMostKept(t *testing.T) {
	steps := make([]int, mostKept+1)
	for i := range steps {
		steps[i] = i + 1
	}
	for _, keep := range []Checkpoints{{Rule: keepAll}, {Steps: steps}} {
		for n, good := range map[int]bool{mostKept: true, mostKept + 1: false} {
			c := smallConfig()
			c.Train.NumSteps, c.Train.CheckpointEvery, c.Train.Checkpoints = n, 1, keep
			if keep.Rule == "" {
				c.Train.Checkpoints.Steps = steps[:n]
			}
			if _, err := c.Resolve(); (err == nil) != good {
				t.Errorf("%d checkpoints by %q: %v", n, keep.Rule, err)
			}
		}
	}
}
