package run

import (
	"foretell/model"
	"foretell/train"
)

// smallConfig is quick to train.
func smallConfig() train.Config {
	return train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{2}, DMLP: 32, NCtx: 6},
		Train: train.Options{
			Seed: 1, BatchSize: 24, NumSteps: 40, LR: 1e-2,
			EvaluateEvery: 5, EvaluateSequences: 64, CheckpointEvery: 10,
		},
	}
}

// notes collects what a run tells its user.
type notes []string

func (n *notes) add(note string) { *n = append(*n, note) }
