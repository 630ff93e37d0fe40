package run

import (
	"fmt"
	"time"

	"foretell/model"
	"foretell/process"
)

// Options control a run beyond its configuration. They do not change the final weights.
type Options struct {
	// Workers is the number of goroutines that share a step; 0 means the number of
	// processors.
	Workers int

	// ByCode, if not nil, is the process that the run learns; the configuration then names
	// no process. See [Ensure].
	ByCode process.Sampler

	// AllowOtherEngine lets a run continue although its steps so far were computed by
	// another engine, that is with another [train.BitsVersion]. Its files record that both
	// engines were used. See [EngineError].
	AllowOtherEngine bool

	// Snapshots are steps whose weights are kept, for [Snapshot] to read.
	Snapshots []int
	// Watch holds measurements of the model that are made and logged at each evaluation; see
	// [Row].
	Watch Watch

	// Clock, if not nil, replaces [time.Now]. It decides when train.checkpoint_minutes
	// causes a checkpoint to be written, and does not affect the contents.
	Clock func() time.Time

	// OnEvaluating, if not nil, is called before each evaluation with the number of steps
	// taken so far.
	OnEvaluating func(step int)
	// OnStep and OnEvaluation, if not nil, are called after each step and each evaluation.
	OnStep       func(step int, loss float64)
	OnEvaluation func(Row)
	// OnNote, if not nil, is called with notes for the user of a resumed run, such as that
	// the latest checkpoint was damaged and an earlier one is used.
	OnNote func(string)
}

// Watch holds your own measurements, by name, that are taken of the model at each
// evaluation.
type Watch map[string]func(*model.Transformer[float32]) (float64, error)

// now returns the time by the run's clock.
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

// check returns an error if a run cannot record everything that the options ask for: if a
// snapshot is not one of its steps, or if the run has passed the step without recording
// it. Its latest checkpoint has the step `at` and these rows and snapshot hashes.
func (o Options) check(dir string, c model.Config, s schedule, at int, rows []Row, snapshots map[int]string) error {
	for _, step := range o.Snapshots {
		if step < 0 || step > s.now.NumSteps {
			return fmt.Errorf("run: the snapshot of step %d is outside [0, num_steps = %d]", step, s.now.NumSteps)
		}
		if step > 0 && step <= at {
			if err := checkSnapshot(dir, step, snapshots[step], c); err != nil {
				return err
			}
		}
	}
	return o.checkWatched(dir, s, at, rows)
}
