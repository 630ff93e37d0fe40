package claim

import (
	"errors"
	"fmt"
	"slices"
)

// FirstRule is the rule of a claim as it was first committed, and what it says about what
// is measured now. A claim has one if its rule was changed after a result was known.
type FirstRule struct {
	Text   string `json:"text"`   // the rule in words
	Commit string `json:"commit"` // the commit that first had it

	Verdict  Verdict `json:"verdict,omitempty"` // empty if Lacks is set
	Reason   Reason  `json:"reason,omitempty"`  // early rules give no reason
	Obtained string  `json:"obtained,omitempty"`
	Effect   *Effect `json:"effect,omitempty"`

	Lacks Lack `json:"lacks,omitempty"` // empty if there is a verdict
}

// Lack is why a first rule cannot be computed from what a row measures now.
type Lack string

// What first rules may lack.
const (
	LacksQuantity Lack = "quantity" // it judged a quantity that the row does not measure any more
	LacksModels   Lack = "models"   // it judged models that the row does not train any more
	LacksBound    Lack = "bound"    // it was in words, without a bound
)

// Lacks lists what first rules may lack.
var Lacks = []Lack{LacksQuantity, LacksModels, LacksBound}

// First is a row's rule as it was first committed, with either Judge or Lacks.
type First struct {
	Commit string // the commit that first had it
	Lacks  Lack
	Text   string // the rule in words; [Texts.Fill] sets it
	// Judge applies the rule to what Measure of the row's [Steps] returns. Conditions and
	// Asked are not kept.
	Judge func(measured any) Finding
}

// FirstBy returns a first rule that a function computes from the row's measurement.
func FirstBy[M any](commit string, judge func(M) Finding) First {
	return First{Commit: commit, Judge: func(m any) Finding { return judge(m.(M)) }}
}

// FirstFinding is [NewFinding] without the demand that a claim holds by half of its
// conditions, which was made after results of first rules were known.
func FirstFinding(conditions []Condition) Finding {
	found := NewFinding(conditions)
	found.Verdict, found.Reason = concludeDecided(conditions)
	return found
}

// Decided returns a first rule that differs from a present rule only as [FirstFinding]
// differs from [NewFinding]. It has to be copied before the present rule changes.
func Decided[M any](judge func(M) Finding) func(M) Finding {
	return func(m M) Finding { return FirstFinding(judge(m).Conditions) }
}

// FirstLacks returns a first rule that cannot be computed from the row's measurement.
func FirstLacks(commit string, lacks Lack) First {
	return First{Commit: commit, Lacks: lacks}
}

// Check returns an error unless the rule has a commit, a text, and either Judge or Lacks.
func (f First) Check() error {
	switch {
	case f.Commit == "" || f.Text == "":
		return errors.New("the first rule has no commit or no text")
	case f.Lacks != "" && !slices.Contains(Lacks, f.Lacks):
		return fmt.Errorf("the first rule lacks %q, want one of %q", f.Lacks, Lacks)
	case (f.Judge == nil) == (f.Lacks == ""):
		return errors.New("the first rule is neither computed nor lacks anything, or both")
	}
	return nil
}

// On returns what the rule says about a row's measurement. It returns nil if the row has
// no first rule.
func (f First) On(measured any) *FirstRule {
	switch {
	case f.Commit == "":
		return nil
	case f.Judge == nil:
		return &FirstRule{Text: f.Text, Commit: f.Commit, Lacks: f.Lacks}
	}
	found := f.Judge(measured)
	return &FirstRule{
		Text: f.Text, Commit: f.Commit,
		Verdict: found.Verdict, Reason: found.Reason, Obtained: found.Obtained, Effect: found.Effect,
	}
}

// Check is [Claim.Check] for a first rule, which may be nil.
func (r *FirstRule) Check() error {
	switch {
	case r == nil:
		return nil
	case r.Text == "" || r.Commit == "":
		return errors.New("the first rule has no text or no commit")
	case r.Lacks != "" && (r.Verdict != "" || !slices.Contains(Lacks, r.Lacks)):
		return fmt.Errorf("the first rule lacks %q and has the verdict %q, want one of %q or a verdict", r.Lacks,
			r.Verdict, Lacks)
	case r.Lacks != "":
		return nil
	case r.Obtained == "":
		return errors.New("the first rule has found nothing")
	case r.Reason != "" && !slices.Contains(Reasons, r.Reason):
		return fmt.Errorf("the first rule has the reason %q, want one of %q", r.Reason, Reasons)
	}
	if err := checkVerdict(r.Verdict); err != nil {
		return fmt.Errorf("the first rule: %w", err)
	}
	return r.Effect.check()
}
