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

// clean removes from the run's folder the temporaries that a kill has left there. It
// needs the folder's lock.
func (r *Run) clean() error {
	for _, folder := range []string{"", checkpointDir, snapshotDir} {
		err := durable.CleanTemporaries(filepath.Join(r.Dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cleanRemains removes checkpoints from before the one that the run goes on from of which
// files are missing. Checkpoints are written whole under their names, so that these were
// being removed when the program was killed, one of before there was [durable.Remove].
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
