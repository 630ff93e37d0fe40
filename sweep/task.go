package sweep

import (
	"context"
	"errors"
	"fmt"

	"foretell/cluster"
	"foretell/internal/text"
	"foretell/run"
)

// Submit submits the missing runs of the study to Slurm, in the tasks of a job, and
// returns the states that the runs had before. Runs that diverged are not submitted.
func (s *Study) Submit(
	ctx context.Context, slurm cluster.Slurm, job cluster.Job,
) (*cluster.Submitted, []Progress, error) {
	states, err := s.States()
	if err != nil {
		return nil, nil, err
	}
	done, err := slurm.Submit(ctx, job, func(item int) bool {
		return states[item].State != Complete && states[item].State != Diverged
	})
	return done, states, err
}

// TrainTask trains the runs of a task of a cluster, which has perTask runs; see
// [cluster.Job]. It returns an error unless all of them are complete in the end. If ctx
// ends, the error is [run.ErrInterrupted] only if the task shall be queued again, see
// [cluster.Again]. The options First and Last are ignored.
func (s *Study) TrainTask(ctx context.Context, task, perTask int, o Options) error {
	o.First, o.Last = cluster.Job{Items: len(s.Runs), PerTask: max(perTask, 1)}.Range(task)
	if task < 0 || o.First == o.Last {
		return fmt.Errorf("%s has no task %d of %s", s.Dir, task, text.Count(perTask, "run"))
	}
	complete, steps, err := s.reached()
	if err != nil {
		return err
	}
	states, err := s.Train(ctx, o)
	if errors.Is(err, run.ErrInterrupted) {
		completeNow, stepsNow, err := s.reached()
		if err != nil {
			return err
		}
		again, err := cluster.Again(s.Dir, o.Attempt, completeNow > complete || stepsNow > steps)
		switch {
		case err != nil:
			return err
		case again:
			return run.ErrInterrupted
		}
		return errors.New("interrupted before the first checkpoint, four times in a row; allow more time")
	}
	if err != nil {
		return err
	}
	c := Count(states[o.First:o.Last])
	if o.Notice != nil {
		o.Notice(fmt.Sprintf("%d of %s complete", c.Complete, text.Count(c.Runs, "run")))
	}
	if c.Complete < c.Runs {
		return fmt.Errorf("%d of %d runs have no result", c.Runs-c.Complete, c.Runs)
	}
	return nil
}

// reached returns the number of complete runs, and the number of steps of the furthest
// checkpoints of the others.
func (s *Study) reached() (complete, steps int, err error) {
	states, err := s.States()
	for _, p := range states {
		steps += p.Step // 0 if the run is complete
	}
	return Count(states).Complete, steps, err
}

// Failures returns a line for each run that has no result because of an error, and the
// number of runs that have diverged, which would diverge again.
func Failures(states []Progress) (lines []string, diverged int) {
	for _, p := range states {
		if p.Error == "" {
			continue
		}
		lines = append(lines, fmt.Sprintf("run %s: %s: %s", Planned{ID: p.ID, Name: p.Name}.Folder(), p.State, p.Error))
		if p.State == Diverged {
			diverged++
		}
	}
	return lines, diverged
}
