package process

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A signal of one's own has its levels in its own unit, its samples to half a level, and
// the floors of its recording.
func TestNewSignal(t *testing.T) {
	samples := make([]float64, 600)
	for n := range samples {
		samples[n] = 20 + 5*math.Sin(float64(n)/7)
	}
	r, err := NewSignal("tide", samples, 16)
	if err != nil {
		t.Fatal(err)
	}
	levels, width := r.Levels(), r.Levels()[1]-r.Levels()[0]
	for n, z := range r.Record() {
		if math.Abs(levels[z]-samples[n]) > 0.500001*width {
			t.Fatalf("sample %d, %g, is the level %g", n, samples[n], levels[z])
		}
	}
	if r.Name() != "tide" || r.Alphabet() != 16 || levels[0] != slices.Min(samples) || math.Abs(levels[15]-slices.Max(samples)) > 1e-12 {
		t.Errorf("%s, %v", r.Name(), levels)
	}
	predictorIsCoherent(t, r)
	words, err := NewRecording("moods", []string{"calm", "storm"}, []int32{0, 0, 1, 0, 1})
	if err != nil || words.Levels() != nil || words.Tokens()[1] != "storm" {
		t.Errorf("%v, %v", words, err)
	}
}

// What is no recording is an error of one line.
func TestNoRecording(t *testing.T) {
	r, err := NewRecording("r", []string{"a", "b"}, []int32{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	failure := func(_ *Recording, err error) error { return err }
	for want, err := range map[string]error{
		"r: a recording of 1 tokens, want 2 to 1048576":                        failure(NewRecording("r", []string{"a"}, []int32{0})),
		"r: tokens 0 and 1 are both named \"a\"":                               failure(NewRecording("r", []string{"a", "a"}, []int32{0, 0})),
		"r: token 2 at place 1 of the recording is outside the alphabet 0 … 1": failure(NewRecording("r", []string{"a", "b"}, []int32{0, 2})),
		"r: levels = 1 is outside [2, 1024]":                                   failure(NewSignal("r", []float64{0, 1}, 1)),
		"r: a signal of 0 samples, want 2 to 1048576":                          failure(NewSignal("r", nil, 2)),
		"r: sample 1 is NaN, want a number up to 1e300":                        failure(NewSignal("r", []float64{0, math.NaN()}, 2)),
		"r: all samples are 3, so there is nothing to quantise":                failure(NewSignal("r", []float64{3, 3}, 2)),
		"r: 1 levels for 2 tokens":                                             failure(r.WithLevels([]float64{1})),
		"r: level 1 is 1, after 1, want ascending ones":                        failure(r.WithLevels([]float64{1, 1})),
	} {
		if err == nil || err.Error() != want || strings.Contains(err.Error(), "\n") {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
