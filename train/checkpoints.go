package train

import (
	"slices"

	"foretell/internal/strict"
)

// Checkpoints selects the steps whose weights a run keeps (see [Options.Keeps]). The zero
// value is the rule "last". In YAML it is a rule's name or a list of steps.
type Checkpoints struct {
	Rule  string `json:"rule,omitempty"`  // last (default), all or log; empty if Steps are given
	Steps []int  `json:"steps,omitempty"` // from 1 to num_steps, increasing
}

// The rules of train.checkpoints, and the largest number of steps that a run keeps. This
// number is limited because each checkpoint lists all steps that were kept before it.
const (
	keepLast = "last"
	keepAll  = "all"
	keepLog  = "log"
	mostKept = 10_000
)

// UnmarshalYAML reads the name of a rule or a list of steps.
func (k *Checkpoints) UnmarshalYAML(unmarshal func(any) error) error {
	var form strict.Form
	if err := unmarshal(&form); err != nil {
		return err
	}
	*k = Checkpoints{}
	if form == strict.List {
		return unmarshal(&k.Steps)
	}
	return unmarshal(&k.Rule)
}

// WriteTerm writes checkpoints in the form that [Checkpoints.UnmarshalYAML] reads.
func (o Options) WriteTerm(key string) (value any, given bool) {
	switch k := o.Checkpoints; {
	case key != "checkpoints":
		return nil, false
	case k.Steps != nil:
		return k.Steps, true
	default:
		return k.Rule, true
	}
}

// Keeps reports whether a run keeps the weights of a step in addition to its last two
// checkpoints. The rule "all" keeps each multiple of CheckpointEvery, and the rule "log"
// keeps the powers of two, 1, 2, 4, 8, …; both also keep the last step. A list keeps the
// steps that it names. The options must be resolved. The choice does not affect any bit
// of the training.
func (o Options) Keeps(step int) bool {
	if step < 1 || step > o.NumSteps {
		return false
	}
	switch o.Checkpoints.Rule {
	case keepAll:
		return step == o.NumSteps || step%o.CheckpointEvery == 0
	case keepLog:
		return step == o.NumSteps || step&(step-1) == 0
	}
	_, named := slices.BinarySearch(o.Checkpoints.Steps, step)
	return named
}

// resolveCheckpoints checks the field Checkpoints and sorts its list of steps. It clears
// the default rule, so that equal configurations have the same text.
func (o Options) resolveCheckpoints() (Options, error) {
	k := o.Checkpoints
	if k.Steps != nil {
		return o.resolveKeptSteps()
	}
	if k.Rule == keepLast || k.Rule == "" {
		o.Checkpoints = Checkpoints{}
		return o, nil
	}
	if k.Rule != keepAll && k.Rule != keepLog {
		return o, strict.Fieldf("checkpoints",
			"= %q is not last, all, log or a list of steps, such as [100, 200]", k.Rule)
	}
	if n := o.NumSteps / o.CheckpointEvery; k.Rule == keepAll && n > mostKept {
		return o, strict.Fieldf("checkpoints",
			"= all keeps %d checkpoints, one every %d steps, and a run keeps at most %d; raise checkpoint_every",
			n, o.CheckpointEvery, mostKept)
	}
	return o, nil
}

func (o Options) resolveKeptSteps() (Options, error) {
	steps := slices.Sorted(slices.Values(o.Checkpoints.Steps))
	if n := len(steps); n == 0 || n > mostKept {
		return o, strict.Fieldf("checkpoints",
			"lists %d steps; list 1 to %d steps, or give last, all or log", n, mostKept)
	}
	for i, step := range steps {
		if step < 1 || step > o.NumSteps {
			return o, strict.Fieldf("checkpoints", "= %d is outside [1, num_steps = %d]", step, o.NumSteps)
		}
		if i > 0 && step == steps[i-1] {
			return o, strict.Fieldf("checkpoints", "lists step %d twice", step)
		}
	}
	o.Checkpoints = Checkpoints{Steps: steps}
	return o, nil
}
