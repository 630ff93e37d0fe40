package token

import (
	"fmt"
	"math"
)

var onsetsTokenizer = EventTokenizer{
	Name: onsetsName,
	Params: []Param{
		{
			"threshold", 1, 1e-6, 100, false,
			"smallest magnitude of a loud sample, in units of the training signal's root mean square",
		},
		{"rest", 8, 1, 1 << 20, true, "smallest number of quiet samples before an onset"},
	},
	Summary: "where a quiet signal becomes loud",
	Fit: func(x []float64, p Params) (Detector, error) {
		sum := 0.0
		for _, v := range x {
			sum += square(v) / float64(len(x))
		}
		return asDetector(NewOnsets(float64(p["threshold"]*math.Sqrt(sum)), p.whole("rest")))
	},
}

// Onsets detects where a signal becomes loud. An onset is the first sample whose
// magnitude reaches the threshold after at least `rest` quiet samples. The signal counts
// as quiet before its first sample. The value of the event is the sample. Only magnitudes
// count: to find onsets of tones, apply the detector to an envelope or to a spectral
// flux. Rebuild returns a signal with a single loud sample at each onset.
type Onsets struct {
	threshold float64
	rest      int
}

const onsetsName = "onsets"

// NewOnsets returns the detector with the given threshold, above 0, and the given number
// of quiet samples before an onset (rest), at least 1.
func NewOnsets(threshold float64, rest int) (*Onsets, error) {
	if !(threshold > 0 && usable(threshold)) {
		return nil, fmt.Errorf("%s: threshold = %g: want a positive number", onsetsName, threshold)
	}
	if rest < 1 {
		return nil, fmt.Errorf("%s: rest = %d: want 1 or more", onsetsName, rest)
	}
	return &Onsets{threshold, rest}, nil
}

// Kinds returns "onset".
func (o *Onsets) Kinds() []string { return []string{"onset"} }

// Detect returns the onsets of x; see [Detector].
func (o *Onsets) Detect(x []float64) ([]Event, error) {
	if err := checkSamples(onsetsName, x); err != nil {
		return nil, err
	}
	var events []Event
	quiet := o.rest
	for n, v := range x {
		if math.Abs(v) < o.threshold {
			quiet++
			continue
		}
		if quiet >= o.rest {
			events = append(events, Event{At: n, Value: v})
		}
		quiet = 0
	}
	return events, nil
}

// Rebuild returns a signal with these onsets; see [Detector].
func (o *Onsets) Rebuild(events []Event, n int) ([]float64, error) {
	if err := checkEvents(onsetsName, 1, events, n); err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for _, e := range events {
		x[e.At] = e.Value
	}
	return rebuilt(onsetsName, o, x, events)
}
