package run

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"foretell/train"
)

// phase is a part of a run before it was extended: the hash of its configuration, and the
// values of the keys that an extension may change.
type phase struct {
	ConfigSHA256      string             `json:"config_sha256"`
	Until             int                `json:"until,omitempty"` // the step at which the run was extended
	NumSteps          int                `json:"num_steps,omitempty"`
	EvaluateEvery     int                `json:"evaluate_every,omitempty"`
	CheckpointEvery   int                `json:"checkpoint_every,omitempty"`
	CheckpointMinutes float64            `json:"checkpoint_minutes,omitempty"`
	Checkpoints       *train.Checkpoints `json:"checkpoints,omitempty"`
}

// newPhase returns the phase of a run up to the step `until`, under a configuration with
// this hash and these options.
func newPhase(hash string, o train.Options, until int) phase {
	p := phase{
		ConfigSHA256: hash, Until: until,
		NumSteps: o.NumSteps, EvaluateEvery: o.EvaluateEvery, CheckpointEvery: o.CheckpointEvery,
		CheckpointMinutes: o.CheckpointMinutes,
	}
	if k := o.Checkpoints; k.Rule != "" || k.Steps != nil {
		p.Checkpoints = &k
	}
	return p
}

// in returns the options that applied during the phase, given the options o of a later
// phase.
func (p phase) in(o train.Options) train.Options {
	o.NumSteps, o.EvaluateEvery, o.CheckpointEvery = p.NumSteps, p.EvaluateEvery, p.CheckpointEvery
	o.CheckpointMinutes = p.CheckpointMinutes
	o.Checkpoints = train.Checkpoints{}
	if p.Checkpoints != nil {
		o.Checkpoints = *p.Checkpoints
	}
	return o
}

// changeTo describes the change at the end of the phase, given the options `next` of the
// phase that follows.
func (p phase) changeTo(next train.Options) string {
	before := p.in(next)
	if before.NumSteps != next.NumSteps {
		return fmt.Sprintf("extended at step %d of %d", p.Until, p.NumSteps)
	}
	var keys []string
	for _, key := range []struct {
		name    string
		changed bool
	}{
		{"train.evaluate_every", before.EvaluateEvery != next.EvaluateEvery},
		{"train.checkpoint_every", before.CheckpointEvery != next.CheckpointEvery},
		{"train.checkpoint_minutes", before.CheckpointMinutes != next.CheckpointMinutes},
		{"train.checkpoints", !reflect.DeepEqual(before.Checkpoints, next.Checkpoints)},
	} {
		if key.changed {
			keys = append(keys, key.name)
		}
	}
	return fmt.Sprintf("%s changed at step %d of %d", strings.Join(keys, ", "), p.Until, p.NumSteps)
}

// originOf returns the start value of the checksums of a run's rows: the hash of its
// first config.yaml. The second argument is the hash of the present config.yaml.
func originOf(past []phase, config string) string {
	if len(past) > 0 {
		return past[0].ConfigSHA256
	}
	return config
}

// isOfRun reports whether hash belongs to one of the config.yaml files that a run has
// had.
func isOfRun(hash string, past []phase, config string) bool {
	return hash == config || slices.ContainsFunc(past, func(p phase) bool { return p.ConfigSHA256 == hash })
}

// schedule determines the steps at which a run evaluates and keeps weights. Each phase, a
// part of the run before an extension, has its own options; after all phases the present
// options apply.
type schedule struct {
	past    []phase
	now     train.Options
	stopped int // the step at which train.stop has ended the run; 0 if it has not
}

func (r *Run) schedule() schedule {
	s := schedule{past: r.past, now: r.Config.Train}
	if r.Stopped() {
		s.stopped = r.At()
	}
	return s
}

// last returns the run's last step.
func (s schedule) last() int {
	if s.stopped > 0 {
		return s.stopped
	}
	return s.now.NumSteps
}

// at returns the options that apply to a step.
func (s schedule) at(step int) train.Options {
	for _, p := range s.past {
		if step <= p.Until {
			return p.in(s.now)
		}
	}
	return s.now
}

// evaluates reports whether the model is evaluated after a step.
func (s schedule) evaluates(step int) bool { return step <= s.last() && s.at(step).Evaluates(step) }

// next returns the first step after the given one at which the run evaluates, or its last
// step plus one if there is no further evaluation.
func (s schedule) next(step int) int {
	after := func(o train.Options) int {
		return min((step/o.EvaluateEvery+1)*o.EvaluateEvery, o.NumSteps)
	}
	for _, p := range s.past {
		if step >= p.Until {
			continue
		}
		if next := after(p.in(s.now)); next > step && next <= p.Until {
			return next
		}
		step = p.Until
	}
	if step >= s.last() {
		return s.last() + 1
	}
	return after(s.now)
}

// saves reports whether a checkpoint is written after a step. The argument `last` is the
// time of the previous checkpoint or of the beginning of training, and `now` is the time
// at which the step is reached.
func (s schedule) saves(step int, last, now time.Time) bool {
	if step == s.last() || step%s.now.CheckpointEvery == 0 {
		return true
	}
	interval := time.Duration(s.now.CheckpointMinutes * float64(time.Minute))
	return interval > 0 && now.Sub(last) >= interval
}

// keeps reports whether the configuration keeps the weights after a step.
func (s schedule) keeps(step int) bool { return s.at(step).Keeps(step) }
