package seeds

import (
	"math"
	"testing"

	"foretell/claim"
)

func TestAbove(t *testing.T) {
	for _, test := range []struct {
		interval *claim.Interval
		verdict  claim.Verdict
		reason   claim.Reason
		answer   claim.Answer
		text     string
	}{
		{nil, claim.Open, claim.Power, claim.Undecided, ""},
		{&claim.Interval{Low: 1.1, High: 2}, claim.Holds, "", claim.Yes, " (1.1 to 2.0)"},
		{&claim.Interval{Low: 1, High: 2}, claim.Open, claim.Power, claim.Undecided, " (1.0 to 2.0)"},
		{&claim.Interval{Low: 0, High: 1}, claim.Open, claim.Power, claim.Undecided, " (0.0 to 1.0)"},
		{&claim.Interval{Low: 0, High: 0.9}, claim.Fails, "", claim.No, " (0.0 to 0.9)"},
	} {
		verdict, reason := Above(test.interval, 1)
		if verdict != test.verdict || reason != test.reason || Answer(verdict) != test.answer {
			t.Errorf("%v: %s, %q, %s", test.interval, verdict, reason, Answer(verdict))
		}
		if got := Within("%.1f", test.interval); got != test.text {
			t.Errorf("%v is printed as %q", test.interval, got)
		}
	}
	if Answer(claim.Differs) != claim.No {
		t.Error("what differs is answered with another word than no")
	}
}

// Welch's interval, worked by hand: a standard error of √2, and 4.08 degrees of freedom,
// for which t is 2.757.
func TestDifference(t *testing.T) {
	mean, interval := Difference([]float64{1, 2, 3}, []float64{4, 6, 8, 10})
	want := claim.Interval{Low: -5 - 2.757*math.Sqrt2, High: -5 + 2.757*math.Sqrt2}
	if mean != -5 || math.Abs(interval.Low-want.Low) > 0.005 || math.Abs(interval.High-want.High) > 0.005 {
		t.Errorf("%v, %v, want %v", mean, interval, want)
	}
	if _, interval := Difference([]float64{1}, []float64{2, 3}); interval != nil {
		t.Errorf("one seed has the interval %v", interval)
	}
	if _, interval := Difference([]float64{1, 1}, []float64{3, 3}); *interval != (claim.Interval{Low: -2, High: -2}) {
		t.Errorf("equal values have the interval %v", interval)
	}
}
