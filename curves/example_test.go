package curves_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"foretell/curves"
	"foretell/model"
	"foretell/run"
	"foretell/train"
)

// Two runs that differ in their learning rate, side by side: the labels say so, and the
// losses share one axis.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, rate := range map[string]float64{"slow": 1e-3, "fast": 1e-2} {
		c, err := train.Config{
			Process: train.ProcessConfig{Name: "mess3"},
			Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4},
			Train:   train.Options{BatchSize: 8, NumSteps: 6, LR: rate, EvaluateEvery: 3},
		}.Resolve()
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := run.Ensure(context.Background(), filepath.Join(dir, name), c, run.Options{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	set, err := curves.Read(context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	set.Name(curves.BySettings)
	for _, r := range set.Runs {
		fmt.Printf("%s: %d evaluations of %d steps\n", r.Label, len(r.Evaluations), r.Steps)
	}
	fmt.Println("one floor:", set.SameFloor)
	// Output:
	// lr=0.01: 3 evaluations of 6 steps
	// lr=0.001: 3 evaluations of 6 steps
	// one floor: true
}
