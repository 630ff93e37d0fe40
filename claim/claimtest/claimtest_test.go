package claimtest

import (
	"strings"
	"testing"

	"foretell/claim"
)

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
		`has a first rule`:         func(r *claim.Row) { r.First.Commit = "60baa0e" },
		`first rule's commit`:      func(r *claim.Row) { r.ChangedAfterResult = true },
		`the first rule has no`:    func(r *claim.Row) { r.ChangedAfterResult, r.First.Commit = true, "60baa0e" },
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
	row.First.Commit = "60baa0e"
	if fixed(row, c) {
		t.Error("a lost first rule is not seen")
	}
	c.FirstRule = &claim.FirstRule{}
	if !fixed(row, c) {
		t.Error("a first rule differs")
	}
	c.ChangedAfterResult = false
	if fixed(row, c) {
		t.Error("a change is not seen")
	}
}
