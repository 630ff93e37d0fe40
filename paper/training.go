package paper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/model"
	"foretell/train"
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
		if err != nil && !(errors.Is(err, train.ErrInterrupted) && s.ctx.Err() == nil) {
			return nil, fmt.Errorf("%s: %w", list[i].label(), err)
		}
	}
	return models, stopped
}

// train trains the model of a condition in a run of its own, or goes on with
// the run, or takes it as it is when it is complete: the bits are the same.
func (s *Study) train(ctx context.Context, c condition, workers int) (*model.Transformer[float32], error) {
	run, err := s.openRun(c, workers)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	at, keep := 0, s.snapshotSteps(c)
	var failed error // to keep a snapshot
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run.OnStep = func(step int, _ float64) {
		if slices.Contains(keep, step) {
			if failed = s.writeSnapshot(c, step, run.Model); failed != nil {
				cancel()
			}
		}
		s.advance(step-at, "training "+c.label())
		at = step
	}
	if err := run.Train(ctx); err != nil {
		if failed != nil {
			return nil, failed
		}
		return nil, err
	}
	s.advance(c.steps()-at, "trained "+c.label())
	return run.Model, nil
}

// advance reports steps of training, of one model at a time.
func (s *Study) advance(steps int, label string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.trained += steps
	s.report(label)
}

func (s *Study) openRun(c condition, workers int) (*train.Run, error) {
	dir := s.runFolder(c)
	config, err := c.config().Resolve()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, model.ConfigFile)); errors.Is(err, os.ErrNotExist) {
		return train.Create(dir, config, workers)
	}
	run, err := train.Resume(dir, workers)
	if err != nil {
		return nil, err
	}
	s.notice(dir, run.Notes)
	have, err := run.Config.YAML()
	if err != nil {
		return nil, err
	}
	want, err := config.YAML()
	if err != nil {
		return nil, err
	}
	if string(have) != string(want) {
		run.Close()
		return nil, fmt.Errorf("%s holds a run of another configuration; give another folder with --out", dir)
	}
	return run, nil
}

func (s *Study) runFolder(c condition) string { return filepath.Join(s.Out, "runs", c.folder()) }

func (s *Study) notice(dir string, notes []string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	for _, note := range notes {
		if s.Notice != nil {
			s.Notice(dir + ": " + note)
		}
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

func (s *Study) snapshotFile(c condition, step int) string {
	return filepath.Join(s.runFolder(c), "snapshots", fmt.Sprintf("step-%d.safetensors", step))
}

// writeSnapshot keeps a model's weights. A run writes them before the checkpoint
// of the same step, so that a run which goes on from a checkpoint has them all.
func (s *Study) writeSnapshot(c condition, step int, m *model.Transformer[float32]) error {
	path := s.snapshotFile(c, step)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var weights bytes.Buffer
	if err := m.Write(&weights); err != nil {
		return err
	}
	return durable.WriteFile(path, weights.Bytes())
}

// readSnapshot returns the model of a condition as it was after a step, 0 for
// the beginning.
func (s *Study) readSnapshot(c condition, step int) (*model.Transformer[float32], error) {
	config := s.subjects[c].model.Config
	if step == 0 {
		return model.New[float32](config, c.seed)
	}
	path := s.snapshotFile(c, step)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("a snapshot of the training is missing; remove %s to train this model again: %w", s.runFolder(c), err)
	}
	m, err := model.Read[float32](data, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove %s to train this model again", path, err, s.runFolder(c))
	}
	return m, nil
}
