package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/model"
)

// Snapshot reads the model of the run in a folder as it was after a step: one of
// those that [Options.Snapshots] asked for, or 0, the initialisation.
func Snapshot(dir string, step int) (*model.Transformer[float32], error) {
	c, _, _, err := describe(dir)
	if err != nil {
		return nil, err
	}
	if step == 0 {
		return model.New[float32](c.Model, c.Train.Seed)
	}
	path := snapshotFile(dir, step)
	data, err := model.ReadFile(path, c.Model)
	if err != nil {
		return nil, missingSnapshot(dir, err)
	}
	m, err := model.Read[float32](data, c.Model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove %s to train this model again", path, err, dir)
	}
	return m, nil
}

func snapshotFile(dir string, step int) string {
	return filepath.Join(dir, snapshotDir, stepName(step)+".safetensors")
}

// checkSnapshot returns an error if there is no snapshot of a step.
func checkSnapshot(dir string, step int) error {
	if err := limit.CheckFile(snapshotFile(dir, step)); err != nil {
		return missingSnapshot(dir, err)
	}
	return nil
}

func missingSnapshot(dir string, err error) error {
	return fmt.Errorf("a snapshot of the training is missing; remove %s to train this model again: %w", dir, err)
}

// snapshot keeps the weights if they are to be kept at this step. It is called
// before the checkpoint of the same step, so that a run which goes on from a
// checkpoint has all snapshots up to there.
func (r *Run) snapshot() error {
	if !slices.Contains(r.Snapshots, r.At()) {
		return nil
	}
	if err := r.CheckFinite(r.State().Loss); err != nil {
		return err
	}
	path := snapshotFile(r.Dir, r.At())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var weights bytes.Buffer
	if err := r.Model.Write(&weights); err != nil {
		return err
	}
	return durable.WriteFile(path, weights.Bytes())
}
