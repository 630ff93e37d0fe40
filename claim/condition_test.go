package claim

import "testing"

func TestConclude(t *testing.T) {
	holds, fails := Condition{Verdict: Holds}, Condition{Verdict: Fails}
	smaller := Condition{Verdict: Differs, Reason: Size}
	corrected := Condition{Verdict: Corrected}
	open := Condition{Verdict: Holds}.Judged("it rests on a plateau")
	for _, c := range []struct {
		conditions []Condition
		verdict    Verdict
		reason     Reason
	}{
		{nil, Open, ""},
		{[]Condition{open, open}, Open, Untrained},
		{[]Condition{holds, open, holds}, Holds, ""},
		{[]Condition{open, fails}, Fails, ""},
		{[]Condition{smaller, smaller}, Differs, Size},
		{[]Condition{holds, smaller}, Differs, Conditions},
		{[]Condition{holds, fails}, Differs, Conditions},
		{[]Condition{smaller, fails}, Differs, Conditions},
		{[]Condition{corrected, holds, open}, Corrected, ""},
	} {
		verdict, reason := Conclude(c.conditions)
		if verdict != c.verdict || reason != c.reason {
			t.Errorf("%v: %s, %q, want %s, %q", c.conditions, verdict, reason, c.verdict, c.reason)
		}
	}
}

func TestJudged(t *testing.T) {
	if c := (Condition{Verdict: Fails}).Judged(""); !c.Converged || c.Verdict != Fails {
		t.Errorf("a converged condition became %+v", c)
	}
	why := "it misses 5 %"
	if c := (Condition{Verdict: Fails}).Judged(why); c.Converged || c.Verdict != Open || c.Unconverged != why {
		t.Errorf("an unconverged condition became %+v", c)
	}
}
