package foretell_test

import (
	"context"
	"fmt"
	"log"

	"foretell/figure"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/train"
)

// The whole way: a process with its answer key, a model trained on it, its
// distance from the best possible, a look inside, and a picture.
func Example() {
	trainer, err := train.NewTrainer(train.Config{
		Process: train.ProcessConfig{Name: "mess3", Params: process.Params{"x": 0.05, "a": 0.85}},
		Model:   model.Config{DModel: 32, NLayers: 1, NHeads: model.Heads{1}, NCtx: 6, InitializerRange: 0.02},
		Train:   train.Options{Seed: 1, BatchSize: 64, NumSteps: 400, LR: 3e-3, LRSchedule: "cosine"},
	}, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()
	if err := trainer.Train(context.Background()); err != nil {
		log.Fatal(err)
	}
	e := trainer.Evaluate()
	fmt.Printf("best possible loss %.4f, chance %.4f; gap closed: more than 98 %%: %v\n", e.Floor, e.Chance, e.GapClosed > 0.98)

	// Every word of up to six tokens, with its probability and belief.
	words := trainer.Process.(*process.HMM).Prefixes(6)
	const stage = "blocks.0.hook_resid_post"
	inside, err := probe.Collect(trainer.Model, words, []string{stage}, 2)
	if err != nil {
		log.Fatal(err)
	}
	activations := probe.Table{Width: inside.Width, Data: inside.Stages[stage]}
	beliefs := probe.Table{Width: 3, Data: words.Beliefs}
	fit, err := probe.Regress(activations, beliefs, words.Prob, probe.SequenceFolds(words, 5, 1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("beliefs read from the residual stream, held out: R² above 0.98: %v\n", fit.HeldOut.R2 > 0.98)

	var points [][]float64
	read := fit.Predict(activations)
	for i := range read.Rows() {
		if words.Prob[i] > 0 { // of some processes not every word can occur
			points = append(points, read.Row(i))
		}
	}
	svg, err := figure.Single("Beliefs in a transformer", "The belief geometry of Mess3 as a regression reads it.", figure.Simplex{P: points}).SVG()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("an SVG of more than a kilobyte:", len(svg) > 1024)
	// Output:
	// best possible loss 0.8085, chance 1.0986; gap closed: more than 98 %: true
	// beliefs read from the residual stream, held out: R² above 0.98: true
	// an SVG of more than a kilobyte: true
}
