package induction

import (
	"foretell/process"
)

// lab is one study of the paper: its profile, and results that several rows share.
type lab struct {
	profile
	held      map[problem]*chains // held-out sequences
	models    map[network]*subject
	written   map[handwritten]*byHand
	observers map[windowed]curve // by the number of recent transitions whose evidence they use
	varied    []*lab             // the same study in each variant of the profile
}

// problem is a task on sequences of length T, with the P of a variant.
type problem struct {
	task
	context int
	variant variant
}

// windowed identifies an observer that uses only the evidence of the last few
// transitions.
type windowed struct {
	problem
	transitions int
}

func newLab(p profile) *lab {
	l := &lab{
		profile: p, held: map[problem]*chains{}, models: map[network]*subject{},
		written: map[handwritten]*byHand{}, observers: map[windowed]curve{},
	}
	for _, v := range p.variants {
		l.varied = append(l.varied, newLab(p.varied(v)))
	}
	return l
}

// of returns the problem for a task with the context length of the standard
// transformers.
func (p profile) of(t task) problem { return problem{t, p.standard.context, p.standard.variant} }

// chains returns the held-out sequences of a problem.
func (l *lab) chains(of problem) *chains {
	if l.held[of] == nil {
		l.held[of] = newChains(of.task, of.variant.p(), l.heldOut, of.context)
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

// last returns a filter for [chains.observer] that selects the given number of last
// transitions.
func last(transitions int) func(back int) bool {
	return func(back int) bool { return back < transitions }
}
