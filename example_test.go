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
	ctx := context.Background()
	mess3, err := process.Mess3(0.05, 0.85)
	if err != nil {
		log.Fatal(err)
	}
	trainer, err := train.NewTrainer(ctx, train.Config{
		Model: model.Config{DModel: 32, NLayers: 1, NHeads: model.Heads{1}, NCtx: 6, InitializerRange: 0.02},
		Train: train.Options{Seed: 1, BatchSize: 64, NumSteps: 400, LR: 3e-3, LRSchedule: "cosine"},
	}, train.Setup{Process: mess3})
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()
	if err := trainer.Train(ctx); err != nil {
		log.Fatal(err)
	}
	e, err := trainer.Evaluate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("best possible loss %.4f, chance %.4f; gap closed: more than 98 %%: %v\n", e.Floor, e.Chance, *e.GapClosed > 0.98)

	// Every word of up to six tokens, with its probability and belief.
	words, err := process.Words(ctx, mess3, 6)
	if err != nil {
		log.Fatal(err)
	}
	last := probe.Stage("blocks.0.hook_resid_post")
	inside, err := probe.Analyze(ctx, trainer.Model, words, probe.Plan{
		Features: []probe.Features{last}, Targets: []probe.Target{probe.Beliefs},
	})
	if err != nil {
		log.Fatal(err)
	}
	r2 := inside.Regress(probe.Beliefs, last).R2
	fmt.Printf("beliefs read from the residual stream, held out: R² above 0.98: %v\n", r2 > 0.98)

	read, err := inside.Predict(ctx, probe.Beliefs, last)
	if err != nil {
		log.Fatal(err)
	}
	svg, err := figure.Single("Beliefs in a transformer", "The belief geometry of Mess3 as a regression reads it.", figure.Simplex{P: read.Occurring(words)}).SVG()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("an SVG of more than a kilobyte:", len(svg) > 1024)
	// Output:
	// best possible loss 0.8085, chance 1.0986; gap closed: more than 98 %: true
	// beliefs read from the residual stream, held out: R² above 0.98: true
	// an SVG of more than a kilobyte: true
}
