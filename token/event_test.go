package token

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// detectors are those of the laws: of the table, and others.
func detectors(t rapid.TB) map[string]Detector {
	all := map[string]Detector{}
	add := func(name string, d Detector, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = d
	}
	for _, entry := range EventTokenizers() {
		d, err := FitDetector(entry.Name, nil, wave(1000, 0, 1))
		add(entry.Name, d, err)
	}
	one, err := NewCrossings([]float64{0}, 0)
	add("one threshold", one, err)
	uneven, err := NewCrossings([]float64{-1, 0, 0.25, 7}, 0.2)
	add("uneven thresholds", uneven, err)
	small, err := NewPeaks(1e-9)
	add("small swing", small, err)
	large, err := NewPeaks(2)
	add("large swing", large, err)
	short, err := NewOnsets(0.5, 1)
	add("short rest", short, err)
	return all
}

// signals draws signals with steps, plateaus, and samples far off or next to each other.
func signals() *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{-2, -1, 0, 0.25, 0.5, 1, 2}), rapid.Float64Range(-hugest, hugest),
		rapid.Map(rapid.IntRange(0, 4), func(n int) float64 { return 1 + float64(n)*0x1p-52 }),
	), 0, 40)
}

// A signal that is made of events has these events, and their tokens give them back, with
// values as they are quantised.
func TestEventsRoundTrip(t *testing.T) {
	for name, d := range detectors(t) {
		t.Run(name, func(t *testing.T) {
			values, err := NewUniform(-3, 3, 13)
			if err != nil {
				t.Fatal(err)
			}
			x := signals()
			rapid.Check(t, func(t *rapid.T) {
				x := x.Draw(t, "x")
				events, err := d.Detect(x)
				if err != nil {
					t.Fatal(err)
				}
				back, err := d.Rebuild(events, len(x))
				if err != nil {
					t.Fatalf("events %v: %v", events, err)
				}
				again, err := d.Detect(back)
				if err != nil || !slices.Equal(events, again) {
					t.Fatalf("events %v, rebuilt as %v, are %v (%v)", events, back, again, err)
				}
				code, err := NewEventCode(len(d.Kinds()), rapid.IntRange(1, 9).Draw(t, "longest"), values)
				if err != nil {
					t.Fatal(err)
				}
				tokens, err := code.Encode(nil, events, len(x))
				if err != nil {
					t.Fatal(err)
				}
				decoded, n, err := code.Decode(tokens)
				if err != nil || n != len(x) || len(decoded) != len(events) {
					t.Fatalf("tokens %v: events %v of %d samples (%v), want %v of %d", tokens, decoded, n, err, events, len(x))
				}
				for i, e := range events {
					if decoded[i].At != e.At || decoded[i].Kind != e.Kind {
						t.Fatalf("event %v is decoded as %v", e, decoded[i])
					}
				}
				if twice, err := code.Encode(nil, decoded, n); err != nil || !slices.Equal(twice, tokens) {
					t.Fatalf("tokens %v, decoded and encoded %v (%v)", tokens, twice, err)
				}
			})
		})
	}
}

// Events that no signal has are refused, whatever they are, and none that a signal has.
func TestRebuildRefuses(t *testing.T) {
	for name, d := range detectors(t) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(-1, 10).Draw(t, "n")
				events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Event {
					value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1)}))
					return Event{rapid.IntRange(-1, 10).Draw(t, "at"), rapid.IntRange(-1, len(d.Kinds())).Draw(t, "kind"), value.Draw(t, "value")}
				}), 0, 4).Draw(t, "events")
				x, err := d.Rebuild(events, n)
				if err != nil {
					isOneLine(t, err)
					if x != nil {
						t.Fatalf("%v beside the error %v", x, err)
					}
					return
				}
				if found, err := d.Detect(x); err != nil || !slices.Equal(found, events) || len(x) != n {
					t.Fatalf("events %v are rebuilt as %v, which has %v (%v)", events, x, found, err)
				}
			})
		})
	}
}

func TestCrossings(t *testing.T) {
	c, err := NewCrossings([]float64{0, 1}, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	events, err := c.Detect([]float64{-1, 0.05, 0.1, -0.05, 2, 0.95, 0.89, -5})
	want := []Event{{2, 0, 0}, {4, 2, 0}, {6, 3, 0}, {7, 1, 0}}
	if err != nil || !slices.Equal(events, want) {
		t.Errorf("events %v (%v), want %v", events, err, want)
	}
	if kinds := strings.Join(c.Kinds(), ", "); kinds != "up 0, down 0, up 1, down 1" {
		t.Errorf("kinds %s", kinds)
	}
	// Of events the signal is steps between thresholds.
	x, err := c.Rebuild(want, 9)
	if steps := []float64{-1, -1, 0.5, 0.5, 2, 2, 0.5, -1, -1}; err != nil || !slices.Equal(x, steps) {
		t.Errorf("rebuilt %v (%v), want %v", x, err, steps)
	}
}

func TestPeaks(t *testing.T) {
	p, err := NewPeaks(1)
	if err != nil {
		t.Fatal(err)
	}
	events, err := p.Detect([]float64{0, 0.5, 3, 3, 2.5, 2.9, 1, 0.5, 0.4, 4, 3.5})
	want := []Event{{0, 0, 0}, {2, 1, 3}, {8, 2, 0.4}, {9, 1, 4}, {10, 0, 3.5}}
	if err != nil || !slices.Equal(events, want) {
		t.Errorf("events %v (%v), want %v", events, err, want)
	}
	x, err := p.Rebuild([]Event{{0, 0, 0}, {2, 1, 3}, {5, 0, 0}}, 6)
	if lines := []float64{0, 1.5, 3, 2, 1, 0}; err != nil || !slices.Equal(x, lines) {
		t.Errorf("rebuilt %v (%v), want %v", x, err, lines)
	}
}

func TestOnsets(t *testing.T) {
	o, err := NewOnsets(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	events, err := o.Detect([]float64{-1.5, 2, 0, 3, 0, 0, 1, 0, 0.5, 0, -9})
	want := []Event{{0, 0, -1.5}, {6, 0, 1}, {10, 0, -9}}
	if err != nil || !slices.Equal(events, want) {
		t.Errorf("events %v (%v), want %v", events, err, want)
	}
}

// A code by hand: waits of up to four samples are tokens 0 to 3, "up" is 4 and "down" 5.
func TestEventCode(t *testing.T) {
	code, err := NewEventCode(2, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := code.Encode([]int32{9}, []Event{{0, 0, 0}, {6, 1, 0}, {6, 0, 0}}, 8)
	if want := []int32{9, 4, 3, 1, 5, 4, 1}; err != nil || !slices.Equal(tokens, want) {
		t.Errorf("tokens %v (%v), want %v", tokens, err, want)
	}
	if got, want := code.Rate(6, 8), 6*math.Log2(6)/8; math.Abs(got-want) > 1e-12 {
		t.Errorf("rate %v, want %v", got, want)
	}
	x := wave(1000, 0, 3)
	for name, d := range detectors(t) {
		fitted, err := FitEventCode(d, x, 16, 8)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := 16 + len(d.Kinds()); name == "crossings" && fitted.Alphabet() != want || name != "crossings" && fitted.Alphabet() < want {
			t.Errorf("%s: alphabet %d", name, fitted.Alphabet())
		}
	}
}

func TestEventsBadInput(t *testing.T) {
	values, _ := NewUniform(0, 1, 65536)
	code, _ := NewEventCode(2, 4, nil)
	crossings, _ := NewCrossings([]float64{0}, 0)
	peaks, _ := NewPeaks(1)
	for want, try := range map[string]func() error{
		`unknown detector "peak": did you mean "peaks"?`:                                                         func() error { _, err := FitDetector("peak", nil, wave(10, 0, 1)); return err },
		`peaks: unknown parameter "swimg": did you mean "swing"?`:                                                func() error { _, err := FitDetector("peaks", Params{"swimg": 1}, wave(10, 0, 1)); return err },
		"onsets: every sample is 0: want a signal that changes":                                                  func() error { _, err := FitDetector("onsets", nil, make([]float64, 9)); return err },
		"crossings: 0 thresholds: want 1 to 65536":                                                               func() error { _, err := NewCrossings(nil, 0); return err },
		"crossings: hysteresis = NaN: want 0 or more":                                                            func() error { _, err := NewCrossings([]float64{1}, math.NaN()); return err },
		"peaks: swing = 0: want a positive number":                                                               func() error { _, err := NewPeaks(0); return err },
		"onsets: threshold = NaN: want a positive number":                                                        func() error { _, err := NewOnsets(math.NaN(), 1); return err },
		"onsets: rest = 0: want 1 or more":                                                                       func() error { _, err := NewOnsets(1, 0); return err },
		"peaks: sample 1 is NaN: want numbers within ±1e+150":                                                    func() error { _, err := peaks.Detect([]float64{1, math.NaN()}); return err },
		"crossings: event 0 is at sample 9: want 0 to 8":                                                         func() error { _, err := crossings.Rebuild([]Event{{At: 9}}, 9); return err },
		"crossings: no signal of 9 samples has these events: the rebuilt signal's events differ from event 1 on": func() error { _, err := crossings.Rebuild([]Event{{At: 1}, {At: 2}}, 9); return err },
		"peaks: a signal of 268435457 samples: want 0 to 268435456":                                              func() error { _, err := peaks.Rebuild(nil, mostRebuilt+1); return err },
		"event code: token 1 is 6: want 0 to 5":                                                                  func() error { _, _, err := code.Decode([]int32{1, 6}); return err },
		"event code: an event follows the last of 2 samples: want a wait after it":                               func() error { _, _, err := code.Decode([]int32{1, 5}); return err },
		"event code: event 0 has kind 2: want 0 to 1":                                                            func() error { _, err := code.Encode(nil, []Event{{Kind: 2}}, 5); return err },
		"event code: 8589935616 tokens: want fewer kinds or levels":                                              func() error { _, err := NewEventCode(1<<17, 1024, values); return err },
		"event code: the training signal has no events: want at least one":                                       func() error { _, err := FitEventCode(crossings, []float64{-1}, 4, 4); return err },
		"event code: values of events: uniform: every sample is 3: want a signal that changes": func() error {
			_, err := FitEventCode(peaks, []float64{3, 3}, 4, 4)
			return err
		},
	} {
		if err := try(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := NewCrossings([]float64{0, 1}, 1.5)
	isOneLine(t, err)
	_, err = NewCrossings([]float64{1, 0}, 0)
	isOneLine(t, err)
}

// Fitted thresholds part the range of the samples equally, and the hysteresis is a part
// of the space between two.
// The steps between thresholds are midway. The outer ones are as far from their threshold
// as neighbours are on average, and with one threshold as far as its size, the hysteresis
// or 1, whichever is most.
func TestStepsOfThresholds(t *testing.T) {
	for _, c := range []struct {
		thresholds []float64
		hysteresis float64
		want       []float64
	}{
		{[]float64{0}, 0, []float64{-1, 1}},
		{[]float64{0.5}, 0.25, []float64{-0.5, 1.5}},
		{[]float64{-0.5}, 3, []float64{-3.5, 2.5}},
		{[]float64{-4}, 1, []float64{-8, 0}},
		{[]float64{4}, 8, []float64{-4, 12}},
		{[]float64{10, 10.5}, 0.25, []float64{9.5, 10.25, 11}},
		{[]float64{-1, 0, 0.5, 2}, 0, []float64{-2, -0.5, 0.25, 1.25, 3}},
	} {
		d, err := NewCrossings(c.thresholds, c.hysteresis)
		if err != nil {
			t.Fatal(err)
		}
		events := make([]Event, len(c.thresholds))
		for k := range events {
			events[k] = Event{At: k + 1, Kind: 2 * k}
		}
		if x, err := d.Rebuild(events, len(c.want)); err != nil || !slices.Equal(x, c.want) {
			t.Errorf("thresholds %v, hysteresis %g: steps %v (%v), want %v", c.thresholds, c.hysteresis, x, err, c.want)
		}
	}
}

func TestFitCrossings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low, space := rapid.Float64Range(-10, 10).Draw(t, "low"), rapid.Float64Range(0.1, 5).Draw(t, "space")
		n, part := rapid.IntRange(1, 9).Draw(t, "n"), rapid.Float64Range(0, 0.9).Draw(t, "hysteresis")
		c, err := fitCrossings([]float64{low + space/3, low + float64(n+1)*space, low}, n, part)
		if err != nil || len(c.thresholds) != n || math.Abs(2*c.half-part*space) > 1e-12 {
			t.Fatalf("%+v (%v)", c, err)
		}
		for k, threshold := range c.thresholds {
			if math.Abs(threshold-low-float64(k+1)*space) > 1e-12 {
				t.Fatalf("thresholds %v from %v, want them %v apart", c.thresholds, low, space)
			}
		}
	})
}

// Each detector refuses an event of a kind that it does not have, and names the kinds
// that it has.
func TestKindsOfEvents(t *testing.T) {
	peaks, err := NewPeaks(1)
	if err != nil {
		t.Fatal(err)
	}
	onsets, err := NewOnsets(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	crossings, err := NewCrossings([]float64{0, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Detector{peaks, onsets, crossings} {
		kinds := len(d.Kinds())
		for _, kind := range []int{-1, kinds} {
			_, err := d.Rebuild([]Event{{Kind: kind, Value: 1}}, 4)
			if want := fmt.Sprintf("event 0 has kind %d: want 0 to %d", kind, kinds-1); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%T: %v, want %s", d, err, want)
			}
		}
	}
}
