package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"foretell/internal/durable"
	"foretell/train"
)

// Ensure returns the model of a configuration's run in a folder. It trains the model,
// resumes a run that was stopped, or reads a run that is complete; the bits are the same
// in each case. If ctx ends, it writes a checkpoint, provided that a step was taken, and
// returns [ErrInterrupted]; the next call continues from there.
//
// With [Options.ByCode] the run learns a process made by Go code. For a hidden Markov
// model, config.yaml contains the matrices, so any program can use the run. For another
// process it contains only the name, so only a program that makes the process can resume
// the run.
//
// Ensure returns a [*FolderError] if the folder holds a run of another configuration or
// files of an incomplete run, and [ErrInUse] if the run is open elsewhere. It returns an
// error if the options ask for a snapshot or a measurement ([Options.Watch]) that the run
// did not record at an earlier step.
func Ensure(ctx context.Context, dir string, c train.Config, o Options) (*Trained, error) {
	c, err := o.named(c)
	if err != nil {
		return nil, err
	}
	if trained, err := complete(dir, c, o); trained != nil || err != nil {
		return trained, err
	}
	r, err := CreateOrResume(ctx, dir, c, o)
	if err != nil && ends(ctx, err) { // while the optimal predictor's loss was being computed
		return nil, ErrInterrupted
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Train(ctx); err != nil {
		return nil, err
	}
	m, step, err := r.Result()
	if err != nil {
		return nil, err
	}
	return &Trained{Model: m, Process: r.Process, Config: c, Step: step, Seed: c.Train.Seed}, nil
}

// complete opens the run of a configuration in a folder if it is complete and intact.
// Otherwise it returns nil, so that the caller resumes the run, which reports what is
// wrong.
func complete(dir string, c train.Config, o Options) (*Trained, error) {
	if _, err := os.Stat(filepath.Join(dir, summaryFile)); err != nil {
		return nil, nil
	}
	have, text, err := readConfig(dir, o.ByCode)
	if err != nil {
		return nil, nil
	}
	if same, err := sameConfig(have, c); !same || err != nil {
		return nil, err
	}
	trained, err := Open(dir)
	if err == nil && o.ByCode != nil {
		trained.Process = o.ByCode
	}
	if err != nil || trained.FellBack {
		return nil, nil
	}
	hash := hexHash(text)
	s, rows, err := result(dir, hash, have)
	if err != nil {
		return nil, nil
	}
	err = o.check(dir, c.Model, s.schedule(hash, c.Train), s.Step, rows, s.Snapshots)
	if err != nil {
		return nil, err
	}
	o.note(trained.Notes)
	return trained, nil
}

// result reads and verifies the results of a complete run: the state of its last
// checkpoint, the rows of metrics.jsonl, and the summary.
func result(dir, configHash string, c train.Config) (s state, rows []Row, err error) {
	if s, _, err = newestState(dir, configHash); err != nil {
		return s, nil, err
	}
	if !s.complete(c.Train) {
		return s, nil, fmt.Errorf("the last checkpoint is of step %d", s.Step)
	}
	steps := s.schedule(configHash, c.Train)
	log, err := durable.ReadLog(filepath.Join(dir, metricsFile), originOf(steps.past, configHash))
	if err == nil {
		err = s.checkRows(log)
	}
	if err == nil {
		rows, err = decodeRows(log)
	}
	if err == nil && (log.Damage != "" || len(missingSteps(rows, steps, steps.last()+1)) > 0 ||
		rows[len(rows)-1].Step != steps.last()) {
		err = fmt.Errorf("%s does not have exactly the rows of the run", metricsFile)
	}
	if err == nil {
		err = checkSummary(dir, s.summary(rows[len(rows)-1], c.Train))
	}
	return s, rows, err
}

// CreateOrResume creates the run of a configuration in a folder, as [Create] does, or
// opens the run of the same configuration that the folder holds, as [Resume] does. A run
// of another configuration is a [*FolderError].
func CreateOrResume(ctx context.Context, dir string, c train.Config, o Options) (*Run, error) {
	if !holdsRun(dir) {
		r, err := Create(ctx, dir, c, o)
		if !errors.Is(err, ErrHoldsRun) { // another process has begun a run meanwhile
			return r, err
		}
	}
	c, err := o.named(c)
	if err != nil {
		return nil, err
	}
	r, err := Resume(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if same, err := sameConfig(r.Config, c); !same || err != nil {
		r.Close()
		if err == nil {
			err = &FolderError{dir, ErrOtherConfig}
		}
		return nil, err
	}
	return r, nil
}

// sameConfig reports whether two resolved configurations have the same config.yaml.
func sameConfig(a, b train.Config) (bool, error) {
	first, err := a.YAML()
	if err != nil {
		return false, err
	}
	second, err := b.YAML()
	return string(first) == string(second), err
}
