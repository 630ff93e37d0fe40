package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/model"
)

// clean removes the temporary files that a kill has left in the run's folder. The folder
// must be locked.
func (r *Run) clean() error {
	for _, folder := range []string{"", checkpointDir, snapshotDir} {
		err := durable.CleanTemporaries(filepath.Join(r.Dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cleanRemains removes incomplete checkpoints before the one that the run resumes from.
// Checkpoints are written atomically, so an incomplete one was being removed when the
// program was killed, by a version of the program that did not yet use [durable.Remove].
func (r *Run) cleanRemains() error {
	dir := filepath.Join(r.Dir, checkpointDir)
	steps, err := checkpoints(dir)
	if err != nil {
		return err
	}
	for _, step := range steps {
		path := filepath.Join(dir, stepName(step))
		if step >= r.saved {
			continue
		}
		missing := func(name string) bool {
			_, err := os.Lstat(filepath.Join(path, name))
			return errors.Is(err, fs.ErrNotExist)
		}
		if slices.ContainsFunc([]string{stateFile, model.WeightsFile, optimizerFile}, missing) {
			if err := durable.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
