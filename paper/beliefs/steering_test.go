package beliefs

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

func TestSteeringRule(t *testing.T) {
	// Moved the likeliest way, left alone, moved as far at random.
	process := func(along, unchanged, random float64) steered {
		last := movedStage{unchanged: []float64{unchanged}}
		last.likeliest = moved{along: []float64{along}, random: []float64{random}}
		last.shortest = moved{along: []float64{9}, random: []float64{0}} // has no say
		return steered{stages: []movedStage{{}, last}}
	}
	of := func(processes ...steered) interventions { return interventions{processes: processes} }
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, interventions.judge, verdicts, []claimtest.Case[interventions]{
		{Name: "a quarter and a half", M: of(process(1, 4, 2), process(1, 5, 3)), Want: claim.Holds},
		{Name: "not a quarter in one", M: of(process(1, 4, 2), process(1, 3, 3)), Want: claim.Differs},
		{Name: "not a quarter in the first", M: of(process(1, 3, 3), process(1, 4, 2)), Want: claim.Differs},
		{Name: "not half of random", M: of(process(1, 4, 1.5)), Want: claim.Differs},
		{Name: "random as good", M: of(process(1, 4, 1), process(1, 4, 2)), Want: claim.Fails},
		{Name: "random as good in the second", M: of(process(1, 3, 3), process(1, 4, 1)), Want: claim.Fails},
		{Name: "no better than nothing", M: of(process(1, 1, 2)), Want: claim.Fails},
	})
}

// Means over seeds decide, not one of them.
func TestSteeringIsOfMeans(t *testing.T) {
	last := movedStage{unchanged: []float64{1, 7}}
	last.likeliest = moved{along: []float64{0.5, 1.5}, random: []float64{0.5, 3.5}}
	if got := (steered{stages: []movedStage{last}}).verdict(); got != claim.Holds {
		t.Errorf("1 beside 4 and 2: %s, want %s", got, claim.Holds)
	}
}

// What is found of a stage goes where it belongs, lengths as shares of the spread.
func TestMovedStage(t *testing.T) {
	moved := func(along, random, distance float64) probe.Moved {
		return probe.Moved{
			Along: probe.Estimate{Mean: along}, Random: probe.Estimate{Mean: random},
			Distance: probe.Estimate{Mean: distance},
		}
	}
	var st movedStage
	st.add(probe.SteeredStage{Spread: 2, Steered: &probe.Steered{
		Unchanged: probe.Estimate{Mean: 1}, Likeliest: moved(2, 3, 4), Shortest: moved(5, 6, 8),
	}})
	rows := steered{stages: []movedStage{st}}.rows(1, []uint64{7})
	want := []float64{1, 7, 0, 1, 2, 3, 2, 5, 6, 4}
	for i, x := range rows[0] {
		if x != want[i] {
			t.Fatalf("the file of data has %v, want %v", rows[0], want)
		}
	}
}
