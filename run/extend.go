package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// extendable are the configuration keys that may change when a run is continued. They do
// not change what a training step computes.
var extendable = []string{
	"train.num_steps", "train.evaluate_every",
	"train.checkpoint_every", "train.checkpoint_minutes", "train.checkpoints",
}

// Extend is [Resume] after changing the run's configuration by assignments in the form of
// [train.Parse]. Extend(dir, o, "train.num_steps=6000") continues a run of 3,000 steps,
// finished or not, to 6,000 steps. Its weights are the same as if it had been started
// with 6,000 steps. Only train.num_steps, train.evaluate_every, train.checkpoint_every,
// train.checkpoint_minutes and train.checkpoints may change; any other key is an error.
// Changing num_steps is also an error if lr_schedule depends on it, because that would
// change the training from its first step on. With train.stop, a change that would alter
// or add an evaluation that the rule has counted, or that comes after the rule has ended
// the run, is an error, too. Keys that are not assigned keep their
// values, and the evaluations and checkpoints so far are unchanged.
//
// The run's config.yaml becomes the configuration of the extended run. Its checkpoints
// record the hashes of the earlier configurations, which [Check] uses to verify the rows,
// and env.json records the extension. After a kill the run is either unchanged or fully
// extended.
func Extend(ctx context.Context, dir string, o Options, assignments ...string) (*Run, error) {
	old, text, err := readConfig(dir, o.ByCode)
	if err != nil {
		return nil, err
	}
	c, _, err := readConfig(dir, o.ByCode, assignments...)
	x := extension{dir, old, c, o}
	var impossible *strict.FieldError
	if err == nil || errors.As(err, &impossible) { // in both cases the keys could be read
		if err := x.checkKeys(assignments); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if err := x.check(newestState(dir, hexHash(text))); err != nil { // before any file is changed
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

// extension is the change of a run's configuration from the field old to the field new.
type extension struct {
	dir      string
	old, new train.Config
	Options
}

// checkKeys returns an error for the first assignment whose key may not change.
func (x extension) checkKeys(assignments []string) error {
	for _, a := range assignments {
		if key, _, _ := strings.Cut(a, "="); !slices.Contains(extendable, strings.TrimSpace(key)) {
			advice := "train a new run"
			// Without other model settings, the weights of this run fit the new run's model.
			if strings.HasPrefix(strings.TrimSpace(key), "train.") {
				advice += ", which can start from these weights by train.init: " + x.dir
			}
			return strict.Fieldf(key, "cannot change when a run is continued, only %s; %s",
				strings.Join(extendable, ", "), advice)
		}
	}
	return nil
}

// check returns an error if a run with this state cannot be extended. s is the state in
// its newest checkpoint, `at` is the step of that checkpoint (−1 without one), and err is
// the error of reading it.
func (x extension) check(s state, at int, err error) error {
	if err != nil {
		return err
	}
	o, old := x.new.Train, x.old.Train
	if o.NumSteps != old.NumSteps && o.LRSchedule != "constant" {
		return strict.Fieldf("train.num_steps", "cannot change with lr_schedule: %s, which ends at step %d: another "+
			"number would change the learning rate from the first step on; train in another folder, "+
			"from the beginning or from these weights by train.init: %s", o.LRSchedule, old.NumSteps, x.dir)
	}
	if err := x.checkStop(s); err != nil {
		return err
	}
	if o.NumSteps < at {
		return strict.Fieldf("train.num_steps", "= %d is before step %d, which the run has reached", o.NumSteps, at)
	}
	for _, step := range o.Checkpoints.Steps {
		if step <= at && s.Snapshots[step] == "" {
			return strict.Fieldf("train.checkpoints",
				"= %d is too late: the run has reached step %d without keeping the weights of step %d", step, at, step)
		}
	}
	if err := checkKept(x.new); err != nil || at < 0 {
		return err
	}
	if engine := s.engine(); o.NumSteps > at && engine != train.BitsVersion && !x.AllowOtherEngine {
		return &EngineError{x.dir, at, engine}
	}
	return nil
}

// checkStop returns an error if train.stop forbids the extension of a run in this state.
func (x extension) checkStop(s state) error {
	o, old := x.new.Train, x.old.Train
	start := "train in another folder, from the beginning or from these weights by train.init: " + x.dir
	switch end := s.stoppedAt(old); {
	case o.Stop == nil:
	case o.EvaluateEvery != old.EvaluateEvery:
		return strict.Fieldf("train.evaluate_every",
			"cannot change with train.stop, which counts evaluations; %s", start)
	case o.NumSteps != old.NumSteps && end > 0:
		return strict.Fieldf("train.num_steps", "cannot change: train.stop has ended the run at step %d, "+
			"and a longer run would end there, too; %s", end, start)
	case o.NumSteps != old.NumSteps && s.Stop != nil && s.Stop.Last%old.EvaluateEvery != 0:
		return strict.Fieldf("train.num_steps", "cannot change: train.stop has counted the evaluation of the last "+
			"step, %d, which a longer run would not make, as it evaluates every %d steps; %s",
			s.Stop.Last, old.EvaluateEvery, start)
	}
	return nil
}

// extend changes the run's configuration to the new one.
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

// exchange replaces config.yaml at the end of phase p, the part of the run before this
// extension. It first records the new configuration in the checkpoints, so that they
// match whichever config.yaml is there after a kill.
func (r *Run) exchange(p phase, text []byte) error {
	err := r.restate(func(s *state) bool {
		s.Configs = append(slices.Clone(r.past), p, phase{ConfigSHA256: hexHash(text)})
		s.Format = extendedFormat
		return true
	})
	if err != nil {
		return err
	}
	if err := durable.Remove(filepath.Join(r.Dir, summaryFile)); err != nil {
		return err
	}
	return r.write(model.ConfigFile, text)
}

// configs returns the configurations that a checkpoint records; nil if the run was never
// extended.
func (r *Run) configs() []phase {
	if len(r.past) == 0 {
		return nil
	}
	return append(slices.Clone(r.past), phase{ConfigSHA256: r.configHash})
}

// chainOrigin returns the value with which the chain of checksums of the run's rows
// starts.
func (r *Run) chainOrigin() string { return originOf(r.past, r.configHash) }
