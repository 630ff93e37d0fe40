package abc

import (
	"fmt"
	"math"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

const (
	rate          = 0.03 // Adam's learning rate
	batchSize     = 8
	evaluateEvery = 10 // training steps between evaluations
)

// contexts holds the pattern's three sequences of three tokens, (3,3): ABC, BCA and CAB.
// Their prefixes are the nine contexts on which models are evaluated.
var contexts = []int32{0, 1, 2, 1, 2, 0, 2, 0, 1}

// follower returns the token that follows a token in the pattern.
func follower(token int32) int { return int(token+1) % 3 }

// crossEntropy is the name under which a run writes the result of [exactLoss] to
// metrics.jsonl.
const crossEntropy = "cross_entropy"

// training returns the training run of the document's model: one layer with one head,
// without MLP or norm, of width 2, with three positions. The document does not state how
// its model was trained. The only checkpoint is written at the end, since runs are so
// short that an interrupted run can start again.
func (p profile) training(seed uint64) claim.Training {
	return claim.Training{
		Name: fmt.Sprintf("abc-seed%d", seed), Label: fmt.Sprintf("ABC, seed %d", seed),
		Config: train.Config{
			Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "ABC"}},
			Model: model.Config{
				DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, AttnOnly: true, NormalizationType: "none",
			},
			Train: train.Options{
				Seed: seed, BatchSize: batchSize, NumSteps: p.steps, LR: rate,
				EvaluateEvery: evaluateEvery, EvaluateSequences: 1, CheckpointEvery: p.steps,
			},
		},
		Watch: run.Watch{crossEntropy: func(m *model.Transformer[float32]) (float64, error) {
			return exactLoss(model.Convert[float64](m)), nil
		}},
	}
}

// exactLoss returns the mean cross-entropy over the nine contexts, in nats.
func exactLoss(m *model.Transformer[float64]) float64 {
	logits, loss := m.Forward(model.NewWorkspace[float64](m.Config, 3), contexts, 3), 0.0
	for i, token := range contexts {
		loss -= math.Log(model.Probabilities(logits[3*i : 3*i+3])[follower(token)])
	}
	return loss / float64(len(contexts))
}

// firstBelow returns the first step of a run at which the cross-entropy is at most the
// bound, or 0 if there is no such step.
func firstBelow(rows []run.Row, bound float64) int {
	for _, row := range rows {
		if row.Step > 0 && row.Watch[crossEntropy] <= bound {
			return row.Step
		}
	}
	return 0
}
