package token

import (
	"math"
	"slices"
	"testing"
)

// A sample on a threshold is above it, loud, or a whole swing away; the sample below is
// not. Of equal samples the first is the peak.
func TestEventsOnTheirThresholds(t *testing.T) {
	below := func(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
	crossings, err := NewCrossings([]float64{0, 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	onsets, err := NewOnsets(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	peaks, err := NewPeaks(2)
	if err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		d    Detector
		x    []float64
		want []Event
	}{
		"up at a half of the hysteresis":     {crossings, []float64{-9, below(0.5), 0.5}, []Event{{2, 0, 0}}},
		"down below a half of it":            {crossings, []float64{1, -0.5, below(-0.5)}, []Event{{0, 0, 0}, {2, 1, 0}}},
		"up through both":                    {crossings, []float64{4.5, 3.5, below(3.5)}, []Event{{0, 0, 0}, {0, 2, 0}, {2, 3, 0}}},
		"loud at the threshold":              {onsets, []float64{below(2), 2}, []Event{{1, 0, 2}}},
		"loud below zero":                    {onsets, []float64{0, -2}, []Event{{1, 0, -2}}},
		"after two quiet samples":            {onsets, []float64{3, 0, 0, 3}, []Event{{0, 0, 3}}},
		"after three quiet samples":          {onsets, []float64{3, 0, 0, 0, 3}, []Event{{0, 0, 3}, {4, 0, 3}}},
		"loud samples end the rest":          {onsets, []float64{3, 0, 0, 3, 0, 3}, []Event{{0, 0, 3}}},
		"a fall of a swing":                  {peaks, []float64{0, 3, 3, 1, 1}, []Event{{0, 0, 0}, {1, 1, 3}, {3, 2, 1}, {4, 0, 1}}},
		"a rise of a swing":                  {peaks, []float64{3, 1, 1, 3, 3}, []Event{{0, 0, 3}, {1, 2, 1}, {3, 1, 3}, {4, 0, 3}}},
		"less than a swing":                  {peaks, []float64{1, below(3), 1}, []Event{{0, 0, 1}, {2, 0, 1}}},
		"one sample":                         {peaks, []float64{7}, []Event{{0, 0, 7}}},
		"two samples":                        {peaks, []float64{7, 9}, []Event{{0, 0, 7}, {1, 0, 9}}},
		"no sample":                          {peaks, nil, nil},
		"the last extremum before the end":   {peaks, []float64{0, 4, 3}, []Event{{0, 0, 0}, {1, 1, 4}, {2, 0, 3}}},
		"the last minimum before the end":    {peaks, []float64{4, 0, 1}, []Event{{0, 0, 4}, {1, 2, 0}, {2, 0, 1}}},
		"an extremum at the end is that end": {peaks, []float64{0, 1, 4}, []Event{{0, 0, 0}, {2, 0, 4}}},
	} {
		got, err := test.d.Detect(test.x)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: of %v the events %v (%v), want %v", what, test.x, got, err, test.want)
		}
	}
}

// What a detector's parameters are limited to.
func TestDetectorsLimits(t *testing.T) {
	x := gaussian(100, 0, 1, 1)
	for _, test := range []struct {
		detector, param string
		least, most     float64
	}{
		{"peaks", "swing", 1e-6, 100}, {"onsets", "threshold", 1e-6, 100}, {"onsets", "rest", 1, 1 << 20},
	} {
		for value, fits := range map[float64]bool{
			test.least: true, test.most: true, test.least - 1e-7: false, test.most + 1: false,
		} {
			if _, err := FitDetector(test.detector, Params{test.param: value}, x); (err == nil) != fits {
				t.Errorf("%s, %s = %v: %v", test.detector, test.param, value, err)
			}
		}
	}
}

// An onset comes after eight quiet samples, unless another number is given.
func TestOnsetsRestByDefault(t *testing.T) {
	for quiet, want := range map[int]int{7: 1, 8: 2} {
		x := append(append([]float64{3}, make([]float64, quiet)...), 3)
		d, err := FitDetector("onsets", nil, x)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Detect(x); err != nil || len(got) != want {
			t.Errorf("%d quiet samples between two loud ones: %d onsets (%v), want %d", quiet, len(got), err, want)
		}
	}
}

// Events have the kinds of their detector and places in the signal, in order.
func TestEventsAtTheirLimits(t *testing.T) {
	for what, test := range map[string]struct {
		events []Event
		n      int
		fits   bool
	}{
		"none":                {nil, 0, true},
		"none in all":         {nil, mostRebuilt, true},
		"none in more":        {nil, mostRebuilt + 1, false},
		"none in less":        {nil, -1, false},
		"the first kind":      {[]Event{{0, 0, 0}}, 1, true},
		"the last kind":       {[]Event{{0, 2, 0}}, 1, true},
		"a kind too many":     {[]Event{{0, 3, 0}}, 1, false},
		"a kind below 0":      {[]Event{{0, -1, 0}}, 1, false},
		"at the last sample":  {[]Event{{4, 0, 0}}, 5, true},
		"after the last":      {[]Event{{5, 0, 0}}, 5, false},
		"before the first":    {[]Event{{-1, 0, 0}}, 5, false},
		"twice at one sample": {[]Event{{3, 0, 0}, {3, 1, 0}}, 5, true},
		"out of order":        {[]Event{{3, 0, 0}, {2, 1, 0}}, 5, false},
		"the greatest value":  {[]Event{{0, 0, 1e150}}, 1, true},
		"the least value":     {[]Event{{0, 0, -1e150}}, 1, true},
		"too great a value":   {[]Event{{0, 0, 1.001e150}}, 1, false},
		"no number":           {[]Event{{0, 0, math.NaN()}}, 1, false},
	} {
		if err := checkEvents("test", 3, test.events, test.n); (err == nil) != test.fits {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A code has 1 to 2¹⁷ kinds, waits of 1 to 2¹⁶ samples, and fewer than 2³¹ tokens; a
// signal has at most 2²⁸ samples, and one after each event.
func TestEventCodesAtTheirLimits(t *testing.T) {
	uniform, err := NewUniform(0, 1, mostLevels)
	if err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		kinds, longest int
		values         *Uniform
		fits           bool
	}{
		"the least":         {1, 1, nil, true},
		"no kind":           {0, 1, nil, false},
		"most kinds":        {2 * mostLevels, 1, nil, true},
		"too many kinds":    {2*mostLevels + 1, 1, nil, false},
		"no wait":           {1, 0, nil, false},
		"the longest wait":  {1, mostLevels, nil, true},
		"too long a wait":   {1, mostLevels + 1, nil, false},
		"most tokens":       {(math.MaxInt32 - 5) / mostLevels, math.MaxInt32 % mostLevels, uniform, true},
		"a token too many":  {math.MaxInt32/mostLevels + 1, 1, uniform, false},
		"tokens of a level": {math.MaxInt32 / mostLevels, mostLevels, uniform, false},
	} {
		c, err := NewEventCode(test.kinds, test.longest, test.values)
		if (err == nil) != test.fits {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil && int64(c.Alphabet()) > math.MaxInt32 {
			t.Errorf("%s: %d tokens", what, c.Alphabet())
		}
	}
	code, err := NewEventCode(1, mostLevels, nil)
	if err != nil {
		t.Fatal(err)
	}
	waits := slices.Repeat([]int32{mostLevels - 1}, mostRebuilt/mostLevels)
	if _, n, err := code.Decode(waits); err != nil || n != mostRebuilt {
		t.Errorf("the longest signal has %d samples (%v)", n, err)
	}
	if _, _, err := code.Decode(append(waits, 0)); err == nil {
		t.Error("a signal of one sample more is decoded")
	}
	event := int32(mostLevels)
	if events, n, err := code.Decode([]int32{event, 0}); err != nil || n != 1 || !slices.Equal(events, []Event{{0, 0, 0}}) {
		t.Errorf("an event and a wait are %v of %d samples (%v)", events, n, err)
	}
	if _, _, err := code.Decode([]int32{0, event}); err == nil {
		t.Error("an event after the last sample is decoded")
	}
}
