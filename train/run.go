package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/kernel"
	"foretell/model"
)

// Files of a run's folder; checkpoints are in folders of their own.
const (
	envFile       = "env.json"
	metricsFile   = "metrics.jsonl"
	summaryFile   = "summary.json"
	checkpointDir = "checkpoints"
)

// ErrInterrupted is what [Run.Train] returns when its context ended: a
// checkpoint is written and the run can be resumed.
var ErrInterrupted = errors.New("train: interrupted")

// Run is a trainer with a folder of plain files:
//
//	config.yaml          the resolved configuration
//	env.json             what it ran on
//	metrics.jsonl        an Evaluation a row, each with a checksum
//	checkpoints/step-N/  weights, optimiser state and their hashes; the last two
//	summary.json         the last evaluation, once the run is complete
type Run struct {
	*Trainer
	Dir string

	// Notes says what the user of a resumed run should know, such as that the
	// latest checkpoint was damaged and an earlier one was taken.
	Notes []string
	// OnStep and OnEvaluation, if not nil, are called after each.
	OnStep       func(step int, loss float64)
	OnEvaluation func(Evaluation)

	unlock func() // gives the folder back
	log    *durable.Log
	logged int // step of the last row of metrics.jsonl; −1 if none
	saved  int // step of the last checkpoint; −1 if none
}

// Create starts a run in a new folder. A folder that already holds a run is an
// error, and nothing in it is touched. The folder is the run's until Close: no
// other process can create or resume a run there.
func Create(dir string, c Config, workers int) (*Run, error) {
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	t, err := NewTrainer(c, workers)
	if err != nil {
		return nil, err
	}
	r := &Run{Trainer: t, Dir: dir, logged: -1, saved: -1}
	if err := r.own(r.initialize); err != nil {
		return nil, err
	}
	return r, nil
}

// own locks the run's folder and opens the run there. After an error nothing of
// it is left open.
func (r *Run) own(open func() error) error {
	err := os.MkdirAll(filepath.Join(r.Dir, checkpointDir), 0o755)
	if err == nil {
		r.unlock, err = durable.Lock(r.Dir)
	}
	if err != nil {
		r.Trainer.Close()
		return err
	}
	if err := open(); err != nil {
		r.Trainer.Close()
		r.unlock()
		return err
	}
	return nil
}

// checkFree returns an error if a folder holds a run, or what a run leaves, though
// no config.yaml. (A run that was killed while it began has left neither of these.)
func checkFree(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, model.ConfigFile)); err == nil {
		return fmt.Errorf("%s already holds a run; go on with it by `foretell train --resume %s`, or give another folder with --out", dir, dir)
	}
	for _, name := range []string{metricsFile, summaryFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s holds the %s of a run but no %s; give another folder with --out", dir, name, model.ConfigFile)
		}
	}
	steps, err := checkpoints(filepath.Join(dir, checkpointDir))
	if len(steps) > 0 {
		return fmt.Errorf("%s holds checkpoints of a run but no %s; give another folder with --out", dir, model.ConfigFile)
	}
	return err
}

// initialize writes the files that a run begins with; config.yaml is the last,
// because it is what makes the folder a run.
func (r *Run) initialize() error {
	if err := checkFree(r.Dir); err != nil { // somebody was faster
		return err
	}
	if err := writeJSON(filepath.Join(r.Dir, envFile), environment(r.Config)); err != nil {
		return err
	}
	config, err := r.Config.YAML()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(r.Dir, model.ConfigFile), config); err != nil {
		return err
	}
	r.configHash = hexHash(config)
	r.log, err = durable.OpenLog(filepath.Join(r.Dir, metricsFile))
	return err
}

// Resume opens the run in a folder where it stopped: at its latest intact
// checkpoint, or at the beginning if there is none yet. If every checkpoint is
// damaged, or the run is open elsewhere, that is an error.
func Resume(dir string, workers int) (*Run, error) {
	path := filepath.Join(dir, model.ConfigFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no run: it has no %s", dir, model.ConfigFile)
	}
	if err != nil {
		return nil, err
	}
	c, err := Parse(path, text)
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(c, workers)
	if err != nil {
		return nil, err
	}
	t.configHash = hexHash(text)
	r := &Run{Trainer: t, Dir: dir, logged: -1, saved: -1}
	if err := r.own(r.restore); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Run) restore() error {
	folder := filepath.Join(r.Dir, checkpointDir)
	if err := durable.CleanTemporaries(folder); err != nil {
		return err
	}
	var err error
	if r.saved, r.Notes, err = latestIntact(folder, r.readCheckpoint); err != nil {
		return err
	}
	if r.saved < 0 && len(r.Notes) > 0 {
		return fmt.Errorf("%s has no intact checkpoint: %s", r.Dir, strings.Join(r.Notes, "; "))
	}
	if len(r.Notes) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("going on from %s instead", stepName(r.saved)))
	}
	return r.restoreLog()
}

// restoreLog drops the rows of metrics.jsonl that lie beyond the checkpoint: they
// come again, the same. Rows from a damaged one on are dropped as well; those of
// before the checkpoint are lost, of which the user is told.
func (r *Run) restoreLog() error {
	path := filepath.Join(r.Dir, metricsFile)
	err := durable.TruncateLog(path, func(row json.RawMessage) bool {
		var e Evaluation
		if json.Unmarshal(row, &e) != nil || e.Step > r.saved {
			return false
		}
		r.logged = e.Step
		return true
	})
	if err != nil {
		return err
	}
	every := r.Config.Train.EvaluateEvery
	first, last := 0, (r.saved-1)/every*every // of the steps before the checkpoint that should be there and are not
	if r.logged >= 0 {
		first = (r.logged/every + 1) * every
	}
	if r.saved > 0 && first <= last {
		r.Notes = append(r.Notes, fmt.Sprintf("%s is damaged or cut off: its rows of steps %d to %d are lost", metricsFile, first, last))
	}
	r.log, err = durable.OpenLog(path)
	return err
}

// Train runs to the configuration's last step. When ctx ends it writes a
// checkpoint and returns [ErrInterrupted].
func (r *Run) Train(ctx context.Context) error {
	o := r.Config.Train
	for {
		last := r.step == o.NumSteps
		if r.step > r.logged && (last || r.step%o.EvaluateEvery == 0) {
			if err := r.evaluate(); err != nil {
				return err
			}
		}
		stop := ctx.Err() != nil
		if r.step > r.saved && r.step > 0 && (last || stop || r.step%o.CheckpointEvery == 0) {
			if err := r.checkpoint(); err != nil {
				return err
			}
		}
		if last {
			return r.finish()
		}
		if stop {
			return ErrInterrupted
		}
		loss := r.Step()
		if r.OnStep != nil {
			r.OnStep(r.step, loss)
		}
	}
}

func (r *Run) evaluate() error {
	e := r.Evaluate()
	if err := r.checkFinite(e.LossEval); err != nil {
		return err
	}
	if err := r.log.Append(e); err != nil {
		return err
	}
	r.logged = r.step
	if r.OnEvaluation != nil {
		r.OnEvaluation(e)
	}
	return nil
}

// checkFinite returns an error if training has diverged: if a loss of the model as
// it stands, or that of the last step or its gradient's norm, is no finite number.
func (r *Run) checkFinite(loss float64) error {
	for _, x := range []float64{loss, r.loss, r.gradNorm} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("train: diverged: at step %d the loss is %v and the norm of the gradient %v; lower train.lr, or set train.max_grad_norm", r.step, r.loss, r.gradNorm)
		}
	}
	return nil
}

// checkpoint writes a checkpoint. The metrics up to it are flushed first, so
// that a run never resumes beyond them. A run that has diverged keeps its earlier
// checkpoints.
func (r *Run) checkpoint() error {
	if err := r.checkFinite(r.loss); err != nil {
		return err
	}
	if err := r.log.Sync(); err != nil {
		return err
	}
	if err := r.writeCheckpoint(filepath.Join(r.Dir, checkpointDir)); err != nil {
		return err
	}
	r.saved = r.step
	return nil
}

// finish writes summary.json: the last evaluation, as it was logged.
func (r *Run) finish() error {
	rows, err := Metrics(r.Dir)
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(r.Dir, summaryFile), rows[len(rows)-1])
}

// Close ends the run's goroutines, closes its files and gives its folder back.
func (r *Run) Close() error {
	r.Trainer.Close()
	defer r.unlock()
	return r.log.Close()
}

// Metrics reads the evaluations of the run in a folder, up to the first damaged
// row.
func Metrics(dir string) ([]Evaluation, error) {
	rows, _, err := durable.ReadLog(filepath.Join(dir, metricsFile))
	if err != nil {
		return nil, err
	}
	list := make([]Evaluation, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row, &list[i]); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", filepath.Join(dir, metricsFile), i+1, err)
		}
	}
	return list, nil
}

// environment describes what a run ran on.
func environment(c Config) map[string]any {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return map[string]any{
		"foretell": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		"cpus": runtime.NumCPU(), "isa": kernel.ISA(), "seed": c.Train.Seed, "command": os.Args,
	}
}

func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(data, '\n'))
}
