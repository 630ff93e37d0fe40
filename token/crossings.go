package token

import (
	"fmt"
	"math"
	"slices"
)

var crossingsTokenizer = EventTokenizer{
	Name: crossingsName,
	Params: []Param{
		{"thresholds", 3, 1, 1024, true, "number of thresholds, equally spaced between the extremes of the training signal"},
		{"hysteresis", 0.1, 0, 0.9, false, "hysteresis, as a fraction of the distance between thresholds"},
	},
	Summary: "where the signal crosses thresholds, up or down",
	Fit: func(x []float64, p Params) (Detector, error) {
		return asDetector(fitCrossings(x, p.whole("thresholds"), p["hysteresis"]))
	},
}

// fitCrossings returns a detector with n thresholds equally spaced between the extremes
// of x.
func fitCrossings(x []float64, n int, hysteresis float64) (*Crossings, error) {
	low, high := slices.Min(x), slices.Max(x)
	space, thresholds := (high-low)/float64(n+1), make([]float64, n)
	for k := range thresholds {
		thresholds[k] = low + float64(float64(k+1)*space)
	}
	return NewCrossings(thresholds, hysteresis*space)
}

// Crossings detects where a signal crosses thresholds. Before its first sample the signal
// counts as below all thresholds, so at sample 0 it crosses every threshold that this
// sample is above. With a hysteresis h the signal crosses a threshold θ upwards at θ +
// h/2 and downwards below θ − h/2, so noise smaller than h does not cause repeated
// crossings. Kind 2k is an upward crossing of threshold k, and kind 2k+1 a downward
// crossing. The value of an event is 0. Rebuild returns a step function whose steps are
// midway between thresholds.
type Crossings struct {
	thresholds []float64
	half       float64 // half the hysteresis
	steps      []float64
}

const crossingsName = "crossings"

// NewCrossings returns the detector with the given thresholds. They must be ascending,
// and the distance between neighbours must be larger than the hysteresis.
func NewCrossings(thresholds []float64, hysteresis float64) (*Crossings, error) {
	if len(thresholds) == 0 || len(thresholds) > mostLevels {
		return nil, fmt.Errorf("%s: %d thresholds: want 1 to %d", crossingsName, len(thresholds), mostLevels)
	}
	if err := checkSamples(crossingsName, thresholds); err != nil {
		return nil, err
	}
	if !(hysteresis >= 0 && usable(hysteresis)) {
		return nil, fmt.Errorf("%s: hysteresis = %g: want 0 or more", crossingsName, hysteresis)
	}
	c := &Crossings{thresholds: slices.Clone(thresholds), half: hysteresis / 2}
	last := len(thresholds) - 1
	margin := max(1, hysteresis, math.Abs(thresholds[0]))
	if last > 0 {
		margin = max(hysteresis, (thresholds[last]-thresholds[0])/float64(last))
	}
	c.steps = append(c.steps, thresholds[0]-margin)
	for k := range last {
		c.steps = append(c.steps, thresholds[k]+(thresholds[k+1]-thresholds[k])/2)
	}
	c.steps = append(c.steps, thresholds[last]+margin)
	for k, threshold := range thresholds {
		if !(c.steps[k] < threshold-c.half && c.steps[k+1] >= threshold+c.half) {
			return nil, fmt.Errorf("%s: threshold %d is %g, too close to its neighbours: "+
				"want ascending thresholds more than %g apart",
				crossingsName, k, threshold, hysteresis)
		}
	}
	return c, nil
}

// Kinds returns "up θ" and "down θ" for each threshold.
func (c *Crossings) Kinds() []string {
	kinds := make([]string, 0, 2*len(c.thresholds))
	for _, threshold := range c.thresholds {
		kinds = append(kinds, fmt.Sprintf("up %g", threshold), fmt.Sprintf("down %g", threshold))
	}
	return kinds
}

// Detect returns the crossings of x; see [Detector].
func (c *Crossings) Detect(x []float64) ([]Event, error) {
	if err := checkSamples(crossingsName, x); err != nil {
		return nil, err
	}
	var events []Event
	above := 0 // number of thresholds that the signal is above
	for n, v := range x {
		for above < len(c.thresholds) && v >= c.thresholds[above]+c.half {
			events = append(events, Event{At: n, Kind: 2 * above})
			above++
		}
		for above > 0 && v < c.thresholds[above-1]-c.half {
			above--
			events = append(events, Event{At: n, Kind: 2*above + 1})
		}
	}
	return events, nil
}

// Rebuild returns a signal with these crossings; see [Detector].
func (c *Crossings) Rebuild(events []Event, n int) ([]float64, error) {
	if err := checkEvents(crossingsName, 2*len(c.thresholds), events, n); err != nil {
		return nil, err
	}
	x, above, next := make([]float64, n), 0, 0
	for i := range x {
		for ; next < len(events) && events[next].At == i; next++ {
			above = events[next].Kind/2 + 1 - events[next].Kind%2
		}
		x[i] = c.steps[above]
	}
	return rebuilt(crossingsName, c, x, events)
}
