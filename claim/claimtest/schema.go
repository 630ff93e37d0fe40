package claimtest

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"foretell/claim"
)

// commitHash matches a valid Row.RuleCommit.
var commitHash = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// checkText returns an error if the kind, quote, rule commit or StandsOn of a row with a
// kind is invalid.
func checkText(row claim.Row) error {
	switch {
	case !slices.Contains(claim.Kinds, row.Kind):
		return fmt.Errorf("has the unknown kind %q", row.Kind)
	case row.Quote == "":
		return errors.New("has an empty quote")
	case row.RuleCommit != "" && !commitHash.MatchString(row.RuleCommit):
		return fmt.Errorf("has the rule commit %q, which is not a commit hash", row.RuleCommit)
	case slices.Contains(row.StandsOn, row.ID):
		return errors.New("lists itself in StandsOn")
	}
	return nil
}

// checkFinding returns an error if a finding breaks the conventions of package claim.
func checkFinding(f claim.Finding) error {
	if err := checkVerdict(f.Verdict, f.Reason); err != nil {
		return err
	}
	if err := checkEffect(f.Effect); err != nil {
		return err
	}
	if err := checkConditions(f); err != nil {
		return err
	}
	for _, q := range f.Asked {
		if err := checkQuestion(q); err != nil {
			return fmt.Errorf("%q: %w", q.Question, err)
		}
	}
	return nil
}

// checkVerdict returns an error unless there is a reason if and only if the verdict needs
// one.
func checkVerdict(v claim.Verdict, reason claim.Reason) error {
	asked := v == claim.Differs || v == claim.Open
	switch {
	case !slices.Contains(claim.Verdicts, v):
		return fmt.Errorf("has the unknown verdict %q", v)
	case asked && !slices.Contains(claim.Reasons, reason):
		return fmt.Errorf("is %s with the unknown reason %q", v, reason)
	case !asked && reason != "":
		return fmt.Errorf("is %s with the reason %q, but only differs and open have reasons", v, reason)
	}
	return nil
}

// checkConditions checks each condition, and that the finding's verdict is open if all
// its conditions are open.
func checkConditions(f claim.Finding) error {
	seen, decided := map[string]bool{}, 0
	for _, c := range f.Conditions {
		if seen[c.Name] {
			return fmt.Errorf("has two conditions %q", c.Name)
		}
		seen[c.Name] = true
		if err := checkCondition(c); err != nil {
			return fmt.Errorf("%q: %w", c.Name, err)
		}
		if c.Verdict != claim.Open {
			decided++
		}
	}
	if len(f.Conditions) > 0 && decided == 0 && f.Verdict != claim.Open {
		return fmt.Errorf("is %s although every condition is open", f.Verdict)
	}
	return nil
}

func checkCondition(c claim.Condition) error {
	if c.Name == "" || c.Obtained == "" {
		return fmt.Errorf("lacks a name or a result: obtained %q", c.Obtained)
	}
	if err := checkVerdict(c.Verdict, c.Reason); err != nil {
		return err
	}
	if c.Converged != (c.Unconverged == "") {
		return fmt.Errorf("has Converged = %v and Unconverged = %q, want a reason in Unconverged if and only if it has not "+
			"converged", c.Converged, c.Unconverged)
	}
	if !c.Converged && (c.Verdict != claim.Open || c.Reason != claim.Untrained) {
		return fmt.Errorf("has not converged but is %s, for the reason %q; want an open verdict for the reason "+
			"training", c.Verdict, c.Reason)
	}
	return checkEffect(c.Effect)
}

func checkQuestion(q claim.Question) error {
	if q.Question == "" || q.Obtained == "" || !slices.Contains(claim.Answers, q.Answer) {
		return fmt.Errorf("has the answer %q and the result %q, want a question, a known answer and a "+
			"result", q.Answer, q.Obtained)
	}
	return checkEffect(q.Effect)
}

// checkEffect checks that an effect is a number within its interval. It also checks the
// document's and the control's number, with which the effect is compared; both are in the
// effect's unit.
func checkEffect(e *claim.Effect) error {
	if e == nil {
		return nil
	}
	switch i := e.Interval; {
	case e.What == "":
		return errors.New("has an effect without a name")
	case !finite(e.Estimate):
		return fmt.Errorf("%s is %v, want a finite number", e.What, e.Estimate)
	case e.Seeds < 0 || i != nil && e.Seeds < 2:
		return fmt.Errorf("%s has the interval %v over %d seeds, want at least 2 seeds for an interval and never "+
			"fewer than 0", e.What, i, e.Seeds)
	case i != nil && !(finite(i.Low) && finite(i.High) && i.Contains(e.Estimate)):
		return fmt.Errorf("%s is %v, but its interval %v does not contain that number or is not "+
			"finite", e.What, e.Estimate, *i)
	}
	for _, r := range []*claim.Reference{e.Document, e.Control} {
		if r != nil && (r.What == "" || !finite(r.Value)) {
			return fmt.Errorf("%s is compared with %+v, want a name and a finite number", e.What, *r)
		}
	}
	return checkShare(e.Reached)
}

func checkShare(s *claim.Share) error {
	if s == nil {
		return nil
	}
	if s.K < 0 || s.K > s.N || s.N == 0 {
		return fmt.Errorf("the share reached is %d of %d, want k of n with 0 ≤ k ≤ n and n > 0", s.K, s.N)
	}
	if share := float64(s.K) / float64(s.N); !s.Interval.Contains(share) || s.Interval.Low < 0 || s.Interval.High > 1 {
		return fmt.Errorf("the share reached is %d of %d, but its interval %v does not contain it or is not within "+
			"[0, 1]", s.K, s.N, s.Interval)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
