package run

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
	"foretell/model"
)

// Snapshot reads the model of the run in a folder at a step whose weights are kept
// ([Options.Snapshots], train.checkpoints), or at step 0, the initial weights. A snapshot
// up to the latest checkpoint must match the hash in that checkpoint.
func Snapshot(dir string, step int) (*model.Transformer[float32], error) {
	c, _, hash, err := describe(dir)
	if err != nil {
		return nil, err
	}
	if step == 0 && c.Train.Init == "" {
		return model.New[float32](c.Model, c.Train.Seed)
	}
	s, newest, err := newestState(dir, hash)
	if err != nil {
		return nil, err
	}
	data, err := readSnapshot(dir, step, s.Snapshots[step], c.Model)
	if err == nil && s.Snapshots[step] == "" && step <= newest {
		err = foreignSnapshot(dir, step)
	}
	if err != nil {
		return nil, badSnapshot(dir, err)
	}
	m, err := model.Read[float32](data, c.Model)
	if err != nil {
		return nil, badSnapshot(dir, fmt.Errorf("%s: %w", snapshotFile(dir, step), err))
	}
	return m, nil
}

// snapshotName returns the path of a snapshot inside a run's folder.
func snapshotName(step int) string { return filepath.Join(snapshotDir, stepName(step)+snapshotSuffix) }

func snapshotFile(dir string, step int) string { return filepath.Join(dir, snapshotName(step)) }

const snapshotSuffix = ".safetensors"

// keptSnapshots lists the snapshots in a run's folder, sorted by step.
func keptSnapshots(dir string) (steps []int) {
	entries, _ := os.ReadDir(filepath.Join(dir, snapshotDir)) // nil without such a folder
	for _, e := range entries {
		name, isSnapshot := strings.CutSuffix(e.Name(), snapshotSuffix)
		if step, ok := stepOf(name); ok && isSnapshot {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps
}

// readSnapshot reads the file of a snapshot, and returns an error if `want` is not empty
// and differs from its SHA-256.
func readSnapshot(dir string, step int, want string, c model.Config) ([]byte, error) {
	path := snapshotFile(dir, step)
	data, err := model.ReadFile(path, c)
	if err == nil && want != "" && hexHash(data) != want {
		err = fmt.Errorf("%s is truncated or altered: its SHA-256 is not the one in %s", path, stateFile)
	}
	return data, err
}

// checkSnapshot returns an error unless the snapshot of a step exists and has the SHA-256
// `want`.
func checkSnapshot(dir string, step int, want string, c model.Config) error {
	_, err := readSnapshot(dir, step, want, c)
	if err == nil && want == "" {
		err = foreignSnapshot(dir, step)
	}
	if err != nil {
		return badSnapshot(dir, err)
	}
	return nil
}

func foreignSnapshot(dir string, step int) error {
	return fmt.Errorf("%s does not belong to this run: no checkpoint lists it", snapshotFile(dir, step))
}

func badSnapshot(dir string, err error) error {
	what := "damaged"
	switch {
	case errors.Is(err, os.ErrNotExist):
		what = "missing"
	case unread(err): // removing the run would not help
		return err
	}
	return fmt.Errorf("a snapshot of the run is %s; remove %s to train this model again: %w", what, dir, err)
}

// snapshot keeps the weights if this step should have a snapshot. It is called before the
// checkpoint of the same step, so that a run that resumes from a checkpoint has all
// snapshots up to there.
func (r *Run) snapshot() error {
	if !slices.Contains(r.Snapshots, r.At()) && !r.schedule().keeps(r.At()) {
		return nil
	}
	if err := r.CheckWeights(); err != nil {
		return err
	}
	if err := r.checkFolder(); err != nil {
		return err
	}
	return r.keepWeights(r.At())
}

// keepFirst keeps the initial weights as a snapshot of step 0 if they come from another
// model, so that the run's folder is self-contained.
func (r *Run) keepFirst() error {
	if r.Config.Train.Init == "" {
		return nil
	}
	return r.keepWeights(0)
}

// keepWeights writes the model's weights as a snapshot.
func (r *Run) keepWeights(step int) error {
	if err := durable.Folder(filepath.Join(r.Dir, snapshotDir)); err != nil {
		return err
	}
	var weights bytes.Buffer
	if err := r.Model.WriteFrom(&weights, r.origin(step)); err != nil {
		return err
	}
	r.snapshots[step] = hexHash(weights.Bytes())
	return r.write(snapshotName(step), weights.Bytes())
}

// restoreSnapshots sets r.snapshots to the hashes of the snapshots up to the checkpoint,
// and returns notes on altered or unknown snapshots.
func (r *Run) restoreSnapshots(s state) (notes []string, err error) {
	if r.saved < 0 {
		return nil, nil
	}
	for _, step := range slices.Sorted(maps.Keys(s.Snapshots)) {
		r.snapshots[step] = s.Snapshots[step]
		if _, err := readSnapshot(r.Dir, step, s.Snapshots[step], r.Config.Model); err != nil {
			notes = append(notes, fmt.Sprintf("a snapshot has changed: %v", err))
		}
	}
	for _, step := range keptSnapshots(r.Dir) {
		if s.Snapshots[step] == "" {
			notes = append(notes, foreignSnapshot(r.Dir, step).Error())
		}
	}
	return notes, nil
}
