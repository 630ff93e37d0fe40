package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// extendable are the keys of a configuration that may change while a run goes on: none
// of them changes what a step does.
var extendable = []string{
	"train.num_steps", "train.evaluate_every",
	"train.checkpoint_every", "train.checkpoint_minutes", "train.checkpoints",
}

// Extend is [Resume] of a run whose configuration changes first, by assignments as
// [train.Parse] takes them: Extend(dir, o, "train.num_steps=6000") goes on with a run of
// 3,000 steps, finished or not, to 6,000, and its weights are those of a run that was
// begun with 6,000. What may change are train.num_steps, train.evaluate_every,
// train.checkpoint_every, train.checkpoint_minutes and train.checkpoints. What is left
// out stays, and the steps so far are evaluated and kept as they were. Another key is an
// error, and so is another num_steps where the learning rate falls to its end by the last
// step, which would have been another training from its first step on.
//
// The run's config.yaml is then that of the longer run. Its checkpoints tell of the ones
// before by their hashes, from which [Check] follows the rows, and env.json of the life
// in which it was extended. A kill leaves the run as it was or extended.
func Extend(ctx context.Context, dir string, o Options, assignments ...string) (*Run, error) {
	old, text, err := readConfig(dir, o.ByCode)
	if err != nil {
		return nil, err
	}
	c, _, err := readConfig(dir, o.ByCode, assignments...)
	x := extension{dir, old, c, o}
	var impossible *model.FieldError
	if err == nil || errors.As(err, &impossible) { // what the keys are is clear
		if err := x.checkKeys(assignments); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if err := x.check(newestState(dir, hexHash(text))); err != nil { // before anything is touched
		return nil, err
	}
	said, tell := map[string]bool{}, o.OnNote
	o.OnNote = func(note string) {
		if tell != nil && !said[note] {
			tell(note)
		}
		said[note] = true
	}
	r, err := Resume(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if same, err := sameConfig(r.Config, c); same && err == nil {
		return r, nil
	}
	err = r.extend(x)
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return Resume(ctx, dir, o)
}

// extension is a run's configuration and the one with which it is to go on.
type extension struct {
	dir      string
	old, new train.Config
	Options
}

// checkKeys returns an error of the first assignment of a key that may not change.
func (x extension) checkKeys(assignments []string) error {
	for _, a := range assignments {
		if key, _, _ := strings.Cut(a, "="); !slices.Contains(extendable, strings.TrimSpace(key)) {
			advice := "train another one"
			if strings.HasPrefix(strings.TrimSpace(key), "train.") { // whose weights fit
				advice += ", which can begin with this one's weights by train.init: " + x.dir
			}
			return strict.Fieldf(key, "cannot change in a run that goes on, only %s; %s",
				strings.Join(extendable, ", "), advice)
		}
	}
	return nil
}

// check returns an error if a run that has come to a step, −1 for the beginning without a
// checkpoint, with this state cannot go on so.
func (x extension) check(s state, at int, err error) error {
	if err != nil {
		return err
	}
	o, old := x.new.Train, x.old.Train
	if o.NumSteps != old.NumSteps && o.LRSchedule != "constant" {
		return strict.Fieldf("train.num_steps", "cannot change with lr_schedule: %s, whose rate is at its end at step %d: "+
			"more steps are another training from the first one on; train that in another folder, "+
			"or one that begins with these weights by train.init: %s", o.LRSchedule, old.NumSteps, x.dir)
	}
	if o.NumSteps < at {
		return strict.Fieldf("train.num_steps", "= %d is before step %d, to which the run has come", o.NumSteps, at)
	}
	for _, step := range o.Checkpoints.Steps {
		if step <= at && s.Snapshots[step] == "" {
			return strict.Fieldf("train.checkpoints", "= %d is behind: the run has come to step %d without keeping it", step, at)
		}
	}
	if err := checkKept(x.new); err != nil || at < 0 {
		return err
	}
	if s.Format < format {
		return fmt.Errorf("%s is of before format 2, whose rows nothing binds to a configuration, and cannot be extended; "+
			"begin another run with its weights by train.init: %s", x.dir, x.dir)
	}
	if engine := s.engine(); o.NumSteps > at && isOther(engine) && !x.AllowOtherEngine {
		return &EngineError{x.dir, at, engine}
	}
	return nil
}

// extend gives the run the configuration with which it is to go on.
func (r *Run) extend(x extension) error {
	var s state
	var err error
	if r.saved >= 0 {
		s, err = readStateOf(filepath.Join(r.Dir, checkpointDir, stepName(r.saved)), r.configHash)
	}
	if err := x.check(s, r.saved, err); err != nil {
		return err
	}
	text, err := x.new.YAML()
	if err != nil {
		return err
	}
	return r.exchange(newPhase(r.configHash, r.Config.Train, max(0, r.saved)), text)
}

// exchange puts another config.yaml in the place of the one under which the run was up to
// the end of a phase. The checkpoints know the new one before it is there, so that
// whatever is there after a kill is theirs.
func (r *Run) exchange(p phase, text []byte) error {
	steps, err := checkpoints(filepath.Join(r.Dir, checkpointDir))
	if err != nil {
		return err
	}
	for _, step := range steps {
		name := filepath.Join(checkpointDir, stepName(step))
		s, err := readStateOf(filepath.Join(r.Dir, name), r.configHash)
		if err != nil || s.Format < format {
			continue // it has been said that this one is not usable
		}
		s.Configs = append(slices.Clone(r.past), p, phase{ConfigSHA256: hexHash(text)})
		s.Format = extendedFormat
		record, err := s.text()
		if err != nil {
			return err
		}
		if err := r.write(filepath.Join(name, stateFile), record); err != nil {
			return err
		}
	}
	if err := durable.Remove(filepath.Join(r.Dir, summaryFile)); err != nil {
		return err
	}
	return r.write(model.ConfigFile, text)
}

// configs are what a checkpoint tells of the run's configurations; nil of a run that has
// had one.
func (r *Run) configs() []phase {
	if len(r.past) == 0 {
		return nil
	}
	return append(slices.Clone(r.past), phase{ConfigSHA256: r.configHash})
}

// chainOrigin is where the checksums of the run's rows start from.
func (r *Run) chainOrigin() string { return originOf(r.past, r.configHash) }
