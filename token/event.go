package token

import (
	"fmt"
	"slices"

	"foretell/internal/strict"
	"foretell/internal/text"
)

// Event is an event at a sample of a signal.
type Event struct {
	At    int     // index of the sample, from 0
	Kind  int     // index in the detector's Kinds()
	Value float64 // the value that the detector keeps, such as the sample
}

// Detector finds the events of a signal, and rebuilds signals from events. It is not a
// [Quantizer], because events do not occur at every sample, and events do not record the
// signal between them. A rebuilt signal has exactly the same events, with their
// positions, kinds and values:
//
//	Detect(Rebuild(Detect(x))) = Detect(x).
//
// An [EventCode] converts events to tokens.
type Detector interface {
	// Kinds returns the names of the kinds of events.
	Kinds() []string
	// Detect returns the events of x in order. It returns an error if a sample is NaN,
	// infinite or beyond ±1e150.
	Detect(x []float64) ([]Event, error)
	// Rebuild returns a signal of n samples that has exactly these events. It returns an
	// error if no signal of n samples has exactly these events.
	Rebuild(events []Event, n int) ([]float64, error)
}

// mostRebuilt is the largest number of samples of a rebuilt signal.
const mostRebuilt = 1 << 28

// checkEvents returns an error for the first event that a signal of n samples cannot
// have: an event with an unknown kind, an unusable value, or a position that is out of
// range or out of order.
func checkEvents(name string, kinds int, events []Event, n int) error {
	if n < 0 || n > mostRebuilt {
		return fmt.Errorf("%s: a signal of %d samples: want 0 to %d", name, n, mostRebuilt)
	}
	last := 0
	for i, e := range events {
		switch {
		case e.Kind < 0 || e.Kind >= kinds:
			return fmt.Errorf("%s: event %d has kind %d: want 0 to %d", name, i, e.Kind, kinds-1)
		case e.At < last || e.At >= n:
			return fmt.Errorf("%s: event %d is at sample %d: want %d to %d", name, i, e.At, last, n-1)
		case !usable(e.Value):
			return fmt.Errorf("%s: event %d has the value %g: want numbers within ±%g", name, i, e.Value, hugest)
		}
		last = e.At
	}
	return nil
}

// rebuilt returns x if x has exactly the given events, and otherwise an error.
func rebuilt(name string, d Detector, x []float64, events []Event) ([]float64, error) {
	found, err := d.Detect(x)
	if err != nil {
		return nil, err
	}
	if slices.Equal(found, events) {
		return x, nil
	}
	at := 0
	for at < len(found) && at < len(events) && found[at] == events[at] {
		at++
	}
	return nil, fmt.Errorf("%s: no signal of %d samples has these events: "+
		"the rebuilt signal's events differ from event %d on",
		name, len(x), at)
}

// EventTokenizer describes a kind of detector that [FitDetector] can make.
type EventTokenizer struct {
	// Name is the name for FitDetector.
	Name string
	// Params are the parameters, always in the same order.
	Params []Param
	// Summary describes the detector in one line.
	Summary string
	// Fit makes the detector for signals like x, given all parameters, each within its
	// range.
	Fit func(x []float64, params Params) (Detector, error)
}

// eventTokenizers is the table of detectors. A new kind needs one file with its
// EventTokenizer, and one line here.
var eventTokenizers = []EventTokenizer{crossingsTokenizer, peaksTokenizer, onsetsTokenizer}

// EventTokenizers returns the table of detectors, always in the same order.
func EventTokenizers() []EventTokenizer { return slices.Clone(eventTokenizers) }

// FitDetector makes a detector from the table for signals like the training samples x. It
// returns the same errors as [Fit].
func FitDetector(name string, params Params, x []float64) (Detector, error) {
	at := slices.IndexFunc(eventTokenizers, func(t EventTokenizer) bool { return t.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown detector %q: %s", name,
			strict.Choice(name, text.Each(eventTokenizers, func(t EventTokenizer) string { return t.Name })))
	}
	full, err := resolve(name, eventTokenizers[at].Params, params)
	if err != nil {
		return nil, err
	}
	if err := checkTraining(name, x); err != nil {
		return nil, err
	}
	return eventTokenizers[at].Fit(x, full)
}

// asDetector converts the result of a constructor to the result of EventTokenizer.Fit. If
// there is an error, the detector is nil.
func asDetector[D Detector](d D, err error) (Detector, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}
