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
	rate          = 0.03 // of Adam
	batchSize     = 8
	evaluateEvery = 10 // steps
)

// contexts are the three sequences of the pattern, (3,3): their prefixes are all nine
// contexts.
var contexts = []int32{0, 1, 2, 1, 2, 0, 2, 0, 1}

// follower is the token that the pattern has after a token.
func follower(token int32) int { return int(token+1) % 3 }

// crossEntropy is what is watched of a training: [exactLoss] by its name in
// metrics.jsonl.
const crossEntropy = "cross_entropy"

// training is the document's model: one layer of one head without MLP or norm, width 2,
// three positions. The document does not state its training. A run is so short that one
// which was interrupted can as well begin anew.
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

// exactLoss is the mean cross-entropy over the nine contexts, in nats.
func exactLoss(m *model.Transformer[float64]) float64 {
	logits, loss := m.Forward(model.NewWorkspace[float64](m.Config, 3), contexts, 3), 0.0
	for i, token := range contexts {
		loss -= math.Log(model.Probabilities(logits[3*i : 3*i+3])[follower(token)])
	}
	return loss / float64(len(contexts))
}

// firstBelow is the first step of a run after which what was watched is at most a bound;
// 0 if there is none.
func firstBelow(rows []run.Row, bound float64) int {
	for _, row := range rows {
		if row.Step > 0 && row.Watch[crossEntropy] <= bound {
			return row.Step
		}
	}
	return 0
}
