package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/train"
)

// Row is a row of metrics.jsonl: an evaluation, and what [Options.Watch] measured
// with it.
type Row struct {
	train.Evaluation
	Watch map[string]float64 `json:"watch,omitempty"` // by name; nil of a run that watches nothing
}

// Metrics reads the evaluations of the run in a folder, up to the first damaged
// row: from step 0, every Train.EvaluateEvery steps, and at the last one.
func Metrics(dir string) ([]Row, error) {
	rows, _, err := durable.ReadLog(filepath.Join(dir, metricsFile))
	if err != nil {
		return nil, err
	}
	list := make([]Row, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row, &list[i]); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", filepath.Join(dir, metricsFile), i+1, err)
		}
	}
	return list, nil
}

// evaluate measures the model as it stands and logs the row, if there should be one that
// is not there yet.
func (r *Run) evaluate(ctx context.Context) error {
	if step := r.At(); step <= r.logged || !isEvaluated(r.Config.Train, step) {
		return nil
	}
	found, err := r.Evaluate(ctx)
	if err != nil {
		return err
	}
	row := Row{Evaluation: found}
	if err := r.CheckFinite(row.LossEval); err != nil {
		return err
	}
	if err := r.watch(&row); err != nil {
		return err
	}
	if err := r.log.Append(row); err != nil {
		return err
	}
	r.logged = row.Step
	if r.OnEvaluation != nil {
		r.OnEvaluation(row)
	}
	return nil
}

// watch measures what is watched.
func (r *Run) watch(row *Row) error {
	for _, name := range slices.Sorted(maps.Keys(r.Watch)) {
		value, err := r.Watch[name](r.Model)
		if err != nil {
			return fmt.Errorf("%s at step %d: %w", name, row.Step, err)
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("run: %s at step %d is %v, which a row of %s cannot hold", name, row.Step, value, metricsFile)
		}
		if row.Watch == nil {
			row.Watch = map[string]float64{}
		}
		row.Watch[name] = value
	}
	return nil
}

// isEvaluated says whether the model is evaluated after a step.
func isEvaluated(o train.Options, step int) bool {
	return step == o.NumSteps || step%o.EvaluateEvery == 0
}

// nextEvaluated is the step of the evaluation after that of a step.
func nextEvaluated(o train.Options, step int) int {
	if step == o.NumSteps {
		return step + 1 // none
	}
	return min(step+o.EvaluateEvery, o.NumSteps)
}

// checkWatched returns an error if a row up to the step at, which will not come
// again, lacks something that is watched: what is first or greatest in the rows could
// be in that one. at is −1 for a run without a checkpoint, which has no such row; and the
// row of the step at comes yet where the run was interrupted before it was there.
func (o Options) checkWatched(dir string, c train.Config, at int) error {
	if len(o.Watch) == 0 || at < 0 {
		return nil
	}
	rows, err := Metrics(dir)
	if err != nil {
		return err
	}
	have := map[int]Row{}
	for _, row := range rows {
		have[row.Step] = row
	}
	for step := 0; step <= at; step = nextEvaluated(c.Train, step) {
		row, logged := have[step]
		if !logged && step == at {
			continue
		}
		for name := range o.Watch {
			if _, ok := row.Watch[name]; !ok {
				return fmt.Errorf("%s has no %q of step %d; remove %s to train this model again",
					filepath.Join(dir, metricsFile), name, step, dir)
			}
		}
	}
	return nil
}

// restoreLog drops the rows of metrics.jsonl that lie beyond the checkpoint: they
// come again, the same. Rows from a damaged one on are dropped as well; those of
// before the checkpoint are lost, of which the user is told.
func (r *Run) restoreLog() (notes []string, err error) {
	path := filepath.Join(r.Dir, metricsFile)
	err = durable.TruncateLog(path, func(data json.RawMessage) bool {
		var row Row
		if json.Unmarshal(data, &row) != nil || row.Step > r.saved {
			return false
		}
		r.logged = row.Step
		return true
	})
	if err != nil {
		return nil, err
	}
	every := r.Config.Train.EvaluateEvery
	first, last := 0, (r.saved-1)/every*every // of the steps before the checkpoint that should be there and are not
	if r.logged >= 0 {
		first = (r.logged/every + 1) * every
	}
	if r.saved > 0 && first <= last {
		notes = append(notes, fmt.Sprintf("%s is damaged or cut off: its rows of steps %d to %d are lost",
			metricsFile, first, last))
	}
	r.log, err = durable.OpenLog(path)
	return notes, err
}
