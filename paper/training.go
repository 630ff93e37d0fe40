package paper

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"foretell/model"
	"foretell/run"
)

// trainAll trains the models of conditions, as many at once as there are workers:
// side by side they waste less time waiting for each other than the workers of
// one model do, and the bits are the same.
func (s *Study) trainAll(list []condition) ([]*model.Transformer[float32], error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel() // the others, when one fails
	models, errs := make([]*model.Transformer[float32], len(list)), make([]error, len(list))
	atOnce := max(1, min(len(list), s.Workers))
	stopped := each(ctx, atOnce, len(list), func(i int) error {
		if models[i], errs[i] = s.train(ctx, list[i], max(1, s.Workers/atOnce)); errs[i] != nil {
			cancel()
		}
		return nil
	})
	for i, err := range errs {
		if err != nil && !(errors.Is(err, run.ErrInterrupted) && s.ctx.Err() == nil) {
			return nil, fmt.Errorf("%s: %w", list[i].label(), err)
		}
	}
	return models, stopped
}

// train trains the model of a condition in a run of its own, or goes on with
// the run, or takes it as it is when it is complete: the bits are the same.
func (s *Study) train(ctx context.Context, c condition, workers int) (*model.Transformer[float32], error) {
	at, dir := 0, s.runFolder(c)
	trained, err := run.Ensure(ctx, dir, c.config(), run.Options{
		Workers:   workers,
		Snapshots: s.snapshotSteps(c),
		OnStep: func(step int, _ float64) {
			s.advance(step-at, "training "+c.label())
			at = step
		},
		OnNote: func(note string) { s.notice(dir + ": " + note) },
	})
	if err != nil {
		return nil, err
	}
	s.advance(c.steps()-at, "trained "+c.label())
	return trained.Model, nil
}

// advance reports steps of training, of one model at a time.
func (s *Study) advance(steps int, label string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.trained += steps
	s.report(label)
}

func (s *Study) runFolder(c condition) string { return filepath.Join(s.Out, "runs", c.folder()) }

func (s *Study) notice(text string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if s.Notice != nil {
		s.Notice(text)
	}
}

// snapshots is how many a model's training curve has, besides the beginning.
const snapshots = 8

// snapshotSteps lists the steps whose weights are kept for the training curves
// of M9, doubling up to the last; none for a model that M9 does not show.
func (s *Study) snapshotSteps(c condition) []int {
	if c.norm != s.Profile.Norms[0] || !slices.Contains(mess3Conditions(s.Profile), c) {
		return nil
	}
	var steps []int
	for i := range snapshots {
		if step := c.steps() >> (snapshots - 1 - i); step > 0 && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	return steps
}
