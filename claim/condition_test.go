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
		{[]Condition{holds, open}, Holds, ""},
		{[]Condition{holds, open, open}, Open, Untrained},
		{[]Condition{open, open, fails}, Fails, ""},
		{[]Condition{smaller, smaller}, Differs, Size},
		{[]Condition{smaller, {Verdict: Differs, Reason: Untrained}}, Differs, Size},
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

// A finding says what was decided, names what has not converged, and counts what nobody
// has trained.
func TestNewFinding(t *testing.T) {
	decided := Exactly("KL", "nats", 2)
	found := NewFinding([]Condition{
		Condition{Name: "a"}.Judged(NotTrained),
		Condition{Name: "b", Effect: Exactly("KL", "nats", 1)}.Judged("it still falls"),
		{Name: "c", Verdict: Open, Reason: Power, Converged: true, Obtained: "too few"},
		{Name: "d", Verdict: Holds, Converged: true, Obtained: "as stated", Effect: decided},
	})
	want := "c: too few; d: as stated; not converged: b; 1 of 4 conditions not trained"
	if found.Verdict != Open || found.Obtained != want || found.Effect != decided || len(found.Conditions) != 4 {
		t.Errorf("%+v", found)
	}
	var falling []Condition
	for _, name := range []string{"a", "b", "c", "d"} {
		falling = append(falling, Condition{Name: name}.Judged("it still falls"))
	}
	if got, want := NewFinding(falling[:3]).Obtained, "not converged: a and b and c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := NewFinding(falling).Obtained, "4 of 4 conditions have not converged"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// The effect is that of the condition that decides.
	against := Exactly("KL", "nats", 3)
	found = NewFinding([]Condition{
		{Name: "a", Verdict: Holds, Converged: true, Effect: decided},
		{Name: "b", Verdict: Fails, Converged: true, Effect: against},
		{Name: "c", Verdict: Fails, Converged: true, Effect: decided},
	})
	if found.Verdict != Differs || found.Effect != against {
		t.Errorf("%+v, want the effect of b", found)
	}
	// Where all hold, models say more than a number without them.
	trained := Over("KL", "nats", []float64{1, 2})
	found = NewFinding([]Condition{
		{Name: "a", Verdict: Holds, Converged: true, Effect: decided},
		{Name: "b", Verdict: Holds, Converged: true},
		{Name: "c", Verdict: Holds, Converged: true, Effect: trained},
		{Name: "d", Verdict: Holds, Converged: true, Effect: against},
	})
	if found.Verdict != Holds || found.Effect != trained {
		t.Errorf("%+v, want the effect of c", found)
	}
}

func TestConditionsOf(t *testing.T) {
	list := ConditionsOf([]int{1, 0}, func(n int) Condition { return Condition{Verdict: HoldsIf(n > 0)} })
	if len(list) != 2 || list[0].Verdict != Holds || list[1].Verdict != Fails {
		t.Errorf("%+v", list)
	}
}
