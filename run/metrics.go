package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
	"foretell/train"
)

// The approximate size in bytes of a row of metrics.jsonl: a constant part, and a part
// for each position of the context.
const (
	rowBytes         = 1024
	rowPositionBytes = 26
)

// checkKept returns an error unless the configuration and all evaluations of the run will
// fit into files that can be read again.
func checkKept(c train.Config) error {
	if _, err := c.YAML(); err != nil {
		return err
	}
	most := durable.MostLog / (rowBytes + rowPositionBytes*c.Model.NCtx)
	if o := c.Train; o.NumSteps/o.EvaluateEvery >= most {
		return strict.Fieldf("train.evaluate_every", "= %d makes %d evaluations, and metrics.jsonl can hold %d; "+
			"evaluate every %d steps", o.EvaluateEvery, o.NumSteps/o.EvaluateEvery+1, most, o.NumSteps/most+1)
	}
	return nil
}

// Row is a row of metrics.jsonl: an evaluation, and the values of [Options.Watch] at that
// step.
type Row struct {
	train.Evaluation
	Watch map[string]float64 `json:"watch,omitempty"` // values by name; nil if Options.Watch is empty
}

// Print writes the evaluation in several lines; the first begins with the run's name.
func (r Row) Print(out io.Writer, name string) {
	for i, line := range r.Summary() {
		if i == 0 {
			line = name + ": " + line
		} else {
			line = "  " + line
		}
		text.Fprintf(out, "%s\n", line)
	}
}

// Metrics reads the evaluations of the run in a folder: step 0, every Train.EvaluateEvery
// steps, and the last step, or up to the step at which train.stop ended the run. Rows up
// to the latest checkpoint must be unchanged. After that checkpoint, Metrics stops at the
// first damaged row, which a kill may have left.
func Metrics(dir string) ([]Row, error) {
	path := filepath.Join(dir, model.ConfigFile)
	config, err := strict.ReadFile(path)
	if err != nil {
		return nil, err
	}
	hash := hexHash(config)
	s, at, err := newestState(dir, hash)
	if err != nil {
		return nil, err
	}
	log, err := durable.ReadLog(filepath.Join(dir, metricsFile), originOf(s.past(hash), hash))
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		if err := s.checkRows(log); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, checkpointDir, stepName(at)), err)
		}
	}
	rows, err := decodeRows(log)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, metricsFile), err)
	}
	return rows, nil
}

// decodeRows reads the rows of a log.
func decodeRows(log durable.Contents) ([]Row, error) {
	list := make([]Row, len(log.Rows))
	for i, row := range log.Rows {
		if err := json.Unmarshal(row, &list[i]); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return list, nil
}

// missingSteps returns the steps below `end` at which the run evaluates but for which
// there is no row.
func missingSteps(rows []Row, s schedule, end int) (missing []int) {
	have := map[int]bool{}
	for _, row := range rows {
		have[row.Step] = true
	}
	for step := 0; step < end && step <= s.last(); step = s.next(step) {
		if !have[step] {
			missing = append(missing, step)
		}
	}
	return missing
}

// evaluate evaluates the model and logs the row, if this step should have a row and does
// not yet. It reports whether it has done so.
func (r *Run) evaluate(ctx context.Context) (evaluated bool, err error) {
	if step := r.At(); step <= r.logged() || !r.schedule().evaluates(step) {
		return false, nil
	}
	if r.OnEvaluating != nil {
		r.OnEvaluating(r.At())
	}
	found, err := r.Evaluate(ctx)
	if err != nil {
		return false, err
	}
	row := Row{Evaluation: found}
	if err := r.CheckFinite(row.LossEval); err != nil {
		return false, err
	}
	if err := r.watch(&row); err != nil {
		return false, err
	}
	if err := r.log.Append(row); err != nil {
		return false, err
	}
	r.rows = append(r.rows, row)
	r.consider(row)
	if r.OnEvaluation != nil {
		r.OnEvaluation(row)
	}
	r.warn(row)
	return true, nil
}

// warn notifies the user, once, if the loss exceeds ten times chance, the loss of the
// best constant prediction. If chance is near 0, the initial loss of a model may already
// be that large, so the loss must also exceed its initial value.
func (r *Run) warn(row Row) {
	if r.warned || row.LossEval <= 10*row.Chance || row.LossEval <= r.rows[0].LossEval {
		return
	}
	r.warned = true
	r.note([]string{fmt.Sprintf("at step %d the loss is %.4g nats, more than ten times chance, %.4g: training "+
		"may be diverging; lower train.lr, or set train.max_grad_norm", row.Step, row.LossEval, row.Chance)})
}

// watch adds the values of r.Watch to a row.
func (r *Run) watch(row *Row) error {
	for _, name := range slices.Sorted(maps.Keys(r.Watch)) {
		value, err := r.Watch[name](r.Model)
		if err != nil {
			return fmt.Errorf("%s at step %d: %w", name, row.Step, err)
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("run: %s at step %d is %v, which %s cannot hold", name, row.Step, value, metricsFile)
		}
		if row.Watch == nil {
			row.Watch = map[string]float64{}
		}
		row.Watch[name] = value
	}
	return nil
}

// checkWatched returns an error if a row up to the latest checkpoint lacks a watched
// value. That row will not be computed again, so a first occurrence or a maximum of the
// value could be missed. `at` is the checkpoint's step; it is −1 for a run without a
// checkpoint, which has no earlier rows. The row for the checkpoint's own step may still
// be missing if the run was interrupted before writing that row.
func (o Options) checkWatched(dir string, s schedule, at int, rows []Row) error {
	if len(o.Watch) == 0 || at < 0 {
		return nil
	}
	have := map[int]Row{}
	for _, row := range rows {
		have[row.Step] = row
	}
	for step := 0; step <= at; step = s.next(step) {
		row, logged := have[step]
		if !logged && step == at {
			continue
		}
		for name := range o.Watch {
			if _, ok := row.Watch[name]; !ok {
				return fmt.Errorf("%s has no %q for step %d; remove %s to train this model again",
					filepath.Join(dir, metricsFile), name, step, dir)
			}
		}
	}
	return nil
}
