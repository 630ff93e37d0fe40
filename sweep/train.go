package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"foretell/internal/durable"
	"foretell/internal/parallel"
	"foretell/internal/text"
	"foretell/run"
	"foretell/train"
)

// Options control the training of a study. No result depends on them.
type Options struct {
	// Workers is the number of runs that train at the same time; 0 means the number of
	// processors. If fewer runs are missing, each has several goroutines.
	Workers int
	// First and Last are the range of runs to train, by their index in the manifest, without
	// Last; all runs if Last is 0.
	First, Last int
	// Attempt, if not empty, distinguishes the attempts of this program from the attempts of
	// programs on other machines: it is the name of a cluster's job and task. Empty means
	// that no other machine writes to the folder.
	Attempt string
	// Wait, if not nil, replaces the pause between two looks into a folder that other
	// machines write to.
	Wait func(ctx context.Context, d time.Duration) error

	// Advance, if not nil, is called by one goroutine at a time with the steps taken by the
	// runs of the study and the number of steps of all its runs.
	Advance func(done, total int)
	// Notice, if not nil, is called by one goroutine at a time with messages for the user.
	Notice func(text string)
}

// Train trains the runs of the study that are missing, resumes those that were stopped,
// and returns the states of all runs. A run that fails does not stop the others. If ctx
// ends, Train writes checkpoints and returns [run.ErrInterrupted]; calling it again
// continues from there.
func (s *Study) Train(ctx context.Context, o Options) ([]Progress, error) {
	jobs, err := s.missing(ctx, o)
	if err != nil {
		return nil, err
	}
	t := &training{Study: s, Options: o}
	for _, j := range jobs {
		t.total += j.config.Train.NumSteps
	}
	if err := t.all(ctx, jobs); err != nil {
		return nil, err
	}
	return s.States()
}

// job is a run that is to be trained.
type job struct {
	Planned
	config train.Config
	cost   float64 // see [train.Config.Products]
}

// newJobs reads the configurations of runs.
func newJobs(runs []Planned) ([]job, error) {
	jobs := make([]job, len(runs))
	return jobs, parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(runs), func(i int) (err error) {
		jobs[i], err = newJob(runs[i])
		return err
	})
}

func newJob(p Planned) (job, error) {
	c, err := p.Configuration()
	if err == nil && len(p.Watched) != len(p.watch) {
		err = fmt.Errorf("the run %s logs %s, which only the command that made the study can measure",
			p.Name, text.And(p.Watched))
	}
	if err != nil {
		return job{}, err
	}
	cost, err := c.Products()
	return job{p, c, cost}, err
}

// missing returns the runs that are to be trained, the most expensive first, so that at
// the end no processor waits long for the last run.
func (s *Study) missing(ctx context.Context, o Options) ([]job, error) {
	if s.Engine != train.BitsVersion {
		return nil, fmt.Errorf("the runs of %s have the bits of engine %d, and this program has engine %d",
			s.Dir, s.Engine, train.BitsVersion)
	}
	first, last := o.First, cmp.Or(o.Last, len(s.Runs))
	if first < 0 || first > last || last > len(s.Runs) {
		return nil, fmt.Errorf("sweep: there are no runs %d to %d; the study has %d", first, last, len(s.Runs))
	}
	planned, err := s.withoutComplete(ctx, o, slices.Clone(s.Runs[first:last]))
	if err != nil {
		return nil, err
	}
	planned = slices.DeleteFunc(planned, func(p Planned) bool { return s.readFailure(p.ID).diverged() })
	jobs, err := newJobs(planned)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(s.Dir, manifestFile), err)
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(b.cost, a.cost) })
	return jobs, nil
}

// withoutComplete removes the runs that are complete. If other machines write to the
// folder, it looks several times before it believes that a run is missing.
func (s *Study) withoutComplete(ctx context.Context, o Options, runs []Planned) ([]Planned, error) {
	wait, pause, last := o.Wait, between, 1
	if o.Attempt != "" {
		last = looks
	}
	if wait == nil {
		wait = sleep
	}
	for look := 1; ; look++ {
		done, err := s.complete()
		if err != nil {
			return nil, err
		}
		runs = slices.DeleteFunc(runs, func(p Planned) bool { return done[p.Folder()] })
		if len(runs) == 0 || look == last {
			return runs, nil
		}
		if err := wait(ctx, pause); err != nil {
			return nil, run.ErrInterrupted
		}
		pause *= 2
	}
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// training is a call of [Study.Train].
type training struct {
	*Study
	Options

	reports     sync.Mutex // guards the fields below, and calls of Advance and Notice
	done, total int        // steps
}

// all trains the runs, as many at a time as there are workers. One worker for each run
// wastes less time than several for a single run.
func (t *training) all(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return nil
	}
	workers := t.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	atOnce := min(len(jobs), workers)
	err := parallel.Each(ctx, atOnce, len(jobs), func(i int) error { return t.one(ctx, jobs[i], workers/atOnce) })
	if ctx.Err() != nil {
		return run.ErrInterrupted
	}
	return err
}

// one trains a run and publishes it. Its error says that the study's folder cannot be
// written; what is wrong with the run itself is recorded there.
func (t *training) one(ctx context.Context, j job, workers int) error {
	at := 0
	err := t.attempt(ctx, j, run.Options{
		Workers: workers, Snapshots: j.Snapshots, Watch: j.watch,
		OnStep: func(step int, _ float64) {
			t.advance(step - at)
			at = step
		},
		OnNote: func(note string) { t.notice("run " + j.Folder() + ": " + note) },
	})
	t.advance(j.config.Train.NumSteps - at)
	switch {
	case err == nil:
		return durable.Remove(t.failureFile(j.ID))
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, run.ErrInUse):
		t.notice("run " + j.Folder() + " is being trained by another program")
		return nil
	}
	if done, _ := t.complete(); done[j.Folder()] { // by another program, which removed this one's attempt
		return nil
	}
	t.notice(fmt.Sprintf("run %s: %v", describe(t.Varied, j.Planned), err))
	return t.fail(j.ID, err)
}

// attempt trains a run in this program's own folder, which it continues from the furthest
// attempt, and publishes it.
func (t *training) attempt(ctx context.Context, j job, o run.Options) error {
	attempts, err := t.attempts()
	if err != nil {
		return err
	}
	own := filepath.Join(t.Dir, attemptsFolder, j.ID)
	if t.Attempt != "" {
		own += "." + t.Attempt
	}
	if err := adopt(own, attempts[j.ID]); err != nil {
		return err
	}
	if _, err := run.Ensure(ctx, own, j.config, o); err != nil {
		return err
	}
	if err := run.Publish(own, t.Run(j.Planned)); err != nil {
		return err
	}
	for _, other := range attempts[j.ID] {
		_ = durable.Remove(other) // it has no purpose any more; what remains does no harm
	}
	return nil
}

// adopt makes the folder `own` a copy of the furthest attempt, if that is another one.
func adopt(own string, attempts []string) error {
	best, ok := furthest(attempts)
	if mine, begun := run.Describe(own); !ok || best.Dir == own || begun && mine.Step >= best.Step {
		return nil
	}
	if unlock, err := durable.Lock(own, func(string) {}); err == nil {
		defer unlock()
	} else if errors.Is(err, durable.ErrLocked) {
		return err
	}
	if err := durable.Remove(own); err != nil {
		return err
	}
	return run.Copy(best.Dir, own)
}

func (t *training) advance(steps int) {
	t.reports.Lock()
	defer t.reports.Unlock()
	t.done += steps
	if t.Advance != nil && steps > 0 {
		t.Advance(t.done, t.total)
	}
}

func (t *training) notice(text string) {
	t.reports.Lock()
	defer t.reports.Unlock()
	if t.Notice != nil {
		t.Notice(text)
	}
}
