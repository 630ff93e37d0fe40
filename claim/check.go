package claim

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"foretell/document"
)

// Check returns an error that says in one line what of the claim contradicts the
// conventions of this package. A claim without a kind that has only a verdict and a
// sentence needs no reason.
func (c Claim) Check() error {
	if c.Kind != "" && !slices.Contains(Kinds, c.Kind) {
		return fmt.Errorf("kind %q is not one of %q", c.Kind, Kinds)
	}
	found := Finding{c.Verdict, c.Reason, c.Obtained, c.Effect, c.Conditions, c.Asked}
	if err := found.check(c.Kind != ""); err != nil {
		return err
	}
	if c.Severity != "" && (c.Verdict != Corrected || !slices.Contains(Severities, c.Severity)) {
		return fmt.Errorf("the severity of a claim that is %s is %q, want none, or one of %q if it is corrected",
			c.Verdict, c.Severity, Severities)
	}
	if err := c.FirstRule.Check(); err != nil {
		return err
	}
	if len(c.Captions) != len(c.Figures) {
		return fmt.Errorf("%d captions for %d figures, want one for each", len(c.Captions), len(c.Figures))
	}
	for _, path := range slices.Concat(c.Figures, c.Data) {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return fmt.Errorf("path %q is not inside the output folder", path)
		}
	}
	for _, t := range c.Tables {
		if err := checkTable(t); err != nil {
			return err
		}
	}
	return nil
}

func checkTable(t document.Table) error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %q has no columns", t.Title)
	}
	if len(t.Values) != len(t.Rows) {
		return fmt.Errorf("table %q has no values; make it with document.Frame or document.Texts", t.Title)
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Title, i+1, len(row), len(t.Columns))
		}
	}
	return nil
}

// Check is [Claim.Check] for what a rule returns.
func (f Finding) Check() error { return f.check(false) }

// check checks a finding. A bare finding, which has only a verdict and a sentence, needs
// a reason only if it is published: a finding on a document's words.
func (f Finding) check(published bool) error {
	if err := checkVerdict(f.Verdict); err != nil {
		return err
	}
	bare := f.Reason == "" && f.Effect == nil && len(f.Conditions) == 0 && len(f.Asked) == 0
	if published || !bare {
		if err := checkReason(f.Verdict, f.Reason); err != nil {
			return err
		}
	}
	if err := f.Effect.check(); err != nil {
		return err
	}
	if err := f.checkConditions(); err != nil {
		return err
	}
	for _, q := range f.Asked {
		if err := q.check(); err != nil {
			return fmt.Errorf("question %q: %w", q.Question, err)
		}
	}
	return nil
}

func checkVerdict(v Verdict) error {
	if !slices.Contains(Verdicts, v) {
		return fmt.Errorf("verdict %q is not one of %q", v, Verdicts)
	}
	return nil
}

// checkReason returns an error unless there is a reason if and only if the verdict needs
// one.
func checkReason(v Verdict, reason Reason) error {
	needed := v == Differs || v == Open
	switch {
	case reason != "" && !slices.Contains(Reasons, reason):
		return fmt.Errorf("reason %q is not one of %q", reason, Reasons)
	case needed && reason == "":
		return fmt.Errorf("the verdict %s has no reason, want one of %q", v, Reasons)
	case !needed && reason != "":
		return fmt.Errorf("the verdict %s has the reason %q, but only differs and open have reasons", v, reason)
	}
	return nil
}

// checkConditions checks each condition, and that the verdict is open if all conditions
// are open.
func (f Finding) checkConditions() error {
	seen, decided := map[string]bool{}, 0
	for _, c := range f.Conditions {
		if seen[c.Name] {
			return fmt.Errorf("condition %q occurs twice", c.Name)
		}
		seen[c.Name] = true
		if err := c.check(); err != nil {
			return fmt.Errorf("condition %q: %w", c.Name, err)
		}
		if c.Verdict != Open {
			decided++
		}
	}
	if len(f.Conditions) > 0 && decided == 0 && f.Verdict != Open {
		return fmt.Errorf("the verdict is %s although every condition is open", f.Verdict)
	}
	return nil
}

func (c Condition) check() error {
	if c.Name == "" || c.Obtained == "" {
		return fmt.Errorf("lacks a name or a result: obtained %q", c.Obtained)
	}
	if err := checkVerdict(c.Verdict); err != nil {
		return err
	}
	if err := checkReason(c.Verdict, c.Reason); err != nil {
		return err
	}
	if c.Converged != (c.Unconverged == "") {
		return fmt.Errorf("has Converged = %v and Unconverged = %q, want a reason in Unconverged if and only if "+
			"it has not converged", c.Converged, c.Unconverged)
	}
	if !c.Converged && (c.Verdict != Open || c.Reason != Untrained) {
		return fmt.Errorf("has not converged but is %s, for the reason %q; want an open verdict for the reason "+
			"training", c.Verdict, c.Reason)
	}
	return c.Effect.check()
}

func (q Question) check() error {
	switch {
	case !slices.Contains(Answers, q.Answer):
		return fmt.Errorf("answer %q is not one of %q", q.Answer, Answers)
	case q.Question == "" || q.Obtained == "":
		return fmt.Errorf("lacks a question or a result: obtained %q", q.Obtained)
	}
	return q.Effect.check()
}

// check checks that an effect, which may be nil, has a name and a number within its
// interval, and that what it is compared with does.
func (e *Effect) check() error {
	if e == nil {
		return nil
	}
	if e.What == "" {
		return errors.New("an effect has no name")
	}
	err := e.checkNumbers()
	i := e.Interval
	switch {
	case err != nil:
	case e.Seeds < 0 || i != nil && e.Seeds == 1:
		err = fmt.Errorf("the interval %v is over %d seeds, want at least 2 seeds for an interval, or 0 for one over "+
			"sequences", i, e.Seeds)
	case i != nil && !i.Contains(e.Estimate):
		err = fmt.Errorf("the interval %v does not contain the estimate %v", *i, e.Estimate)
	case e.Document != nil && e.Document.What == "" || e.Control != nil && e.Control.What == "":
		err = errors.New("a number that it is compared with has no name")
	case e.Reached != nil:
		err = e.Reached.check()
	}
	if err != nil {
		return fmt.Errorf("effect %q: %w", e.What, err)
	}
	return nil
}

// checkNumbers returns an error if any number in an effect is NaN or infinite, such as
// after a division by zero.
func (e *Effect) checkNumbers() error {
	numbers := []Reference{{"estimate", e.Estimate}}
	interval := func(what string, i *Interval) {
		numbers = append(numbers, Reference{what + "'s lower end", i.Low}, Reference{what + "'s upper end", i.High})
	}
	if e.Interval != nil {
		interval("interval", e.Interval)
	}
	if e.Document != nil {
		numbers = append(numbers, Reference{"document's number", e.Document.Value})
	}
	if e.Control != nil {
		numbers = append(numbers, Reference{"control's number", e.Control.Value})
	}
	if e.Reached != nil {
		interval("share", &e.Reached.Interval)
	}
	for _, n := range numbers {
		if math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
			return fmt.Errorf("%s is %v, want a finite number", n.What, n.Value)
		}
	}
	return nil
}

func (s Share) check() error {
	if s.K < 0 || s.K > s.N || s.N == 0 {
		return fmt.Errorf("the share reached is %d of %d, want k of n with 0 ≤ k ≤ n and n > 0", s.K, s.N)
	}
	if share := float64(s.K) / float64(s.N); !s.Interval.Contains(share) || s.Interval.Low < 0 || s.Interval.High > 1 {
		return fmt.Errorf("the share reached is %d of %d, but its interval %v does not contain it or is not within "+
			"[0, 1]", s.K, s.N, s.Interval)
	}
	return nil
}
