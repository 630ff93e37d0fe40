package process

import (
	"math"
	"slices"
	"testing"
)

// An example of a sequence can occur in each process of the catalogue, and is a prefix of
// the longest; after it the next token has a distribution.
func TestExamplesCanOccur(t *testing.T) {
	for _, entry := range Catalogue() {
		_, full, err := Resolve(entry.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := entry.New(full)
		if err != nil {
			t.Fatal(err)
		}
		p, known := s.(Process)
		if !known {
			continue
		}
		for n := range ExampleLength + 2 {
			word := ExampleOf(p, n)
			next, err := NextAfter(p, word)
			if err != nil || len(word) != min(n, ExampleLength) {
				t.Fatalf("%s: %v, %v", entry.Name, word, err)
			}
			sum := 0.0
			for _, q := range next {
				sum += q
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: after %v the next token has probability %g", entry.Name, word, sum)
			}
		}
	}
	if word := ExampleOf(nil, 2); !slices.Equal(word, []int32{0, 1}) {
		t.Errorf("of no process: %v", word)
	}
	coin, err := Build("coin", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NextAfter(coin, []int32{0, 9}); err == nil {
		t.Error("a token outside the alphabet is observed")
	}
}

// Levels belong to signals, and only the optimal predictor of a recording that is a ring
// has memorised it.
func TestLevelsAndMemorised(t *testing.T) {
	for name, want := range map[string][2]bool{
		"mess3": {}, "sine": {true, false}, "mackey_glass": {true, true}, "recording": {true, false},
	} {
		s, err := Spec{Name: name}.BuildSampler()
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{LevelsOf(s) != nil, Memorised(s)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if LevelsOf(nil) != nil || Memorised(nil) {
		t.Error("no sampler has levels, or has memorised something")
	}
}
