package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/internal/durable"
)

// Fingerprint returns the SHA-256 of the last checkpoint's state in the folder of a
// complete run. The state holds the hashes of the configuration, the weights, the
// optimiser and all evaluations, so two runs of the same configuration and engine have
// the same fingerprint. It returns an error if the run is not complete.
func Fingerprint(dir string) (string, error) {
	info, ok := Describe(dir)
	if ok && info.Err != nil {
		return "", fmt.Errorf("%s: %w", dir, info.Err)
	}
	if !ok || !info.Complete {
		return "", fmt.Errorf("%s holds no complete run", dir)
	}
	s, err := readState(filepath.Join(dir, checkpointDir, stepName(info.Step)))
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return s.SHA256, nil
}

// copyTries is how often [Copy] begins again if a file vanishes while it copies.
const copyTries = 10

// Copy copies the folder of a run, which may be training, to a new folder. [Resume]
// continues there from the latest checkpoint; the run in the old folder is not disturbed.
// The new folder is complete or absent.
func Copy(from, to string) error {
	if err := durable.Folder(filepath.Dir(to)); err != nil {
		return err
	}
	for tries := 1; ; tries++ {
		err := durable.Dir(to, func(temporary string) error { return os.CopyFS(temporary, os.DirFS(from)) })
		// The run may have removed a checkpoint that the copy was about to read.
		if !errors.Is(err, fs.ErrNotExist) || tries == copyTries || !holdsRun(from) {
			return err
		}
	}
}

// Publish gives the folder of a complete run its final name by one rename, so that a
// folder of that name is a complete run. If another program has published the same run
// there meanwhile, Publish compares the fingerprints, and removes the folder `from` if
// they are equal.
func Publish(from, to string) error {
	mine, err := Fingerprint(from)
	if err != nil {
		return err
	}
	if err := durable.Folder(filepath.Dir(to)); err != nil {
		return err
	}
	renamed := durable.Rename(from, to)
	if renamed == nil {
		return nil
	}
	// Over a network a rename may report an error although it has happened.
	theirs, err := Fingerprint(to)
	switch {
	case err != nil:
		return renamed
	case theirs != mine:
		return fmt.Errorf("%s and %s are runs of one configuration with different results; keep both, and report this",
			from, to)
	}
	return durable.Remove(from)
}
