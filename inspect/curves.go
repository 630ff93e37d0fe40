package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/probe"
	"foretell/run"
	"foretell/train"
)

// Curves are the evaluations of one run or of several, side by side.
type Curves struct {
	Runs []RunCurve `json:"runs"`
	// SameFloor says that all runs have the same floor and the same chance, so that their
	// losses can stand on one axis. Where they have not, as where processes or contexts
	// differ, each is measured from its own floor.
	SameFloor bool `json:"same_floor"`
	// Along is what figure and page draw them along.
	Along Along `json:"-"`
}

// RunCurve is a run with its evaluations, those so far of one that still trains.
type RunCurve struct {
	Run         string    `json:"run"`     // its folder
	Label       string    `json:"label"`   // its folder, and the settings in which it differs from others
	Process     string    `json:"process"` // with the parameters that the configuration gives
	Steps       int       `json:"steps"`   // of the whole run
	Complete    bool      `json:"complete"`
	Evaluations []run.Row `json:"evaluations"` // in the order of their steps, at least one
	// KLByPosition is that of the last evaluation, in nats, at the positions 1 … n_ctx; of
	// a run whose rows have none, of its latest checkpoint.
	KLByPosition []float64 `json:"kl_by_position"`

	settings []strict.Setting
	differs  string // the settings in which it differs from others
	byHeart  string // whose floor that of a recording is, else empty
}

// Last is the last evaluation.
func (r RunCurve) Last() run.Row { return r.Evaluations[len(r.Evaluations)-1] }

// PlotRuns reads the evaluations of runs, each a run's folder or a folder with runs below
// it, of which those that have been evaluated count. A run may still train, be
// interrupted or complete. It is an error where there is no run, none with an evaluation,
// or where metrics are not as they were written.
func PlotRuns(ctx context.Context, paths ...string) (*Curves, error) {
	c := &Curves{}
	seen := map[string]bool{}
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
			r, err := readCurve(ctx, dir)
			if errors.Is(err, errNotEvaluated) && len(found) > 1 {
				continue
			}
			if err != nil {
				return nil, err
			}
			c.Runs = append(c.Runs, r)
		}
	}
	if len(c.Runs) == 0 {
		return nil, fmt.Errorf("%s: %w", paths[0], errNotEvaluated)
	}
	c.label()
	c.SameFloor = c.sameFloor()
	return c, nil
}

// errNotEvaluated is the error of a run without a row of metrics.
var errNotEvaluated = errors.New("no evaluation yet, so there is nothing to plot; " +
	"the first comes with step 0, moments after a training begins")

// runsAt lists the run at a path, or those below it.
func runsAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && run.IsStep(path):
		dir := path[:strings.LastIndexByte(path, '@')]
		return nil, fmt.Errorf("%s is a model after one step, which has no curve; give its run, %s", path, dir)
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
		if info.Err != nil || info.Steps > 0 { // else a model's folder
			dirs = append(dirs, info.Dir)
		}
	}
	if len(dirs) == 0 && len(list) > 0 {
		return nil, fmt.Errorf("%s holds a model that is no run's: there are no evaluations to plot", path)
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s holds no run; give a run's folder, such as runs/first, or one with runs below it", path)
	}
	return dirs, nil
}

// readCurve reads a run.
func readCurve(ctx context.Context, dir string) (RunCurve, error) {
	info, _ := run.Describe(dir)
	r := RunCurve{Run: dir, Steps: info.Steps, Complete: info.Complete}
	if info.Err != nil {
		return r, info.Err
	}
	path := filepath.Join(dir, model.ConfigFile)
	data, err := strict.ReadFile(path)
	if err != nil {
		return r, err
	}
	document, err := strict.Parse(path, data)
	if err != nil {
		return r, err
	}
	r.settings = document.Settings()
	r.Process, r.byHeart = processText(r.settings), r.heartOf(path)
	if r.Evaluations, err = run.Metrics(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	if len(r.Evaluations) == 0 {
		return r, fmt.Errorf("%s: %w", dir, errNotEvaluated)
	}
	r.KLByPosition = r.Last().KLByPosition
	if len(r.KLByPosition) == 0 {
		r.KLByPosition, err = klByPosition(ctx, dir)
	}
	return r, err
}

// klByPosition is the divergence of a run's latest checkpoint from the optimum, in nats,
// at each position.
func klByPosition(ctx context.Context, dir string) ([]float64, error) {
	trained, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	words, err := probe.Question{Target: probe.NextTokens}.Words(ctx, trained.Process, trained.Model.Config.NCtx)
	if err != nil {
		return nil, err
	}
	a, err := probe.Analyze(ctx, trained.Model, words, probe.Plan{})
	if err != nil {
		return nil, err
	}
	return means(a.KLByPosition()), nil
}

func means(list []probe.Estimate) (values []float64) {
	for _, e := range list {
		values = append(values, e.Mean)
	}
	return values
}

// sameFloor says whether floor and chance of all runs agree, to rounding.
func (c *Curves) sameFloor() bool {
	const rounding = 1e-9
	first := c.Runs[0].Last()
	for _, r := range c.Runs[1:] {
		if last := r.Last(); !near(last.Floor, first.Floor, rounding) || !near(last.Chance, first.Chance, rounding) {
			return false
		}
	}
	return true
}

func near(a, b, most float64) bool { return a-b <= most && b-a <= most }

// learning are the evaluations from the first on that a share of the gap can be drawn
// for: those before the loss has come below chance are left out, unless all would be.
func learning(rows []run.Row, drawn func(train.Evaluation) bool) []run.Row {
	for i, row := range rows {
		if drawn(row.Evaluation) {
			return rows[i:]
		}
	}
	return rows
}
