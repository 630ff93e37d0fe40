package run_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// A model is trained in a folder. Asked for a second time it is there already, and
// so are its evaluations and the weights of the steps that were to be kept.
func Example() {
	parent, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "mess3")
	config := train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{1}, NCtx: 5},
		Train:   train.Options{Seed: 1, BatchSize: 32, NumSteps: 60, LR: 1e-2, EvaluateEvery: 20},
	}
	steps := 0
	options := run.Options{
		Snapshots: []int{30},
		OnStep:    func(int, float64) { steps++ },
	}
	for range 2 {
		trained, err := run.Ensure(context.Background(), dir, config, options)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("a model of %d steps; taken so far: %d\n", trained.Step, steps)
	}

	rows, err := run.Metrics(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		fmt.Printf("step %d: below chance: %v\n", row.Step, row.LossEval < row.Chance)
	}
	half, err := run.Snapshot(dir, 30)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the snapshot has", half.Config.Parameters(), "parameters")
	// Output:
	// a model of 60 steps; taken so far: 60
	// a model of 60 steps; taken so far: 60
	// step 0: below chance: false
	// step 20: below chance: true
	// step 40: below chance: true
	// step 60: below chance: true
	// the snapshot has 3491 parameters
}

// A hidden Markov model that Go code has made is learned in a folder. Its matrices stand
// in config.yaml, so that the folder is opened, resumed and extended as any other.
func ExampleOptions_byCode() {
	parent, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "sticky")
	sticky, err := process.New("sticky", []string{"heads", "tails"}, []string{"A", "B"}, [][][]float64{
		{{0.9, 0}, {0, 0.2}},
		{{0, 0.1}, {0.8, 0}},
	})
	if err != nil {
		log.Fatal(err)
	}
	config := train.Config{
		Model: model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 5},
		Train: train.Options{Seed: 1, BatchSize: 16, NumSteps: 40, LR: 1e-2},
	}
	ctx := context.Background()
	if _, err := run.Ensure(ctx, dir, config, run.Options{ByCode: sticky}); err != nil {
		log.Fatal(err)
	}
	longer, err := run.Extend(ctx, dir, run.Options{}, "train.num_steps=60")
	if err != nil {
		log.Fatal(err)
	}
	defer longer.Close()
	if err := longer.Train(ctx); err != nil {
		log.Fatal(err)
	}
	trained, err := run.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trained.Process.Name(), trained.Process.Tokens(), trained.Step)
	// Output:
	// sticky [heads tails] 60
}

// A signal of your own, samples in Go, is quantised and learned in a folder. Its last
// fifth is held out, and the model is judged there.
func ExampleOptions_byCodeSignal() {
	parent, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	samples := make([]float64, 500)
	for n := range samples {
		samples[n] = 20 + 5*math.Sin(float64(n)/3)
	}
	whole, err := process.NewSignal("tide", samples, 8)
	if err != nil {
		log.Fatal(err)
	}
	tide, err := whole.HoldOut(0.2)
	if err != nil {
		log.Fatal(err)
	}
	config, err := train.ParseOn(tide, "tide.yaml", []byte(`
model: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 8}
train: {seed: 1, batch_size: 16, num_steps: 40, lr: 0.01}
`))
	if err != nil {
		log.Fatal(err)
	}
	trained, err := run.Ensure(context.Background(), filepath.Join(parent, "tide"), config, run.Options{ByCode: tide})
	if err != nil {
		log.Fatal(err)
	}
	logits, err := trained.Model.Logits(tide.Record()[:8])
	if err != nil {
		log.Fatal(err)
	}
	next := model.Probabilities(logits[7*8:])
	levels := tide.Levels()
	fmt.Printf("%d steps, %d levels from %.1f to %.1f\n", trained.Step, len(next), levels[0], levels[7])
	// Output:
	// 40 steps, 8 levels from 15.0 to 25.0
}
