package run

import (
	"errors"
	"io/fs"
	"path/filepath"

	"foretell/internal/durable"
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
