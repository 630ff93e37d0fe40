package series

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// sorted returns the values that are present, sorted.
func sorted(s *Series) []float64 {
	var list []float64
	for _, at := range presentPlaces(s.Values) {
		list = append(list, s.Values[at])
	}
	slices.Sort(list)
	return list
}

// circular returns the autocorrelation at a lag if the last value is followed by the
// first.
func circular(s *Series, lag int) float64 {
	n, mean := len(s.Values), meanOf(s.Values)
	products, squares := 0.0, 0.0
	for i, x := range s.Values {
		products += (x - mean) * (s.Values[(i+lag)%n] - mean)
		squares += (x - mean) * (x - mean)
	}
	return products / squares
}

// Surrogates have the values of the series in an order that seed and copy decide. The
// shuffled one has no autocorrelation, the phase-randomised one has the same.
func TestSurrogates(t *testing.T) {
	s, err := Read("testdata/sunspots.csv", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	random := func(seed, copy uint64) *Series {
		made, err := s.PhaseRandomised(t.Context(), seed, copy)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for name, make := range map[string]func(seed, copy uint64) *Series{"shuffled": s.Shuffled, "phases": random} {
		one, again := make(1, 0), make(1, 0)
		if !equal(one.Values, again.Values) || equal(one.Values, make(1, 1).Values) || equal(one.Values, make(2, 0).Values) {
			t.Errorf("%s: the order is not a function of seed and copy", name)
		}
		if !equal(sorted(one), sorted(s)) || len(one.Times) != len(one.Values) {
			t.Errorf("%s: other values", name)
		}
	}
	for _, lag := range []int{1, 12, 66, 133} {
		want := circular(s, lag)
		if got := circular(random(3, 0), lag); math.Abs(got-want) > 0.01 {
			t.Errorf("lag %d: %v of the phases, want %v", lag, got, want)
		}
		if got := circular(s.Shuffled(3, 0), lag); math.Abs(got) > 4/math.Sqrt(2820) {
			t.Errorf("lag %d: %v of the shuffled", lag, got)
		}
	}
}

// Phases carry what is not linear: a surrogate of a map of the logistic equation does not
// follow it.
func TestPhasesAreNotNonlinear(t *testing.T) {
	s, x := &Series{Values: make([]float64, 1000)}, 0.3
	for i := range s.Values {
		x = 4 * x * (1 - x)
		s.Values[i] = x
	}
	made, err := s.PhaseRandomised(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	off := 0.0
	for i := 1; i < 1000; i++ {
		before := made.Values[i-1]
		off += math.Abs(made.Values[i]-4*before*(1-before)) / 999
	}
	if off < 0.2 {
		t.Errorf("the next value is predicted up to %v", off)
	}
}

// Missing values keep their places, and symbols have no phases.
func TestSurrogatesOfFewValues(t *testing.T) {
	s := &Series{Source: "x", Values: []float64{nan, 5, nan, 6, 7, nan, 8, 9, 1, 2, 3, 4, 11, 12, nan}, Absent: []int{0, 5}}
	for i := range uint64(5) {
		if made := s.Shuffled(1, i); !equal(sorted(made), sorted(s)) || !math.IsNaN(made.Values[2]) || len(made.Values) != 15 {
			t.Errorf("%v", made.Values)
		}
	}
	made, err := s.PhaseRandomised(t.Context(), 1, 0)
	if err != nil || !equal(sorted(made), sorted(s)) || !math.IsNaN(made.Values[0]) || math.IsNaN(made.Values[1]) {
		t.Errorf("%+v, %v", made, err)
	}
	if part := s.from(3); fmt.Sprint(part.Absent) != "[2]" || len(part.Values) != 12 {
		t.Errorf("%+v", part)
	}
	s.Symbols = []string{"a"}
	if _, err := s.PhaseRandomised(t.Context(), 1, 0); fmt.Sprint(err) != "x has symbols, which have no phases; want numbers" {
		t.Error(err)
	}
	if _, err := (&Series{Source: "x", Values: []float64{nan}}).PhaseRandomised(t.Context(), 1, 0); fmt.Sprint(err) != "x has no values" {
		t.Error(err)
	}
	for n, want := range map[int]int{1: 1, 4093: 4093, 10007: 10000, 9999991: 9953280} {
		if got := smoothLength(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
