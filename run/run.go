package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// ErrInterrupted is what [Run.Train] and [Ensure] return when their context ended:
// a checkpoint is written and the run can be resumed.
var ErrInterrupted = errors.New("run: interrupted")

// Run is a trainer with a folder of plain files:
//
//	config.yaml          the resolved configuration
//	env.json             what it ran on
//	metrics.jsonl        a Row an evaluation, each with a checksum
//	checkpoints/step-N/  weights, optimiser state and their hashes; the last two
//	snapshots/           step-N.safetensors, of the steps that were asked for
//	summary.json         the last row, once the run is complete
type Run struct {
	*train.Trainer
	Options
	Dir string

	configHash string // SHA-256 of config.yaml, which the checkpoints carry
	unlock     func() // gives the folder back
	log        *durable.Log
	logged     int // step of the last row of metrics.jsonl; −1 if none
	saved      int // step of the last checkpoint; −1 if none
}

// Create starts a run in a folder that is new or empty. One that holds something, a
// run or not, is a [*FolderError], and nothing in it is touched. The folder is the run's
// until Close: no other process can create or resume a run there.
func Create(dir string, c train.Config, o Options) (*Run, error) {
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	t, err := train.NewTrainer(c, o.workers())
	if err != nil {
		return nil, err
	}
	r := &Run{Trainer: t, Options: o, Dir: dir, logged: -1, saved: -1}
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

// initialize writes the files that a run begins with; config.yaml is the last,
// because it is what makes the folder a run.
func (r *Run) initialize() error {
	if err := checkFree(r.Dir); err != nil { // somebody was faster
		return err
	}
	if err := r.clean(); err != nil {
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
func Resume(dir string, o Options) (*Run, error) {
	if err := checkNoModel(dir); err != nil {
		return nil, err
	}
	c, hash, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	t, err := train.NewTrainer(c, o.workers())
	if err != nil {
		return nil, err
	}
	r := &Run{Trainer: t, Options: o, Dir: dir, configHash: hash, logged: -1, saved: -1}
	if err := r.own(r.restore); err != nil {
		return nil, err
	}
	return r, nil
}

// readConfig reads the configuration of the run in a folder. hash is its file's
// SHA-256.
func readConfig(dir string) (c train.Config, hash string, err error) {
	path := filepath.Join(dir, model.ConfigFile)
	text, err := strict.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, "", fmt.Errorf("%s holds no run: it has no %s", dir, model.ConfigFile)
	}
	if err != nil {
		return c, "", err
	}
	c, err = train.Parse(path, text)
	return c, hexHash(text), err
}

func (r *Run) restore() error {
	if err := r.clean(); err != nil {
		return err
	}
	saved, notes, err := latestIntact(filepath.Join(r.Dir, checkpointDir), r.readCheckpoint)
	if err != nil {
		return err
	}
	if r.saved = saved; saved < 0 && len(notes) > 0 {
		return fmt.Errorf("%s has no intact checkpoint: %s", r.Dir, strings.Join(notes, "; "))
	}
	if len(notes) > 0 {
		notes = append(notes, fmt.Sprintf("going on from %s instead", stepName(saved)))
	}
	if err := r.cleanRemains(); err != nil {
		return err
	}
	lost, err := r.restoreLog()
	r.note(append(notes, lost...))
	return err
}

// Train runs to the configuration's last step. When ctx ends it writes a
// checkpoint of the last whole step and returns [ErrInterrupted], without waiting for a
// batch or an evaluation that is under way. A run that goes on but did not keep up to
// here what its Options ask for is an error.
func (r *Run) Train(ctx context.Context) error {
	if err := r.check(r.Dir, r.Config, r.saved); err != nil {
		return err
	}
	o := r.Config.Train
	for {
		step := r.At()
		if err := r.evaluate(ctx); err != nil && !ends(ctx, err) {
			return err
		}
		stop := ctx.Err() != nil
		if step > r.saved && step > 0 && (step == o.NumSteps || stop || step%o.CheckpointEvery == 0) {
			if err := r.checkpoint(); err != nil {
				return err
			}
		}
		if step == o.NumSteps && r.logged == step {
			return r.finish()
		}
		if stop {
			return ErrInterrupted
		}
		if err := r.step(ctx); err != nil && !ends(ctx, err) {
			return err
		}
	}
}

// ends says whether err is that of a context that has ended.
func ends(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// step takes a step, and keeps a snapshot if there should be one.
func (r *Run) step(ctx context.Context) error {
	loss, err := r.Step(ctx)
	if err != nil {
		return err
	}
	if err := r.snapshot(); err != nil {
		return err
	}
	if r.OnStep != nil {
		r.OnStep(r.At(), loss)
	}
	return nil
}

// checkpoint writes a checkpoint. The metrics up to it are flushed first, so
// that a run never resumes beyond them. A run that has diverged keeps its earlier
// checkpoints.
func (r *Run) checkpoint() error {
	if err := r.CheckFinite(r.State().Loss); err != nil {
		return err
	}
	if err := r.log.Sync(); err != nil {
		return err
	}
	if err := r.writeCheckpoint(); err != nil {
		return err
	}
	r.saved = r.At()
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
