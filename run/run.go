package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"foretell/internal/durable"
	"foretell/model"
	"foretell/train"
)

// ErrInterrupted is returned by [Run.Train] and [Ensure] when their context ended. The
// steps taken are in a checkpoint, and the run can be resumed.
var ErrInterrupted = errors.New("run: interrupted")

// Run is a trainer with a folder of plain files:
//
//	config.yaml          the resolved configuration
//	env.json             an entry for each session: program, machine, command, time
//	metrics.jsonl        a Row for each evaluation, with a checksum of all rows so far
//	checkpoints/step-N/  weights and optimiser state, with hashes that bind them and the
//	                     earlier rows and snapshots to the run; the last two are kept.
//	                     With train.stop, also the weights of the best evaluation
//	snapshots/           step-N.safetensors for the steps that are kept
//	summary.json         a [Summary], once the run is complete
//	diverged.json        why it has diverged, if it has; see [Divergence]
type Run struct {
	*train.Trainer
	Options
	Dir string

	config     []byte      // contents of config.yaml
	configHash string      // SHA-256 of config.yaml, which the checkpoints record
	past       []phase     // earlier configurations of an extended run
	provenance []byte      // contents of env.json as written by this session; nil before
	folder     os.FileInfo // information on Dir when it was locked, to detect that it was replaced
	unlock     func()      // releases the folder

	log     *durable.Log
	rows    []Row     // the rows of metrics.jsonl
	best    Row       // the row of the best evaluation, with train.stop
	saved   int       // step of the last checkpoint; −1 without a checkpoint
	savedAt time.Time // when the last checkpoint was written, or when this process began to train
	engines []int     // the train.BitsVersion of each part of the steps, in order
	mixed   bool      // this process continues a run whose steps another engine computed
	warned  bool      // the user has been warned that the loss is far above chance
	rests   bool      // the user has been notified that no step lowers the loss any more
	// num_steps before the run was extended; set only in the first session after that, else
	// 0
	extendedFrom int
	snapshots    map[int]string
}

// Create starts a run in a new or empty folder. It returns a [*FolderError], and touches
// nothing, if the folder is not empty. It returns an error, and makes no folder, if
// config.yaml cannot express the configuration ([train.Config.YAML]), if metrics.jsonl
// cannot hold its evaluations, or if ctx ends first. The run owns the folder until Close:
// no other process can create or resume a run there.
func Create(ctx context.Context, dir string, c train.Config, o Options) (*Run, error) {
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	c, err := o.named(c)
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(ctx, dir, c, o)
	if err != nil {
		return nil, err
	}
	if err := checkKept(t.Config); err != nil { // before the folder is made
		t.Close()
		return nil, err
	}
	r := newRun(t, dir, o)
	if err := r.own(r.initialize); err != nil {
		return nil, err
	}
	return r, nil
}

func newRun(t *train.Trainer, dir string, o Options) *Run {
	return &Run{
		Trainer: t, Options: o, Dir: dir, saved: -1,
		engines: []int{train.BitsVersion}, snapshots: map[int]string{},
	}
}

// own locks the run's folder and calls the function `open`. After an error it releases
// everything.
func (r *Run) own(open func() error) error {
	err := durable.Folder(filepath.Join(r.Dir, checkpointDir))
	if err == nil {
		r.unlock, err = durable.Lock(r.Dir, func(text string) { r.note([]string{text}) })
	}
	if err != nil {
		r.Trainer.Close()
		return err
	}
	if r.folder, err = os.Stat(r.Dir); err == nil {
		err = open()
	}
	if err != nil {
		_ = r.Close()
	}
	return err
}

// initialize writes the first files of a run. config.yaml is the last, because it makes
// the folder a run.
func (r *Run) initialize() error {
	if err := checkFree(r.Dir); err != nil { // another process may have been faster
		return err
	}
	if err := r.clean(); err != nil {
		return err
	}
	config, err := r.Config.YAML()
	if err != nil {
		return err
	}
	r.config, r.configHash = config, hexHash(config)
	if err := r.beginLife(nil); err != nil {
		return err
	}
	if err := r.keepFirst(); err != nil {
		return err
	}
	if err := r.write(model.ConfigFile, config); err != nil {
		return err
	}
	r.log, err = durable.OpenLog(filepath.Join(r.Dir, metricsFile), r.chainOrigin())
	return err
}

// Train runs to the configuration's last step. If ctx ends, it writes a checkpoint of the
// last complete step and returns [ErrInterrupted], without waiting for an unfinished
// batch or evaluation. It returns an error if the Options ask for something that a
// resumed run has not recorded so far. If somebody else changes the run's own files, it
// restores them, writes a checkpoint and returns an error.
//
// If the loss or the weights become NaN or infinite, the error wraps a
// [*train.DivergedError] and names the last good checkpoint, which is kept.
func (r *Run) Train(ctx context.Context) error {
	err := r.train(ctx)
	var diverged *train.DivergedError
	if errors.As(err, &diverged) {
		return errors.Join(fmt.Errorf("%w; %s", err, r.lastGood()), r.writeDivergence(diverged))
	}
	return err
}

// lastGood names the last checkpoint of a run that has diverged.
func (r *Run) lastGood() string {
	if r.saved < 0 {
		return "it had no checkpoint yet"
	}
	return fmt.Sprintf("its last good checkpoint is %s, from which a new run can start by train.init",
		filepath.Join(r.Dir, checkpointDir, stepName(r.saved)))
}

func (r *Run) train(ctx context.Context) error {
	if err := r.check(r.Dir, r.Config.Model, r.schedule(), r.saved, r.rows, r.snapshots); err != nil {
		return err
	}
	if r.provenance == nil && r.At() < r.last() {
		if err := r.goOn(); err != nil {
			return err
		}
	}
	r.savedAt = r.now()
	for {
		step := r.At()
		evaluated, err := r.evaluate(ctx)
		if err != nil && !ends(ctx, err) {
			return err
		}
		stop := ctx.Err() != nil
		if r.due(evaluated, stop) {
			if err := r.checkpoint(); err != nil {
				return err
			}
		}
		if step == r.last() && r.logged() == step {
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

// ends reports whether ctx has ended and err is its error.
func ends(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }

// step takes a step, and keeps a snapshot if this step should have one.
func (r *Run) step(ctx context.Context) error {
	loss, err := r.Step(ctx)
	if err != nil {
		return err
	}
	if err := r.CheckFinite(loss); err != nil {
		return err
	}
	if err := r.snapshot(); err != nil {
		return err
	}
	r.tellRest()
	if r.OnStep != nil {
		r.OnStep(r.At(), loss)
	}
	return nil
}

// checkpoint writes a checkpoint. The metrics up to it are flushed first, so that a run
// never resumes beyond them. If the run has diverged, it returns an error and keeps the
// earlier checkpoints.
func (r *Run) checkpoint() error {
	if err := r.CheckWeights(); err != nil {
		return err
	}
	if err := r.checkFolder(); err != nil {
		return err
	}
	changed := r.guard()
	if err := r.log.Sync(); err != nil {
		return err
	}
	if err := r.writeCheckpoint(); err != nil {
		return err
	}
	r.saved, r.savedAt = r.At(), r.now() // after the write, so that slow writes leave time to train
	return r.changedError(changed)
}

// finish writes summary.json.
func (r *Run) finish() error {
	text, err := r.Summary().text()
	if err != nil {
		return err
	}
	return r.write(summaryFile, text)
}

// Last returns the last evaluation, and reports whether there is one. It was computed in
// this session or, after resuming, verified by the checkpoint.
func (r *Run) Last() (Row, bool) {
	if len(r.rows) == 0 {
		return Row{}, false
	}
	return r.rows[len(r.rows)-1], true
}

// logged returns the step of the last row of metrics.jsonl; −1 without rows.
func (r *Run) logged() int {
	if last, ok := r.Last(); ok {
		return last.Step
	}
	return -1
}

// Close ends the run's goroutines, closes its files and releases its folder.
func (r *Run) Close() error {
	r.Trainer.Close()
	defer r.unlock()
	if r.log == nil { // it was not opened
		return nil
	}
	return r.log.Close()
}
