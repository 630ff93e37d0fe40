package process

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A signal has its levels in its own unit, and its samples to half a level.
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
		"r: a recording of 1 tokens, want 2 to 1048576":                                                         failure(NewRecording("r", []string{"a"}, []int32{0})),
		"r: tokens 0 and 1 are both named \"a\"":                                                                failure(NewRecording("r", []string{"a", "a"}, []int32{0, 0})),
		"r: token 2 at index 1 of the recording is outside the alphabet 0 … 1":                                  failure(NewRecording("r", []string{"a", "b"}, []int32{0, 2})),
		"the recording has no name; give it one, such as \"tide\"":                                              failure(NewSignal("", []float64{0, 1}, 2)),
		"the recording has no name; give it one, such as \"tide\" ":                                             fmt.Errorf("%w ", failure(NewRecording("", []string{"a", "b"}, []int32{0, 1}))),
		"r: levels = 1 is outside [2, 1024]":                                                                    failure(NewSignal("r", []float64{0, 1}, 1)),
		"r: a signal of 0 samples, want 2 to 1048576":                                                           failure(NewSignal("r", nil, 2)),
		"r: sample 1 is NaN, want a number up to 1e300":                                                         failure(NewSignal("r", []float64{0, math.NaN()}, 2)),
		"r: all samples are 3, so there is nothing to quantise":                                                 failure(NewSignal("r", []float64{3, 3}, 2)),
		"r: all 2 samples, from 0.2 to 3.9, are outside the range [10, 20]; want a range that includes samples": failure(NewSignalWithin("r", []float64{3.9, 0.2}, 10, 20, 2)),
		"r: 1 levels for 2 tokens, want one for each":                                                           failure(r.WithLevels([]float64{1})),
		"r: level 1 is 1, after 1, want ascending levels":                                                       failure(r.WithLevels([]float64{1, 1})),
	} {
		if err == nil || err.Error() != want || strings.Contains(err.Error(), "\n") {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Recordings of one range have the same tokens for the same values, whatever their own
// extremes are; what is beyond is clipped.
func TestRecordingsOfOneRange(t *testing.T) {
	first, err := NewSignalWithin("first", []float64{0, 1, 2, 3}, 0, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	second, err := NewSignalWithin("second", []float64{-7, 3, 4, 9, 2}, 0, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := first.Record(), []int32{0, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := second.Record(), []int32{0, 3, 4, 4, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if first.Clipped() != 0 || second.Clipped() != 2 {
		t.Errorf("%d and %d are clipped, want 0 and 2", first.Clipped(), second.Clipped())
	}
	if !slices.Equal(first.Levels(), second.Levels()) || !slices.Equal(first.Levels(), []float64{0, 1, 2, 3, 4}) {
		t.Errorf("%v, %v", first.Levels(), second.Levels())
	}
	whole, err := NewSignal("whole", []float64{1, 2, 4}, 4)
	if err != nil {
		t.Fatal(err)
	}
	within, err := NewSignalWithin("whole", []float64{1, 2, 4}, 1, 4, 4)
	if err != nil || !slices.Equal(whole.Record(), within.Record()) || !slices.Equal(whole.Levels(), within.Levels()) {
		t.Errorf("%v, %v, %v", whole.Record(), within, err)
	}
	if flat, err := NewSignalWithin("flat", []float64{1, 1}, 0, 4, 5); err != nil || !slices.Equal(flat.Record(), []int32{1, 1}) {
		t.Errorf("%v, %v", flat, err)
	}
}

// A configuration has room for so many digits; how many there is room for is said.
func TestRecordingTooLongForAConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	var long strings.Builder
	for n := range 60_000 {
		fmt.Fprintln(&long, math.Sin(float64(n)))
	}
	writeFile(t, "long.csv", long.String())
	_, err := Spec{Name: "recording", Params: Params{"signal": "@long.csv"}}.WithFiles()
	const want = "they fit if rounded to 11 digits"
	if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), "params.signal is not possible: long.csv has 60000 numbers of ") {
		t.Errorf("%v, want … %s", err, want)
	}
}

// The tokens are those for training, for validation and held out, in this order.
// Sequences of each part are its windows, each as likely as another: none crosses a
// border. The order in which the parts are set does not matter.
func TestRecordingWindowsStayInTheirPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "N")
		record := make([]int32, n) // all different, so that a window tells its offset
		for i := range record {
			record[i] = int32(i)
		}
		whole, err := NewRecording("r", numbers(n), record)
		if err != nil {
			t.Fatal(err)
		}
		held, kept := rapid.Float64Range(0, 0.9).Draw(t, "held out"), rapid.Float64Range(0, 0.9).Draw(t, "validation")
		r, err := both(whole, (*Recording).HoldOut, held, (*Recording).WithValidation, kept)
		other, otherErr := both(whole, (*Recording).WithValidation, kept, (*Recording).HoldOut, held)
		if (err == nil) != (otherErr == nil) || err == nil && !reflect.DeepEqual(r, other) {
			t.Fatalf("%v, %v: the order of the parts matters", err, otherErr)
		}
		if err != nil {
			return // a part without tokens
		}
		end := n
		for _, part := range []Sampler{r.HeldOut(), r.Validation()} {
			if part != nil {
				from := end - len(part.(*Recording).Record())
				drawsWindows(t, part.(*Recording), from, end)
				end = from
			}
		}
		drawsWindows(t, r, 0, end)
		for share, part := range map[float64]Sampler{held: r.HeldOut(), kept: r.Validation()} {
			if (math.Round(share*float64(n)) > 0) != (part != nil) {
				t.Fatalf("a share of %g of %d tokens: %v", share, n, part)
			}
		}
	})
}

// both sets two parts of a recording, one after the other.
func both(r *Recording, first func(*Recording, float64) (*Recording, error), a float64,
	then func(*Recording, float64) (*Recording, error), b float64,
) (*Recording, error) {
	r, err := first(r, a)
	if err != nil {
		return nil, err
	}
	return then(r, b)
}

// drawsWindows fails unless r draws windows of the tokens from … to−1 of a recording of
// 0, 1, 2, …, and all of them.
func drawsWindows(t *rapid.T, r *Recording, from, to int) {
	length := rapid.IntRange(1, to-from).Draw(t, "length")
	windows := to - from - length + 1
	if r.Windows(length) != windows || r.Windows(to-from+1) != 0 {
		t.Fatalf("%d windows of %d tokens in [%d, %d), and %d longer than that", r.Windows(length), length, from, to,
			r.Windows(to-from+1))
	}
	window, seen := make([]int32, length), make([]int, windows)
	src := rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)
	draws := 40 * windows
	for range draws {
		r.Sample(window, src)
		for k, z := range window {
			if int(z) != int(window[0])+k || int(z) < from || int(z) >= to {
				t.Fatalf("window %v of the tokens %d … %d", window, from, to-1)
			}
		}
		seen[int(window[0])-from]++
	}
	for offset, count := range seen { // binomial, of mean 40: eight standard deviations
		if count == 0 || math.Abs(float64(count)-40) > 8*math.Sqrt(40)+1 {
			t.Fatalf("offset %d of %d came %d times in %d", offset, windows, count, draws)
		}
	}
}

// The best possible prediction of a recording is not known: nothing that needs one can be
// made of it.
func TestRecordingHasNoOptimum(t *testing.T) {
	var none *NoOptimumError
	if p, err := Build("recording", nil); p != nil || !errors.As(err, &none) {
		t.Errorf("%v, %v", p, err)
	}
	const want = "its best possible prediction is not known, so it has no floor and no optimal predictor"
	for _, spec := range []Spec{
		{Name: "recording"},
		{Name: "noisy", Params: Params{"process": Spec{Name: "recording"}}},
		{Name: "mixture", Params: Params{"components": []Spec{{Name: "iid"}, {Name: "recording"}}, "weights": []float64{1, 1}}},
	} {
		if _, err := spec.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec.Name, err)
		}
	}
	eight := []float64{0, 1, 4, 9, 0, 1, 4, 1}
	s, err := BuildSampler("recording", Params{"signal": eight, "holdout": 0.25, "validation": 0.125})
	if err != nil || s.(*Recording).Windows(1) != 5 {
		t.Errorf("%v, %v", s, err)
	}
}

// A share that leaves a part without tokens is refused.
func TestHoldOutErrors(t *testing.T) {
	r, err := NewSignal("r", []float64{0, 1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for share, want := range map[float64]string{
		-0.1:       "r: holdout = -0.1 is outside [0, 0.9]",
		1:          "r: holdout = 1 is outside [0, 0.9]",
		math.NaN(): "r: holdout = NaN is outside [0, 0.9]",
		0.9:        "r: holdout = 0.9 of 3 tokens leaves a part without tokens; want 0 for no such part, or a share that leaves tokens in every part",
		0.1:        "r: holdout = 0.1 of 3 tokens leaves a part without tokens; want 0 for no such part, or a share that leaves tokens in every part",
	} {
		if _, err := r.HoldOut(share); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		want = strings.NewReplacer("holdout", "validation", "[0, 0.9]", "[0, 0.7]").Replace(want)
		if share == 0.9 {
			want = "r: validation = 0.9 is outside [0, 0.7]"
		}
		if _, err := r.WithValidation(share); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
