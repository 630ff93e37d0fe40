package train_test

import (
	"context"
	"fmt"

	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// A small transformer learns Mess3. What it can learn lies between chance and
// the floor: the losses of who knows nothing of the order of tokens, and of who
// knows the process.
func Example() {
	trainer, err := train.NewTrainer(context.Background(), train.Config{
		Process: train.ProcessConfig{Name: "mess3", Params: process.Params{"x": 0.05, "a": 0.85}},
		Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{1}, NCtx: 6},
		Train:   train.Options{Seed: 1, BatchSize: 64, NumSteps: 200, LR: 1e-2, LRSchedule: "cosine"},
	}, train.Setup{}) // on all processors: the result does not depend on their number
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	if err := trainer.Train(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	e, err := trainer.Evaluate(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("chance %.4f, floor %.4f nats\n", e.Chance, e.Floor)
	fmt.Printf("after %d tokens: gap closed by more than 95 %%: %v\n", e.Tokens, *e.GapClosed > 0.95)
	// Output:
	// chance 1.0986, floor 0.8085 nats
	// after 76800 tokens: gap closed by more than 95 %: true
}

// A training configuration is a strict YAML file: a mistake in it is one line
// that says what is wrong, where, and what would be right.
func ExampleParse() {
	_, err := train.Parse("run.yaml", []byte(`
process: {name: mess3}
model: {d_model: 64, n_heads: 1, n_layers: 1, n_ctx: 10}
train: {batch_size: 128, num_steps: 4000, learning_rate: 1e-4}
`))
	fmt.Println(err)
	// Output:
	// run.yaml:4:43: unknown key "learning_rate" in train; did you mean "lr"?
}
