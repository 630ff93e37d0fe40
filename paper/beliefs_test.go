package paper

import (
	"testing"
)

// Both rows go through on models that are hardly trained, with their tables, figures
// and data.
func TestReproduceBeliefs(t *testing.T) {
	p := tiny()
	p.RRXOR = p.Mess3
	p.Seeds = []uint64{1, 2}
	study := newWatched(t.TempDir(), p)
	claims, err := study.Reproduce(t.Context(), Beliefs.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range claims {
		if c.Verdict != Fails || c.Obtained == "" { // twenty steps teach nothing
			t.Errorf("%s: %s, %s", c.ID, c.Verdict, c.Obtained)
		}
		checkFiles(t, study.Out, c)
		checkTables(t, c)
	}
}

func TestSpreadVerdict(t *testing.T) {
	// The last stage and all side by side: trained, random initialisation, shuffled.
	reading := func(trained, random, shuffled [2]float64, next, last float64) beliefReading {
		stages := func(r2 [2]float64) [][]float64 { return [][]float64{{0}, {r2[0]}, {r2[1]}} }
		return beliefReading{trained: stages(trained), random: stages(random), shuffled: stages(shuffled), next: next, last: last}
	}
	good := reading([2]float64{0.6, 0.8}, [2]float64{0.2, 0.4}, [2]float64{0.1, 0.5}, 0.3, 0.5)
	for _, test := range []struct {
		what           string
		sequence, word beliefReading
		want           Verdict
	}{
		{"both", good, good, Holds},
		{"by sequence alone", good, reading([2]float64{0.8, 0.6}, [2]float64{}, [2]float64{}, 0, 0), Differs},
		{"no more than the last tokens", reading([2]float64{0.6, 0.8}, [2]float64{}, [2]float64{}, 0.3, 0.7), good, Fails},
		{"no more than the next token", reading([2]float64{0.6, 0.8}, [2]float64{}, [2]float64{}, 0.7, 0.3), good, Fails},
		{"the untrained stages as good", reading([2]float64{0.6, 0.8}, [2]float64{0, 0.8}, [2]float64{}, 0, 0), good, Fails},
		{"chance as good", reading([2]float64{0.6, 0.8}, [2]float64{}, [2]float64{0.6, 0}, 0, 0), good, Fails},
	} {
		if got := spreadVerdict([]beliefReading{test.sequence, test.word}); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

func TestSteerVerdict(t *testing.T) {
	stage := func(moved, unchanged, random float64) steeredStage {
		return steeredStage{likeliest: []float64{moved}, unchanged: []float64{unchanged}, likeliestRandom: []float64{random}}
	}
	for _, test := range []struct {
		what string
		last []steeredStage
		want Verdict
	}{
		{"a quarter and a half", []steeredStage{stage(1, 4, 2), stage(1, 5, 3)}, Holds},
		{"not a quarter in one", []steeredStage{stage(1, 4, 2), stage(1, 3, 3)}, Differs},
		{"not half of random", []steeredStage{stage(1, 4, 1.5)}, Differs},
		{"random as good", []steeredStage{stage(1, 4, 1), stage(1, 4, 2)}, Fails},
		{"no better than nothing", []steeredStage{stage(1, 1, 2)}, Fails},
	} {
		if got := steerVerdict(test.last); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}
