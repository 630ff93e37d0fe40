package run

import (
	"fmt"
	"runtime"
	"time"

	"foretell/model"
	"foretell/process"
)

// Options are what a run is asked for beside its configuration. None of them
// changes the weights that it ends in.
type Options struct {
	// Workers is the number of goroutines that share a step; 0 stands for as many
	// as there are processors.
	Workers int

	// ByCode, if not nil, is what the run learns; the configuration then names none. See
	// [Ensure].
	ByCode process.Sampler

	// AllowOtherEngine lets a run go on whose steps another engine computed, of other
	// bits: it is then neither's, which its files say. See [EngineError].
	AllowOtherEngine bool

	// Snapshots are steps of which the weights are kept, for [Snapshot] to read.
	Snapshots []int
	// Watch is logged with each evaluation; see [Row].
	Watch Watch

	// Clock, if not nil, tells the time in place of [time.Now]. It decides when a checkpoint
	// of train.checkpoint_minutes is written, never what it holds.
	Clock func() time.Time

	// OnEvaluating, if not nil, is called before each evaluation, with the step.
	OnEvaluating func(step int)
	// OnStep and OnEvaluation, if not nil, are called after each.
	OnStep       func(step int, loss float64)
	OnEvaluation func(Row)
	// OnNote, if not nil, is told what the user of a run that goes on should know,
	// such as that the latest checkpoint was damaged and an earlier one was taken.
	OnNote func(string)
}

// Watch are numbers of one's own, by name, that are measured on the model at each
// evaluation.
type Watch map[string]func(*model.Transformer[float32]) (float64, error)

func (o Options) workers() int {
	if o.Workers == 0 {
		return runtime.NumCPU()
	}
	return o.Workers
}

// now is the time by the run's clock.
func (o Options) now() time.Time {
	if o.Clock == nil {
		return time.Now()
	}
	return o.Clock()
}

func (o Options) note(notes []string) {
	for _, note := range notes {
		if o.OnNote != nil {
			o.OnNote(note)
		}
	}
}

// check returns an error if a run of a model, in the folder dir, cannot keep all that is
// asked for: if a step is not one of its steps, or if it has come to the step at, with
// these rows and these hashes of snapshots, without keeping it.
func (o Options) check(dir string, c model.Config, s schedule, at int, rows []Row, snapshots map[int]string) error {
	for _, step := range o.Snapshots {
		if step < 0 || step > s.now.NumSteps {
			return fmt.Errorf("run: a snapshot of step %d is asked for, outside [0, num_steps = %d]", step, s.now.NumSteps)
		}
		if step > 0 && step <= at {
			if err := checkSnapshot(dir, step, snapshots[step], c); err != nil {
				return err
			}
		}
	}
	return o.checkWatched(dir, s, at, rows)
}
