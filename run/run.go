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

// ErrInterrupted is what [Run.Train] and [Ensure] return when their context ended:
// a checkpoint is written and the run can be resumed.
var ErrInterrupted = errors.New("run: interrupted")

// Run is a trainer with a folder of plain files:
//
//	config.yaml          the resolved configuration
//	env.json             what it ran on, an entry a life
//	metrics.jsonl        a Row an evaluation, each with the checksum of all up to it
//	checkpoints/step-N/  weights, optimiser state, and what shows that these and the
//	                     rows and snapshots up to there are the run's; the last two
//	snapshots/           step-N.safetensors, of the steps that were asked for
//	summary.json         the last row, once the run is complete
type Run struct {
	*train.Trainer
	Options
	Dir string

	config     []byte      // config.yaml
	configHash string      // its SHA-256, which the checkpoints carry
	past       []phase     // before it, of a run that was extended
	provenance []byte      // env.json as this life has written it; nil if it has not
	folder     os.FileInfo // of Dir, to tell whether it is still the one that is locked
	unlock     func()      // gives the folder back

	log     *durable.Log
	rows    []Row     // of metrics.jsonl
	saved   int       // step of the last checkpoint; −1 if none
	savedAt time.Time // when it was written, or when this process began to train
	engines []int     // the train.BitsVersion of each part of its steps, in their order; 0 if unknown
	mixed   bool      // whether this process goes on from another's engine
	warned  bool      // that the loss is far above chance
	rests   bool      // as the user has been told, and no step lowers the loss any more
	// num_steps of before the run was extended, of the first life since; else 0
	extendedFrom int
	snapshots    map[int]string
}

// Create starts a run in a folder that is new or empty. One that holds something, a
// run or not, is a [*FolderError], and nothing in it is touched. A configuration that
// no config.yaml can say ([train.Config.YAML]), or whose evaluations no metrics.jsonl can
// hold, is an error, and no folder is made; nor is one when ctx ends before. The
// folder is the run's until Close: no other process can create or resume a run there.
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
	if err := checkKept(t.Config); err != nil { // before there is a folder
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

// own locks the run's folder and opens the run there. After an error nothing of
// it is left open.
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

// initialize writes the files that a run begins with; config.yaml is the last,
// because it is what makes the folder a run.
func (r *Run) initialize() error {
	if err := checkFree(r.Dir); err != nil { // somebody was faster
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

// Train runs to the configuration's last step. When ctx ends it writes a
// checkpoint of the last whole step and returns [ErrInterrupted], without waiting for a
// batch or an evaluation that is under way. A run that goes on but did not keep up to
// here what its Options ask for is an error. So is a change of the run's own files by
// somebody else meanwhile, after these are put back and a checkpoint is written.
//
// A run whose loss or weights are no finite numbers any more ends with an error that
// wraps a [*train.DivergedError] and names its last good checkpoint, which is kept.
func (r *Run) Train(ctx context.Context) error {
	err := r.train(ctx)
	var diverged *train.DivergedError
	if errors.As(err, &diverged) {
		return fmt.Errorf("%w; %s", err, r.lastGood())
	}
	return err
}

// lastGood says which checkpoint is left of a run that has diverged.
func (r *Run) lastGood() string {
	if r.saved < 0 {
		return "it had no checkpoint yet"
	}
	return fmt.Sprintf("%s is its last good checkpoint, with which another run can begin by train.init",
		filepath.Join(r.Dir, checkpointDir, stepName(r.saved)))
}

func (r *Run) train(ctx context.Context) error {
	if err := r.check(r.Dir, r.Config.Model, r.schedule(), r.saved, r.rows, r.snapshots); err != nil {
		return err
	}
	o := r.Config.Train
	if r.provenance == nil && r.At() < o.NumSteps {
		if err := r.goOn(); err != nil {
			return err
		}
	}
	r.savedAt = r.now()
	for {
		step := r.At()
		if err := r.evaluate(ctx); err != nil && !ends(ctx, err) {
			return err
		}
		stop := ctx.Err() != nil
		if step > r.saved && step > 0 && (stop || r.schedule().saves(step, r.savedAt, r.now())) {
			if err := r.checkpoint(); err != nil {
				return err
			}
		}
		if step == o.NumSteps && r.logged() == step {
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

// checkpoint writes a checkpoint. The metrics up to it are flushed first, so
// that a run never resumes beyond them. A run that has diverged keeps its earlier
// checkpoints.
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

// finish writes summary.json: the last evaluation.
func (r *Run) finish() error {
	last, _ := r.Last()
	text, err := summaryText(last)
	if err != nil {
		return err
	}
	return r.write(summaryFile, text)
}

// Last returns the last evaluation, and whether there is one: as it was computed, or,
// where the run was resumed since, as its checkpoint vouches for it.
func (r *Run) Last() (Row, bool) {
	if len(r.rows) == 0 {
		return Row{}, false
	}
	return r.rows[len(r.rows)-1], true
}

// logged is the step of the last row of metrics.jsonl; −1 if there is none.
func (r *Run) logged() int {
	if last, ok := r.Last(); ok {
		return last.Step
	}
	return -1
}

// Close ends the run's goroutines, closes its files and gives its folder back.
func (r *Run) Close() error {
	r.Trainer.Close()
	defer r.unlock()
	if r.log == nil { // it was not opened
		return nil
	}
	return r.log.Close()
}
