package claimtest

import (
	"math"
	"strings"
	"testing"

	"foretell/claim"
)

// good is a finding with everything that one can have.
func good() claim.Finding {
	share := claim.NewShare(2, 5)
	effect := claim.Over("decay", "", []float64{0.4, 0.5, 0.6}).Beside("Fig. 2", 0.55).Against("random", 0.1)
	effect.Reached = &share
	return claim.Finding{
		Verdict: claim.Differs, Reason: claim.Size, Obtained: "smaller", Effect: effect,
		Conditions: []claim.Condition{
			claim.Condition{Name: "a", Verdict: claim.Differs, Reason: claim.Size, Obtained: "smaller"}.Judged(""),
			claim.Condition{Name: "b", Verdict: claim.Fails, Obtained: "nothing"}.Judged("it rests on a plateau"),
		},
		Asked: []claim.Question{{Question: "within 0.05?", Answer: claim.No, Obtained: "by 0.07"}},
	}
}

// Each thing that a finding may not say is seen.
func TestFindingIsChecked(t *testing.T) {
	if err := checkFinding(good()); err != nil {
		t.Fatal(err)
	}
	for want, harm := range map[string]func(*claim.Finding){
		`the unknown verdict "perhaps"`:                func(f *claim.Finding) { f.Verdict = "perhaps" },
		`the unknown reason ""`:                        func(f *claim.Finding) { f.Reason = "" },
		`the unknown reason "weather"`:                 func(f *claim.Finding) { f.Reason = "weather" },
		`is holds with the reason`:                     func(f *claim.Finding) { f.Verdict = claim.Holds },
		`an effect without a name`:                     func(f *claim.Finding) { f.Effect.What = "" },
		`decay is NaN`:                                 func(f *claim.Finding) { f.Effect.Estimate = math.NaN() },
		`decay is 0.9, but its interval`:               func(f *claim.Finding) { f.Effect.Estimate = 0.9 },
		`but its interval {-Inf`:                       func(f *claim.Finding) { f.Effect.Interval.Low = math.Inf(-1) },
		`over 1 seeds`:                                 func(f *claim.Finding) { f.Effect.Seeds = 1 },
		`compared with {What:random`:                   func(f *claim.Finding) { f.Effect.Control.Value = math.Inf(1) },
		`compared with {What: `:                        func(f *claim.Finding) { f.Effect.Document.What = "" },
		`the share reached is 6 of 5`:                  func(f *claim.Finding) { f.Effect.Reached.K = 6 },
		`the share reached is 2 of 5, but its`:         func(f *claim.Finding) { f.Effect.Reached.Interval.High = 0.3 },
		`two conditions "a"`:                           func(f *claim.Finding) { f.Conditions[1].Name = "a" },
		`lacks a name or a result`:                     func(f *claim.Finding) { f.Conditions[0].Obtained = "" },
		`"a": is differs with the`:                     func(f *claim.Finding) { f.Conditions[0].Reason = "" },
		`"b": has Converged = true and Unconverged = `: func(f *claim.Finding) { f.Conditions[1].Converged = true },
		`has not converged but is fails`: func(f *claim.Finding) {
			f.Conditions[1].Verdict, f.Conditions[1].Reason = claim.Fails, ""
		},
		`has not converged but is open, for the reason "power"`: func(f *claim.Finding) { f.Conditions[1].Reason = claim.Power },
		`although every condition is open`:                      func(f *claim.Finding) { f.Conditions = f.Conditions[1:] },
		`has the answer "maybe"`:                                func(f *claim.Finding) { f.Asked[0].Answer = "maybe" },
		`nothing is NaN`: func(f *claim.Finding) {
			f.Asked[0].Effect = claim.Exactly("nothing", "", math.NaN())
		},
	} {
		f := good()
		harm(&f)
		if err := checkFinding(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A row with a kind needs one that there is, words of the document, and a commit that
// could be one.
func TestRowIsChecked(t *testing.T) {
	row := claim.Row{ID: "X1", Kind: claim.Number, Quote: "“0.0001” (one model)", RuleCommit: "60baa0e", StandsOn: []string{"X2"}}
	if err := checkText(row); err != nil {
		t.Fatal(err)
	}
	for want, harm := range map[string]func(*claim.Row){
		`the unknown kind "story"`: func(r *claim.Row) { r.Kind = "story" },
		`has an empty quote`:       func(r *claim.Row) { r.Quote = "" },
		`is not a commit hash`:     func(r *claim.Row) { r.RuleCommit = "HEAD" },
		`lists itself in StandsOn`: func(r *claim.Row) { r.StandsOn = []string{"X1"} },
	} {
		r := row
		harm(&r)
		if err := checkText(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A claim keeps all that its row says.
func TestClaimHasTheFixedPart(t *testing.T) {
	row := claim.Row{ID: "X1", Kind: claim.Order, Quote: "larger", RuleCommit: "60baa0e", ChangedAfterResult: true}
	c := claim.Claim{ID: "X1", Kind: claim.Order, Quote: "larger", RuleCommit: "60baa0e", ChangedAfterResult: true}
	if !fixed(row, c) {
		t.Error("the same differs")
	}
	c.ChangedAfterResult = false
	if fixed(row, c) {
		t.Error("a change is not seen")
	}
}
