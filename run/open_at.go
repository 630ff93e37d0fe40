package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/plural"
)

// atStep takes a path such as runs/first@500 apart.
func atStep(path string) (dir string, step int, ok bool) {
	at := strings.LastIndexByte(path, '@')
	if at < 1 {
		return "", 0, false
	}
	step, err := strconv.Atoi(path[at+1:])
	return path[:at], step, err == nil && step >= 0 && strconv.Itoa(step) == path[at+1:]
}

// IsStep says whether a path names the model of a run after a step, such as
// runs/first@500, whether or not the run has its weights.
func IsStep(path string) bool {
	dir, _, ok := atStep(path)
	return ok && holdsRun(dir)
}

// OpenAt reads the model of the run in a folder as it was after a step: one of [Steps].
// An error lists these.
func OpenAt(dir string, step int) (*Trained, error) {
	if hasModel(dir) {
		if err := checkOneModel(dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s holds a model and no run, which would have steps", dir)
	}
	if !holdsRun(dir) {
		return nil, fmt.Errorf("%s holds no run%s", dir, Meant(dir))
	}
	if kept := Steps(dir); !slices.Contains(kept, step) {
		return nil, fmt.Errorf("%s has no weights of step %d, but of %s; train.checkpoints keeps others",
			dir, step, plural.Steps(kept))
	}
	if _, err := os.Lstat(snapshotFile(dir, step)); err != nil && step > 0 {
		return Open(filepath.Join(dir, checkpointDir, stepName(step)))
	}
	return openSnapshot(dir, step)
}

// Steps lists the steps of which the run in a folder has weights, as far as names of
// files tell: 0, those that were kept, and those of its checkpoints. It is empty where
// there is no run.
func Steps(dir string) []int {
	if !holdsRun(dir) {
		return nil
	}
	there, _ := checkpoints(filepath.Join(dir, checkpointDir)) // none where it cannot be read
	steps := slices.Concat([]int{0}, keptSnapshots(dir), there)
	slices.Sort(steps)
	return slices.Compact(steps)
}
