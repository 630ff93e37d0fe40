package token

import (
	"fmt"
	"math"
	"slices"
)

// EventCode writes events as tokens of a single alphabet, for use in a model. A token is
// either a wait, or an event with a quantised value. If L is the longest wait, each token
// z < L waits for z + 1 samples. The other tokens are events at the current sample,
// ordered by their kind and then by the level of their value. All the waits of a signal
// add up to its length.
type EventCode struct {
	kinds   int
	longest int
	values  *Uniform // nil if events have no value
}

const eventCodeName = "event code"

// NewEventCode returns the code for events of the given number of kinds. The argument
// longest is the longest wait of one token, in samples. The argument values is the
// quantiser for the values of events, or nil if events have no value. It returns an error
// if the alphabet would be larger than 2³¹−1.
func NewEventCode(kinds, longest int, values *Uniform) (*EventCode, error) {
	if kinds < 1 || kinds > 2*mostLevels {
		return nil, fmt.Errorf("%s: %d kinds of events: want 1 to %d", eventCodeName, kinds, 2*mostLevels)
	}
	if longest < 1 || longest > mostLevels {
		return nil, fmt.Errorf("%s: longest wait = %d samples: want 1 to %d", eventCodeName, longest, mostLevels)
	}
	c := &EventCode{kinds, longest, values}
	if tokens := int64(longest) + int64(kinds)*int64(c.levels()); tokens > math.MaxInt32 {
		return nil, fmt.Errorf("%s: %d tokens: want fewer kinds or levels", eventCodeName, tokens)
	}
	return c, nil
}

// FitEventCode returns the code for a detector's events in signals like x. It quantises
// the values of events uniformly, with the given number of levels, between the smallest
// and the largest value of the events in x. If all these values are 0, the code stores no
// values.
func FitEventCode(d Detector, x []float64, longest, levels int) (*EventCode, error) {
	events, err := d.Detect(x)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%s: the training signal has no events: want at least one", eventCodeName)
	}
	values := make([]float64, len(events))
	for i, e := range events {
		values[i] = e.Value
	}
	if slices.Min(values) == slices.Max(values) && values[0] == 0 {
		return NewEventCode(len(d.Kinds()), longest, nil)
	}
	u, err := FitUniform(values, levels)
	if err != nil {
		return nil, fmt.Errorf("%s: values of events: %w", eventCodeName, err)
	}
	return NewEventCode(len(d.Kinds()), longest, u)
}

// levels returns the number of levels of a value, or 1 if events have no value.
func (c *EventCode) levels() int {
	if c.values == nil {
		return 1
	}
	return c.values.levels[0]
}

// Alphabet returns the number of tokens.
func (c *EventCode) Alphabet() int { return c.longest + c.kinds*c.levels() }

// Rate returns the bits per sample if n samples are coded with the given number of
// tokens.
func (c *EventCode) Rate(tokens, n int) float64 {
	return float64(tokens) * log2(c.Alphabet()) / float64(n)
}

// Encode appends the tokens of a signal of n samples with these events to dst. It returns
// an error, and dst unchanged, if events are out of order, of unknown kinds, or beyond
// the signal.
func (c *EventCode) Encode(dst []int32, events []Event, n int) ([]int32, error) {
	if err := checkEvents(eventCodeName, c.kinds, events, n); err != nil {
		return dst, err
	}
	all, now := dst, 0
	for _, e := range events {
		all = c.wait(all, e.At-now)
		now = e.At
		level := int32(0)
		if c.values != nil {
			level = c.values.token(e.Value)
		}
		all = append(all, int32(c.longest+e.Kind*c.levels())+level)
	}
	return c.wait(all, n-now), nil
}

// wait appends tokens that wait for n samples in total, the longest waits first.
func (c *EventCode) wait(dst []int32, n int) []int32 {
	for ; n > 0; n -= c.longest {
		dst = append(dst, int32(min(n, c.longest)-1))
	}
	return dst
}

// Decode returns the events of the tokens, with quantised values, and the length of the
// signal. It returns an error if a token is not in the alphabet, if an event follows the
// last sample, or if the signal has more than 268,435,456 samples.
func (c *EventCode) Decode(tokens []int32) (events []Event, n int, err error) {
	if err := checkTokens(eventCodeName, tokens, []int{c.Alphabet()}); err != nil {
		return nil, 0, err
	}
	for i, z := range tokens {
		if int(z) < c.longest {
			if n += int(z) + 1; n > mostRebuilt {
				return nil, 0, fmt.Errorf("%s: token %d waits beyond %d samples, the longest signal",
					eventCodeName, i, mostRebuilt)
			}
			continue
		}
		at := int(z) - c.longest
		e := Event{At: n, Kind: at / c.levels()}
		if c.values != nil {
			e.Value = c.values.points[at%c.levels()]
		}
		events = append(events, e)
	}
	if len(events) > 0 && events[len(events)-1].At == n {
		return nil, 0, fmt.Errorf("%s: an event follows the last of %d samples: want a wait after it", eventCodeName, n)
	}
	return events, n, nil
}
