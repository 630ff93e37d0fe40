package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
)

// atStep splits a path such as runs/first@500.
func atStep(path string) (dir string, step int, ok bool) {
	at := strings.LastIndexByte(path, '@')
	if at < 1 {
		return "", 0, false
	}
	step, err := strconv.Atoi(path[at+1:])
	return path[:at], step, err == nil && step >= 0 && strconv.Itoa(step) == path[at+1:]
}

// IsStep reports whether a path names a run at a step, such as runs/first@500, even if
// the run has not kept the weights of that step.
func IsStep(path string) bool {
	dir, _, ok := atStep(path)
	return ok && holdsRun(dir)
}

// StepError says that a run has no weights for a step.
type StepError struct {
	Dir  string
	Step int
	Kept []int // the steps that it has
}

// Error lists the steps that the run has.
func (e *StepError) Error() string {
	return fmt.Sprintf("%s has no weights for step %d, only for %s; train.checkpoints can keep more",
		e.Dir, e.Step, text.Steps(e.Kept))
}

// Passed reports whether the run is beyond the step, so that it may have had its weights.
func (e *StepError) Passed() bool { return len(e.Kept) > 0 && slices.Max(e.Kept) > e.Step }

// OpenAt reads the model of the run in a folder at a step, which must be one of [Steps].
// For another step, the error is a [StepError].
func OpenAt(dir string, step int) (*Trained, error) {
	if hasModel(dir) {
		if err := checkOneModel(dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s holds a model, not a run, so it has no steps", dir)
	}
	if !holdsRun(dir) {
		return nil, fmt.Errorf("%s holds no run%s", dir, Meant(dir))
	}
	if kept := Steps(dir); !slices.Contains(kept, step) {
		return nil, &StepError{dir, step, kept}
	}
	if _, err := os.Lstat(snapshotFile(dir, step)); err == nil || step == 0 {
		return openSnapshot(dir, step)
	}
	at := filepath.Join(dir, checkpointDir, stepName(step))
	if _, err := os.Lstat(at); err != nil {
		return openBest(dir, step)
	}
	return Open(at)
}

// openBest reads the model of the best evaluation of the run in a folder, which must have
// been made after the given step.
func openBest(dir string, step int) (*Trained, error) {
	c, p, hash, err := describe(dir)
	if err != nil {
		return nil, err
	}
	s, at, err := newestState(dir, hash)
	if err == nil && (s.Stop == nil || s.Stop.Best.Step != step) {
		err = fmt.Errorf("%s no longer has the weights of step %d", dir, step) // the run has found better ones
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, checkpointDir, stepName(at))
	m, err := s.readBest(path, c.Model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Trained{Model: m, Process: p, Config: c, Step: step, ByCode: byCode(c), Seed: c.Train.Seed}, nil
}

// bestStep returns the step of the best evaluation so far of the run in a folder; 0 if it
// is not known.
func bestStep(dir string) int {
	config, err := strict.ReadFile(filepath.Join(dir, model.ConfigFile))
	if err != nil {
		return 0
	}
	s, _, err := newestState(dir, hexHash(config))
	if err != nil || s.Stop == nil {
		return 0
	}
	return s.Stop.Best.Step
}

// Steps lists the steps whose weights the run in a folder has, judging by file names: 0,
// the kept steps, the checkpoints and, with train.stop, the step of the best evaluation
// in the latest of them. It returns nil if the folder holds no run.
func Steps(dir string) []int {
	if !holdsRun(dir) {
		return nil
	}
	there, _ := checkpoints(filepath.Join(dir, checkpointDir)) // nil if it cannot be read
	steps := slices.Concat([]int{0, bestStep(dir)}, keptSnapshots(dir), there)
	slices.Sort(steps)
	return slices.Compact(steps)
}
