package induction

import (
	"fmt"

	"foretell/internal/plural"
)

// lab is one study of the paper: its profile, and what rows have made already, which they
// share.
type lab struct {
	profile
	held  map[task]*chains
	floor map[task]curve // of BMA
	known map[network]*subject

	windows map[windowed]curve
}

func newLab(p profile) *lab {
	return &lab{
		profile: p, held: map[task]*chains{}, floor: map[task]curve{}, known: map[network]*subject{},
		windows: map[windowed]curve{},
	}
}

// chains are the held-out sequences of a task.
func (l *lab) chains(of task) (*chains, error) {
	if l.held[of] == nil {
		c, err := newChains(of, l.heldOut, l.standard.context)
		if err != nil {
			return nil, err
		}
		l.held[of] = c
	}
	return l.held[of], nil
}

// optimal is the curve of the Bayesian model average: nothing is below it but by noise.
func (l *lab) optimal(of task) (curve, error) {
	if found, known := l.floor[of]; known {
		return found, nil
	}
	c, err := l.chains(of)
	if err != nil {
		return curve{}, err
	}
	l.floor[of], err = c.predicted(c.process.Predictor())
	return l.floor[of], err
}

// window is the curve of an observer of the evidence of so many of the last transitions.
func (l *lab) window(of task, transitions int) (curve, error) {
	key := windowed{of, transitions}
	if found, known := l.windows[key]; known {
		return found, nil
	}
	c, err := l.chains(of)
	if err != nil {
		return curve{}, err
	}
	l.windows[key], err = c.predicted(c.observer(last(transitions)))
	return l.windows[key], err
}

// windowed names an observer.
type windowed struct {
	task
	transitions int
}

// last takes so many of the last transitions.
func last(transitions int) func(back int) bool {
	return func(back int) bool { return back < transitions }
}

// plateauTransitions: a model that predicts no better than an observer of the evidence of
// so many of the last transitions rests on a plateau.
const plateauTransitions = 4

// resting says why the training of a model of three layers or more has not come to its
// end; empty if it has.
func (l *lab) resting(m *subject) (string, error) {
	for transitions := range plateauTransitions + 1 {
		along, err := l.window(m.task, transitions)
		if err != nil {
			return "", err
		}
		if mean, _ := m.along.above(along, judgedFrom); mean >= 0 {
			return fmt.Sprintf("%.3f nats above the optimum, no better than with the evidence of the last %s",
				m.above, plural.Count(transitions, "transition")), nil
		}
	}
	return "", nil
}
