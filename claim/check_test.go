package claim

import (
	"math"
	"strings"
	"testing"

	"foretell/document"
)

// good is a claim with everything that one can have to be checked.
func good() Claim {
	share := NewShare(2, 5)
	effect := Over("decay", "", []float64{0.4, 0.5, 0.6}).Beside("Fig. 2", 0.55).Against("random", 0.1)
	effect.Reached = &share
	return Claim{
		Kind: Number, Verdict: Differs, Reason: Size, Obtained: "smaller", Effect: effect,
		Conditions: []Condition{
			Condition{Name: "a", Verdict: Differs, Reason: Size, Obtained: "smaller"}.Judged(""),
			Condition{Name: "b", Verdict: Fails, Obtained: "nothing"}.Judged("it rests on a plateau"),
		},
		Asked:    []Question{{Question: "within 0.05?", Answer: No, Obtained: "by 0.07"}},
		Figures:  []string{"figures/x.svg"},
		Captions: []string{"what to look for"},
		Data:     []string{"data/x.csv"},
		Tables:   []document.Table{document.Texts("T", []string{"a", "b"}, []string{"1", "2"})},
	}
}

// Each thing that a claim may not say is seen.
func TestClaimIsChecked(t *testing.T) {
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for want, harm := range map[string]func(*Claim){
		`verdict "perhaps" is not one of ["holds"`:     func(c *Claim) { c.Verdict = "perhaps" },
		`is "local", want none, or one of ["cosmetic"`: func(c *Claim) { c.Severity = Local },
		`the verdict differs has no reason`:            func(c *Claim) { c.Reason = "" },
		`reason "weather" is not one of ["size"`:       func(c *Claim) { c.Reason = "weather" },
		`the verdict holds has the reason`:             func(c *Claim) { c.Verdict = Holds },
		`an effect has no name`:                        func(c *Claim) { c.Effect.What = "" },
		`effect "decay": estimate is NaN`:              func(c *Claim) { c.Effect.Estimate = math.NaN() },
		`does not contain the estimate 0.9`:            func(c *Claim) { c.Effect.Estimate = 0.9 },
		`effect "decay": interval's lower end is -Inf`: func(c *Claim) { c.Effect.Interval.Low = math.Inf(-1) },
		`over 1 seeds`: func(c *Claim) { c.Effect.Seeds = 1 },
		`effect "decay": control's number is +Inf`:               func(c *Claim) { c.Effect.Control.Value = math.Inf(1) },
		`a number that it is compared with has no name`:          func(c *Claim) { c.Effect.Document.What = "" },
		`the share reached is 6 of 5`:                            func(c *Claim) { c.Effect.Reached.K = 6 },
		`the share reached is 2 of 5, but its`:                   func(c *Claim) { c.Effect.Reached.Interval.High = 0.3 },
		`condition "a" occurs twice`:                             func(c *Claim) { c.Conditions[1].Name = "a" },
		`lacks a name or a result`:                               func(c *Claim) { c.Conditions[0].Obtained = "" },
		`condition "a": the verdict differs has no reason`:       func(c *Claim) { c.Conditions[0].Reason = "" },
		`condition "b": has Converged = true and Unconverged = `: func(c *Claim) { c.Conditions[1].Converged = true },
		`has not converged but is fails`: func(c *Claim) {
			c.Conditions[1].Verdict, c.Conditions[1].Reason = Fails, ""
		},
		`has not converged but is open, for the reason "power"`: func(c *Claim) { c.Conditions[1].Reason = Power },
		`although every condition is open`:                      func(c *Claim) { c.Conditions = c.Conditions[1:] },
		`answer "maybe" is not one of ["yes"`:                   func(c *Claim) { c.Asked[0].Answer = "maybe" },
		`question "within 0.05?": effect "nothing": estimate is NaN`: func(c *Claim) {
			c.Asked[0].Effect = Exactly("nothing", "", math.NaN())
		},
		`effect "decay": document's number is NaN`: func(c *Claim) { c.Effect.Document.Value = math.NaN() },
		`share's upper end is NaN`:                 func(c *Claim) { c.Effect.Reached.Interval.High = math.NaN() },
		`condition "a": effect "x": estimate is`: func(c *Claim) {
			c.Conditions[0].Effect = Exactly("x", "", math.Inf(1))
		},
		`condition "a": verdict "so" is not one of`: func(c *Claim) { c.Conditions[0].Verdict = "so" },
		`lacks a question or a result`:              func(c *Claim) { c.Asked[0].Obtained = "" },
		`kind "guess" is not one of ["identity"`:    func(c *Claim) { c.Kind = "guess" },
		"2 captions for 1 figures, want one for each": func(c *Claim) {
			c.Captions = []string{"one", "two"}
		},
		`path "../x.csv" is not inside the output folder`: func(c *Claim) { c.Data[0] = "../x.csv" },
		`path "/x.svg" is not inside the output folder`:   func(c *Claim) { c.Figures[0] = "/x.svg" },
		`table "T" has no columns`:                        func(c *Claim) { c.Tables[0].Columns = nil },
		`table "T" has no values; make it with`:           func(c *Claim) { c.Tables[0].Values = nil },
		`table "T": row 1 has 1 cells for 2 columns`:      func(c *Claim) { c.Tables[0].Rows[0] = []string{"x"} },
	} {
		c := good()
		harm(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A claim without a kind needs a reason if it has more than a verdict and a sentence.
func TestReasonIsNeeded(t *testing.T) {
	c := Claim{Verdict: Open, Obtained: "nothing yet"}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	exact := Claim{Verdict: Holds, Obtained: "equal", Kind: Identity, Effect: Exactly("difference", "", 0)}
	if err := exact.Check(); err != nil {
		t.Errorf("an exact number, which has no seeds: %v", err)
	}
	published := c
	published.Kind = Order
	measured := c
	measured.Effect = Exactly("decay", "", 1)
	for name, c := range map[string]Claim{"published": published, "measured": measured} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "the verdict open has no reason") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The interval of a share contains it and is within [0, 1].
func TestIntervalOfAShareIsChecked(t *testing.T) {
	for _, interval := range []Interval{{-0.1, 1}, {0, 1.1}, {0.8, 1}} {
		if err := (Share{K: 2, N: 3, Interval: interval}).check(); err == nil {
			t.Errorf("2 of 3 with the interval %v is accepted", interval)
		}
	}
}

// A share of none and a share of all have intervals that end at 0 and at 1.
func TestSharesAtTheirEnds(t *testing.T) {
	for _, k := range []int{0, 1, 3} {
		if err := NewShare(k, 3).check(); err != nil {
			t.Errorf("%d of 3: %v", k, err)
		}
	}
}
