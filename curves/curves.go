package curves

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"foretell/internal/parallel"
	"foretell/run"
	"foretell/settings"
	"foretell/train"
)

// Set is the evaluations of one or more runs.
type Set struct {
	Runs []Run `json:"runs"`
	// SameFloor reports whether all runs have the same chance (the loss of the best constant
	// guess) and the same floor (the optimal loss), or the same chance and no floor. One
	// axis can then show their losses. Otherwise the figure draws each run's loss relative
	// to the run's own floor, or relative to chance if no run has a floor.
	SameFloor bool `json:"same_floor"`
	// Differ has the settings in which the runs differ, see [Set.Differing].
	Differ []settings.Difference `json:"settings"`
	// Along is the horizontal axis of the figure and the page.
	Along Along `json:"-"`
}

// Run is a run with its evaluations so far.
type Run struct {
	Dir string `json:"run"` // its folder
	// Label is the folder and the settings in which the run differs from the other runs.
	Label    string `json:"label"`
	Process  string `json:"process"` // name, with the parameters given in the configuration
	Steps    int    `json:"steps"`   // planned number of training steps
	Complete bool   `json:"complete"`
	// Stop says which model train.stop has chosen for a complete run; else nil. The
	// evaluations after the chosen step are then of other weights than the model's.
	Stop        *run.Chosen `json:"stop,omitempty"`
	Evaluations []run.Row   `json:"evaluations"` // in ascending order of step, at least one
	// KLByPosition is the KL from the optimal prediction to the model's, in nats, at
	// positions 1 … n_ctx, in the last evaluation; nil if the optimum is not known.
	KLByPosition []float64 `json:"kl_by_position"`

	settings settings.Settings
	differs  string // the settings in which the run differs from the other runs
}

// Last returns the last evaluation.
func (r Run) Last() run.Row { return r.Evaluations[len(r.Evaluations)-1] }

// Result returns the evaluation of the run's model: the last one or, after train.stop has
// chosen another, that one.
func (r Run) Result() run.Row {
	for _, row := range r.Evaluations {
		if r.Stop != nil && row.Step == r.Stop.Step {
			return row
		}
	}
	return r.Last()
}

// Read reads the evaluations of runs. Each path is a run's folder, or a folder with
// runs below it; runs there without an evaluation are skipped. A run may be training,
// interrupted or complete. Read returns an error if a path has no run, if no run has
// been evaluated, if the metrics are damaged, or if ctx ends first.
func Read(ctx context.Context, paths ...string) (*Set, error) {
	var dirs []string
	seen, alone := map[string]bool{}, map[string]bool{} // alone: the only run at its path
	for _, path := range paths {
		found, err := runsAt(path)
		if err != nil {
			return nil, err
		}
		for _, dir := range found {
			if seen[filepath.Clean(dir)] {
				continue
			}
			seen[filepath.Clean(dir)] = true
			dirs = append(dirs, dir)
			alone[dir] = len(found) == 1
		}
	}
	runs, err := readRuns(ctx, dirs)
	if err != nil {
		return nil, err
	}
	c := &Set{}
	for i, r := range runs {
		if errors.Is(r.err, errNotEvaluated) && !alone[dirs[i]] {
			continue
		}
		if r.err != nil {
			return nil, r.err
		}
		c.Runs = append(c.Runs, r.Run)
	}
	if len(c.Runs) == 0 {
		return nil, fmt.Errorf("%s: %w", paths[0], errNotEvaluated)
	}
	return c.compared(), nil
}

// ReadRun is [Read] for the folder of one run.
func ReadRun(dir string) (*Set, error) {
	r, err := readRun(dir)
	if err != nil {
		return nil, err
	}
	return (&Set{Runs: []Run{r}}).compared(), nil
}

// compared adds to the runs what their comparison shows: labels, and whether their floors
// are the same.
func (c *Set) compared() *Set {
	c.label()
	c.Differ = settings.Differences(c.settings(), c.Differing())
	c.SameFloor = c.sameFloor()
	return c
}

// errNotEvaluated is the error for a run whose metrics file has no row.
var errNotEvaluated = errors.New("no evaluation yet, so there is nothing to plot; " +
	"the first is written at step 0, moments after training starts")

// runsAt returns the run at a path, or the runs below it.
func runsAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && run.IsStep(path):
		dir := path[:strings.LastIndexByte(path, '@')]
		return nil, fmt.Errorf("%s is a model at one step, which has no curve; give its run, %s", path, dir)
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: no such run%s", path, run.Meant(path))
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file; give a run's folder, such as runs/first", path)
	}
	list, err := run.List(path)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, info := range list {
		if info.Err != nil || info.Steps > 0 { // a folder without a training run may hold a model; skip it
			dirs = append(dirs, info.Dir)
		}
	}
	if len(dirs) == 0 && len(list) > 0 {
		return nil, fmt.Errorf("%s has a model but no training run, so there are no evaluations to plot", path)
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s has no run; give a run's folder, such as runs/first, "+
			"or a folder with runs below it", path)
	}
	return dirs, nil
}

// readResult is what reading a run has returned.
type readResult struct {
	Run
	err error
}

// readRuns reads runs on all processors. It returns an error only if ctx ends.
func readRuns(ctx context.Context, dirs []string) ([]readResult, error) {
	results := make([]readResult, len(dirs))
	return results, parallel.Each(ctx, runtime.GOMAXPROCS(0), len(dirs), func(i int) error {
		results[i].Run, results[i].err = readRun(dirs[i])
		return nil
	})
}

// readRun reads the evaluations of a run.
func readRun(dir string) (Run, error) {
	info, _ := run.Describe(dir)
	r := Run{Dir: dir, Steps: info.Steps, Complete: info.Complete, Stop: info.Stop}
	if info.Err != nil {
		return r, info.Err
	}
	var err error
	if r.settings, err = settings.Read(dir); err != nil {
		return r, err
	}
	r.Process = r.settings.Process()
	if r.Evaluations, err = run.Metrics(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	if len(r.Evaluations) == 0 {
		return r, fmt.Errorf("%s: %w", dir, errNotEvaluated)
	}
	r.KLByPosition = r.Last().KLByPosition
	return r, nil
}

// sameFloor reports whether all runs have the same floor, or all have no floor, and the
// same chance, up to rounding.
func (c *Set) sameFloor() bool {
	const rounding = 1e-9
	first := c.Runs[0].Last()
	for _, r := range c.Runs[1:] {
		last := r.Last()
		if (last.Optimum == nil) != (first.Optimum == nil) || !near(last.Chance, first.Chance, rounding) {
			return false
		}
		if first.Optimum != nil && !near(last.Floor, first.Floor, rounding) {
			return false
		}
	}
	return true
}

func near(a, b, most float64) bool { return a-b <= most && b-a <= most }

// learning returns the rows starting at the first one for which accept returns true, or
// all rows if there is no such row.
func learning(rows []run.Row, accept func(train.Evaluation) bool) []run.Row {
	for i, row := range rows {
		if accept(row.Evaluation) {
			return rows[i:]
		}
	}
	return rows
}
