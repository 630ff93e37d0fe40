package token

import (
	"fmt"
	"slices"

	"foretell/internal/strict"
)

// Event is something that happens at a sample.
type Event struct {
	At    int     // the sample, from 0
	Kind  int     // in 0 … len(Kinds())−1 of the detector
	Value float64 // what the detector keeps of it
}

// Detector finds the events of a signal, and makes signals of events. It is no
// [Quantizer]: events do not come sample by sample, and most of a signal is not kept.
// What is kept, positions, kinds and values, is kept exactly:
//
//	Detect(Rebuild(Detect(x))) = Detect(x).
//
// Tokens of events are made by an [EventCode].
type Detector interface {
	// Kinds has the name of each kind of event.
	Kinds() []string
	// Detect returns the events of x in their order. A sample that is NaN, infinite or
	// beyond ±1e150 is an error.
	Detect(x []float64) ([]Event, error)
	// Rebuild returns a signal of n samples that has these events and is otherwise as
	// plain as may be. Events that no signal of n samples has are an error.
	Rebuild(events []Event, n int) ([]float64, error)
}

// mostRebuilt bounds the samples of a rebuilt signal.
const mostRebuilt = 1 << 28

// checkEvents says which event cannot be one of a signal of n samples: kinds and values
// that there are not, samples out of range or order.
func checkEvents(name string, kinds int, events []Event, n int) error {
	if n < 0 || n > mostRebuilt {
		return fmt.Errorf("%s: a signal of %d samples: want 0 to %d", name, n, mostRebuilt)
	}
	last := 0
	for i, e := range events {
		switch {
		case e.Kind < 0 || e.Kind >= kinds:
			return fmt.Errorf("%s: event %d is of kind %d: want 0 to %d", name, i, e.Kind, kinds-1)
		case e.At < last || e.At >= n:
			return fmt.Errorf("%s: event %d is at sample %d: want %d to %d", name, i, e.At, last, n-1)
		case !usable(e.Value):
			return fmt.Errorf("%s: event %d has the value %g: want numbers within ±%g", name, i, e.Value, hugest)
		}
		last = e.At
	}
	return nil
}

// rebuilt returns x if it has the events that it was made of.
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
	return nil, fmt.Errorf("%s: no signal of %d samples has these events: it differs from event %d on", name, len(x), at)
}

// EventTokenizer describes a kind of detector that [FitDetector] can make.
type EventTokenizer struct {
	// Name is what FitDetector calls it.
	Name string
	// Params are its parameters in the order of its definition.
	Params []Param
	// Summary is one line that says what it does.
	Summary string
	// Fit makes the detector for signals like x, with all parameters within their ranges.
	Fit func(x []float64, params Params) (Detector, error)
}

// eventTokenizers is the table. A new kind is one file, which holds its EventTokenizer,
// and one line here.
var eventTokenizers = []EventTokenizer{crossingsTokenizer, peaksTokenizer, onsetsTokenizer}

// EventTokenizers returns the table of detectors in a fixed order.
func EventTokenizers() []EventTokenizer { return slices.Clone(eventTokenizers) }

// FitDetector makes a detector of the table for signals like the training samples x. Its
// errors are those of [Fit].
func FitDetector(name string, params Params, x []float64) (Detector, error) {
	at := slices.IndexFunc(eventTokenizers, func(t EventTokenizer) bool { return t.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown detector %q: %s", name,
			strict.Choice(name, names(eventTokenizers, func(t EventTokenizer) string { return t.Name })))
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

// asDetector adapts the result of a constructor to EventTokenizer.Fit.
func asDetector[D Detector](d D, err error) (Detector, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}
