package run

import (
	"os"

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

// stopConfig overfits: the run stops at step 24, and its model is that of step 12.
func stopConfig() train.Config {
	c := smallConfig()
	c.Train.TrainSequences, c.Train.LR, c.Train.NumSteps = 24, 2e-3, 60
	c.Train.EvaluateEvery, c.Train.CheckpointEvery, c.Train.Stop = 4, 6, &train.Stop{Patience: 3}
	return c
}

// The step at which a run of stopConfig stops, and that of its model.
const stopsAt, bestAt = 24, 12

// childStops says, in a child process and in its parent, that its run is one of
// stopConfig.
const childStops = "FORETELL_TEST_STOP"

// childConfig is the configuration of the run of a child process.
func childConfig() train.Config {
	if os.Getenv(childStops) != "" {
		return stopConfig()
	}
	return smallConfig()
}

// notes collects what a run tells its user.
type notes []string

func (n *notes) add(note string) { *n = append(*n, note) }
