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

// Ensure returns the model of a configuration's run in a folder. It trains it,
// goes on with the run where it stopped, or takes it as it is when it is complete:
// the bits are the same. When ctx ends it writes a checkpoint, if there was a step, and
// returns [ErrInterrupted]; the next call continues from there.
//
// With [Options.ByCode] the run learns a process that Go code has made. Of a hidden
// Markov model config.yaml has the matrices, so that the run is as any other; of another
// process the name alone, so that only the program that makes it can go on with the run.
//
// A folder whose run is of another configuration, or which holds traces of a run
// that are none, is a [*FolderError]; a run that is open elsewhere is [ErrInUse]. A
// run that was begun without a snapshot or a watched number that the options ask for,
// and has come past it, is an error that says so.
func Ensure(ctx context.Context, dir string, c train.Config, o Options) (*Trained, error) {
	c, err := o.named(c)
	if err != nil {
		return nil, err
	}
	if trained, err := complete(dir, c, o); trained != nil || err != nil {
		return trained, err
	}
	r, err := CreateOrResume(ctx, dir, c, o)
	if err != nil && ends(ctx, err) { // while the floor was computed
		return nil, ErrInterrupted
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Train(ctx); err != nil {
		return nil, err
	}
	return &Trained{Model: r.Model, Process: r.Process, Step: r.At(), Seed: c.Train.Seed}, nil
}

// complete opens the run of a configuration in a folder if it has come to its end
// and everything is in order; otherwise it returns nil, for resuming to find out
// what is wrong.
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
	if err != nil || trained.Step != c.Train.NumSteps {
		return nil, nil
	}
	hash := hexHash(text)
	s, rows, err := result(dir, hash, have)
	if err != nil {
		return nil, nil
	}
	snapshots, err := s.snapshotHashes(dir, c.Model)
	if err == nil {
		err = o.check(dir, c.Model, schedule{s.past(hash), c.Train}, trained.Step, rows, snapshots)
	}
	if err != nil {
		return nil, err
	}
	o.note(trained.Notes)
	return trained, nil
}

// result reads what a complete run ended in, all of which must be as it was written: its
// last checkpoint's state, the rows of metrics.jsonl, and the summary.
func result(dir, configHash string, c train.Config) (s state, rows []Row, err error) {
	if s, _, err = newestState(dir, configHash); err != nil {
		return s, nil, err
	}
	steps := schedule{s.past(configHash), c.Train}
	log, err := durable.ReadLog(filepath.Join(dir, metricsFile), originOf(steps.past, configHash))
	if err == nil {
		err = s.checkRows(log, steps)
	}
	if err == nil {
		rows, err = decodeRows(log)
	}
	if err == nil && (log.Damage != "" || len(missingSteps(rows, steps, c.Train.NumSteps+1)) > 0) {
		err = fmt.Errorf("%s is not whole", metricsFile)
	}
	if err == nil {
		err = checkSummary(dir, rows[len(rows)-1])
	}
	return s, rows, err
}

// CreateOrResume creates the run of a configuration in a folder, as [Create] does, or
// opens the run of the same configuration that the folder holds, as [Resume] does. A run
// of another configuration is a [*FolderError].
func CreateOrResume(ctx context.Context, dir string, c train.Config, o Options) (*Run, error) {
	if !holdsRun(dir) {
		r, err := Create(ctx, dir, c, o)
		if !errors.Is(err, ErrHoldsRun) { // which another process began meanwhile
			return r, err
		}
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

// sameConfig compares resolved configurations by what a config.yaml says of them.
func sameConfig(a, b train.Config) (bool, error) {
	first, err := a.YAML()
	if err != nil {
		return false, err
	}
	second, err := b.YAML()
	return string(first) == string(second), err
}
