package claim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"foretell/internal/parallel"
	"foretell/run"
)

// planned is what the progress of a study says about a training run.
type planned struct {
	label    string
	products float64 // see [train.Config.Products]
}

// plan records the training runs of the rows and resets the study.
func (s *Study) plan(rows []Row) error {
	s.planned, s.runs, s.training = map[string]planned{}, map[string]*run.Trained{}, nil
	s.planWork(rows)
	list, err := Trainings(rows)
	if err != nil {
		return err
	}
	for _, t := range list {
		products, err := t.Config.Products()
		if err != nil {
			return fmt.Errorf("%s: %w", t.Label, err)
		}
		s.planned[t.Name] = planned{t.Label, products}
		s.at.AllSteps += t.Config.Train.NumSteps
		s.at.AllProducts += products
	}
	return nil
}

// Trainings returns the training runs of the rows, each once, in the order in which the
// rows list them. It returns an error if two different runs have the same name, or if a
// name cannot be the name of a folder.
func Trainings(rows []Row) (list []Training, err error) {
	for _, row := range rows {
		for _, t := range row.Trainings {
			if t.Name == "." || filepath.Base(t.Name) != t.Name || !filepath.IsLocal(t.Name) {
				return nil, fmt.Errorf("claim: %s lists a run named %q, want the name of a folder", row.ID, t.Name)
			}
			i := slices.IndexFunc(list, func(o Training) bool { return o.Name == t.Name })
			if i < 0 {
				list = append(list, t)
			} else if !list[i].same(t) {
				return nil, fmt.Errorf("claim: %s lists the run %s with other settings than an earlier row; "+
					"give it another name",
					row.ID, t.Name)
			}
		}
	}
	return list, nil
}

// Waiting is a row that cannot be tested yet, because training runs of it are not
// complete.
type Waiting struct {
	ID   string   `json:"id"`
	Runs []string `json:"waits_for"` // names of the runs that are not complete
}

// Ready returns the rows whose training runs are all complete, and says what the other
// rows wait for.
func Ready(rows []Row, complete func(run string) bool) (ready []Row, waiting []Waiting) {
	for _, row := range rows {
		var missing []string
		for _, t := range row.Trainings {
			if !complete(t.Name) && !slices.Contains(missing, t.Name) {
				missing = append(missing, t.Name)
			}
		}
		if missing == nil {
			ready = append(ready, row)
		} else {
			waiting = append(waiting, Waiting{row.ID, missing})
		}
	}
	return ready, waiting
}

// same reports whether two training runs are the same: the same configuration, the same
// steps at which weights are kept, and the same names of watched numbers.
func (t Training) same(o Training) bool {
	names := func(w run.Watch) []string { return slices.Sorted(maps.Keys(w)) }
	return reflect.DeepEqual(t.Config, o.Config) && slices.Equal(t.Snapshots, o.Snapshots) &&
		slices.Equal(names(t.Watch), names(o.Watch))
}

// train trains the models that are not trained yet, as many at a time as there are
// workers. One worker for each model wastes less time waiting than several workers for a
// single model. If fewer models than workers are left in the end, they share all workers.
// The weights are the same to the last bit.
func (s *Study) train(ctx context.Context, list []Training) error {
	var missing []Training
	for _, t := range list {
		listed := slices.ContainsFunc(missing, func(other Training) bool { return other.Name == t.Name })
		if s.runs[t.Name] == nil && !listed {
			missing = append(missing, t)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	atOnce := max(1, min(len(missing), s.Workers))
	trained := make([]*run.Trained, len(missing))
	err := each(ctx, atOnce, len(missing), func(ctx context.Context, i int) (err error) {
		trained[i], err = s.ensure(ctx, missing[i], workersFor(i, len(missing), atOnce, s.Workers))
		return err
	})
	if err != nil {
		return err
	}
	for i, t := range missing {
		s.runs[t.Name] = trained[i]
	}
	return nil
}

// workersFor returns the number of workers of model i of n, which are trained in rounds
// of atOnce models. The last round may have fewer.
func workersFor(i, n, atOnce, workers int) int {
	if rest := n % atOnce; i >= n-rest {
		atOnce = rest
	}
	return max(1, workers/atOnce)
}

// ensure trains one model, resumes its training, or uses it as it is if it is complete.
func (s *Study) ensure(ctx context.Context, t Training, workers int) (*run.Trained, error) {
	dir, at := s.Dir(t), 0
	trained, err := run.Ensure(ctx, dir, t.Config, run.Options{
		Workers: workers, Snapshots: t.Snapshots, Watch: t.Watch,
		OnStep: func(step int, _ float64) {
			s.takeSteps(t, step-at)
			at = step
		},
		OnNote: func(note string) { s.notice(dir + ": " + note) },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label, err)
	}
	s.endSteps(t, t.Config.Train.NumSteps-at)
	return trained, nil
}

// Each calls f with each index from 0 to n−1 on the study's workers and waits until all
// calls have returned. It returns the first error in the order of the indices; an error
// stops the remaining calls. The effect of f must not depend on when or on which worker
// it runs.
func (s *Study) Each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	return each(ctx, s.Workers, n, f)
}

func each(ctx context.Context, workers, n int, f func(ctx context.Context, i int) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, n)
	_ = parallel.Each(inner, workers, n, func(i int) error {
		if errs[i] = f(inner, i); errs[i] != nil {
			cancel()
		}
		return errs[i]
	})
	return first(ctx, errs)
}

// first returns the first error that was not caused by cancellation, or the first error
// if cancellation caused all of them. If errs has no error, it returns ctx.Err().
func first(ctx context.Context, errs []error) error {
	failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if at := slices.IndexFunc(failed, func(err error) bool { return !stopped(err) }); at >= 0 {
		return failed[at]
	}
	if len(failed) > 0 {
		return failed[0]
	}
	return ctx.Err()
}

// stopped reports whether an error is caused by the end of the context.
func stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, run.ErrInterrupted)
}
