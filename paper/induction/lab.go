package induction

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/process"
	"foretell/run"
)

// lab is one study of the paper: its profile, and results that several rows share.
type lab struct {
	profile
	held      map[problem]*chains // held-out sequences
	models    map[network]*subject
	written   map[handwritten]*byHand
	observers map[windowed]curve // by the number of recent transitions whose evidence they use
}

// problem is a task on sequences of length T.
type problem struct {
	task
	context int
}

// windowed identifies an observer that uses only the evidence of the last few
// transitions.
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

// of returns the problem for a task with the context length of the standard
// transformers.
func (p profile) of(t task) problem { return problem{t, p.standard.context} }

// chains returns the held-out sequences of a problem.
func (l *lab) chains(of problem) *chains {
	if l.held[of] == nil {
		l.held[of] = newChains(of.task, l.heldOut, of.context)
	}
	return l.held[of]
}

// allTransitions, as a number of transitions, means all: the observer is then the
// Bayesian model average.
const allTransitions = -1

// optimal returns the curve of the Bayesian model average. Another curve can be below it
// only by noise.
func (l *lab) optimal(of problem) curve { return l.window(of, allTransitions) }

// likeliest returns the curve of maximum likelihood (Eq. 2).
func (l *lab) likeliest(of problem) curve {
	c := l.chains(of)
	return c.predicted(c.process.ML())
}

// window returns the curve of an observer that uses only the evidence of the given number
// of last transitions.
func (l *lab) window(of problem, transitions int) curve {
	key := windowed{of, transitions}
	if found, known := l.observers[key]; known {
		return found
	}
	c := l.chains(of)
	var by process.Predictor = c.process.Predictor()
	if transitions != allTransitions {
		by = c.observer(last(transitions))
	}
	l.observers[key] = c.predicted(by)
	return l.observers[key]
}

// fallingBy is the largest share by which the divergence of a model that has not solved
// its task may fall between half of its steps and all of them. If it falls by more,
// training has not finished.
const fallingBy = 0.1

// stillFalls returns a message if the model's divergence was still falling when its
// training ended, and an empty string otherwise; see [fallingBy].
func (l *lab) stillFalls(s *claim.Study, m *subject) (string, error) {
	rows, err := s.Metrics(l.training(m.network))
	if err != nil || m.atEnd <= solved {
		return "", err
	}
	half := slices.IndexFunc(rows, func(r run.Row) bool { return r.Step == m.recipe.steps/2 })
	if half < 0 || rows[len(rows)-1].KL >= (1-fallingBy)*rows[half].KL {
		return "", nil
	}
	return fmt.Sprintf("still falling: %.3f nats after half of the steps, %.3f after all of them",
		rows[half].KL, rows[len(rows)-1].KL), nil
}

// last returns a filter for [chains.observer] that selects the given number of last
// transitions.
func last(transitions int) func(back int) bool {
	return func(back int) bool { return back < transitions }
}

// plateauTransitions defines a plateau. A model is on a plateau if it predicts no
// better than an observer that uses only the evidence of at most this many last
// transitions.
const plateauTransitions = 4

// resting returns the reason why a model of three layers or more counts as unconverged,
// or an empty string if it has converged.
func (l *lab) resting(m *subject) string {
	for transitions := range plateauTransitions + 1 {
		along := l.window(m.problem(), transitions)
		if mean, _ := m.along.above(along, judgedFrom); mean >= 0 {
			return fmt.Sprintf("%.3f nats above the optimum, no better than an observer with the evidence of the "+
				"last %s", m.above, text.Count(transitions, "transition"))
		}
	}
	return ""
}
