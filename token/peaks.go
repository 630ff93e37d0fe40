package token

import (
	"fmt"
	"math"
)

var peaksTokenizer = EventTokenizer{
	Name: peaksName,
	Params: []Param{
		{
			"swing", 0.5, 1e-6, 100, false,
			"smallest rise or fall between peaks, in standard deviations of the training signal",
		},
	},
	Summary: "maxima and minima that differ by at least a swing, and the two ends of the signal",
	Fit: func(x []float64, p Params) (Detector, error) {
		_, deviation := meanAndDeviation(x)
		return asDetector(NewPeaks(float64(p["swing"] * deviation)))
	},
}

// Peaks detects the turning points of a signal: maxima and minima that alternate and
// differ by at least the swing. Smaller movements are ignored. Of equal samples the first
// is the peak. The two ends of the signal are events too, and so is the last extremum
// before the end, even if the signal moves by less than the swing after it. The value of
// an event is the sample. Rebuild connects the events with straight lines.
type Peaks struct {
	swing float64
}

const peaksName = "peaks"

// The kinds of events of Peaks.
const (
	peakEnd = iota
	peakMaximum
	peakMinimum
)

// NewPeaks returns the detector with a swing above 0.
func NewPeaks(swing float64) (*Peaks, error) {
	if !(swing > 0 && usable(swing)) {
		return nil, fmt.Errorf("%s: swing = %g: want a positive number", peaksName, swing)
	}
	return &Peaks{swing}, nil
}

// Kinds returns "end", "maximum" and "minimum".
func (p *Peaks) Kinds() []string { return []string{"end", "maximum", "minimum"} }

// Detect returns the peaks of x; see [Detector].
func (p *Peaks) Detect(x []float64) ([]Event, error) {
	if err := checkSamples(peaksName, x); err != nil {
		return nil, err
	}
	var events []Event
	keep := func(at, kind int) { events = append(events, Event{at, kind, x[at]}) }
	high, low, awaited := 0, 0, peakEnd // indices of the extremes since the last peak, and the kind of the next peak
	for n, v := range x {
		if n == 0 {
			keep(0, peakEnd)
		}
		if v > x[high] {
			high = n
		}
		if v < x[low] {
			low = n
		}
		switch {
		case awaited != peakMinimum && x[high]-v >= p.swing:
			if high > 0 {
				keep(high, peakMaximum)
			}
			low, awaited = n, peakMinimum
		case awaited != peakMaximum && v-x[low] >= p.swing:
			if low > 0 {
				keep(low, peakMinimum)
			}
			high, awaited = n, peakMaximum
		}
	}
	last := len(x) - 1
	if awaited == peakMaximum && high < last {
		keep(high, peakMaximum)
	}
	if awaited == peakMinimum && low < last {
		keep(low, peakMinimum)
	}
	if last > 0 {
		keep(last, peakEnd)
	}
	return events, nil
}

// Rebuild returns a signal with these peaks; see [Detector].
func (p *Peaks) Rebuild(events []Event, n int) ([]float64, error) {
	if err := checkEvents(peaksName, 3, events, n); err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for i, e := range events {
		x[e.At] = e.Value
		if i > 0 {
			line(x[events[i-1].At : e.At+1])
		}
	}
	return rebuilt(peaksName, p, x, events)
}

// line sets the inner elements of x to equal steps from the first element to the last. If
// these two differ, no inner element equals the last, even if there are few float64
// values between them.
func line(x []float64) {
	last := len(x) - 1
	if last < 2 {
		return
	}
	from, to := x[0], x[last]
	before := math.Nextafter(to, from)
	for i := 1; i < last; i++ {
		v := from + float64((to-from)*(float64(i)/float64(last)))
		x[i] = min(max(v, min(from, before)), max(from, before))
	}
}
