package induction

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/plural"
	"foretell/process"
	"foretell/run"
)

// lab is one study of the paper: its profile, and what rows have made already, which they
// share.
type lab struct {
	profile
	held      map[problem]*chains
	models    map[network]*subject
	written   map[handwritten]*byHand
	observers map[windowed]curve // by how many of the last transitions they take
}

// problem is a task in sequences of a length T.
type problem struct {
	task
	context int
}

// windowed names an observer.
type windowed struct {
	problem
	transitions int
}

func newLab(p profile) *lab {
	return &lab{
		profile: p, held: map[problem]*chains{}, models: map[network]*subject{},
		written: map[handwritten]*byHand{}, observers: map[windowed]curve{},
	}
}

// of is a task in sequences as long as those of the standard transformers.
func (p profile) of(t task) problem { return problem{t, p.standard.context} }

// chains are the held-out sequences of a problem.
func (l *lab) chains(of problem) (*chains, error) {
	if l.held[of] == nil {
		c, err := newChains(of.task, l.heldOut, of.context)
		if err != nil {
			return nil, err
		}
		l.held[of] = c
	}
	return l.held[of], nil
}

// allTransitions stands for as many as there are: the Bayesian model average.
const allTransitions = -1

// optimal is the curve of the Bayesian model average: nothing is below it but by noise.
func (l *lab) optimal(of problem) (curve, error) { return l.window(of, allTransitions) }

// likeliest is the curve of maximum likelihood (Eq. 2).
func (l *lab) likeliest(of problem) (curve, error) {
	c, err := l.chains(of)
	if err != nil {
		return curve{}, err
	}
	return c.predicted(c.process.ML())
}

// window is the curve of an observer of the evidence of so many of the last transitions.
func (l *lab) window(of problem, transitions int) (curve, error) {
	key := windowed{of, transitions}
	if found, known := l.observers[key]; known {
		return found, nil
	}
	c, err := l.chains(of)
	if err != nil {
		return curve{}, err
	}
	var by process.Predictor = c.process.Predictor()
	if transitions != allTransitions {
		by = c.observer(last(transitions))
	}
	l.observers[key], err = c.predicted(by)
	return l.observers[key], err
}

// fallingBy: a training whose divergence falls by more than this share from half of its
// steps to all of them has not come to its end, if it has not solved the task.
const fallingBy = 0.1

// stillFalls says that of a model.
func (l *lab) stillFalls(s *claim.Study, m *subject) (string, error) {
	rows, err := s.Metrics(l.training(m.network))
	if err != nil || m.atEnd <= solved {
		return "", err
	}
	half := slices.IndexFunc(rows, func(r run.Row) bool { return r.Step == m.recipe.steps/2 })
	if half < 0 || rows[len(rows)-1].KL >= (1-fallingBy)*rows[half].KL {
		return "", nil
	}
	return fmt.Sprintf("still falls: %.3f nats after half of the steps, %.3f after all",
		rows[half].KL, rows[len(rows)-1].KL), nil
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
		along, err := l.window(m.problem(), transitions)
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
