package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"foretell/claim"
)

// check returns the first error that it finds in the report.
func (r Report) check() error {
	seen := map[string]bool{}
	for i, c := range r.Claims {
		if c.ID == "" {
			return fmt.Errorf("report: claim number %d has no id", i+1)
		}
		if seen[c.ID] {
			return fmt.Errorf("report: claim %s occurs twice", c.ID)
		}
		seen[c.ID] = true
		if err := checkClaim(c); err != nil {
			return fmt.Errorf("report: claim %s: %w", c.ID, err)
		}
	}
	for _, id := range r.Pending {
		if seen[id] {
			return fmt.Errorf("report: claim %s is both finished and pending", id)
		}
	}
	return nil
}

func checkClaim(c claim.Claim) error {
	if err := checkFinding(c); err != nil {
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
		if len(t.Columns) == 0 {
			return fmt.Errorf("table %q has no columns", t.Title)
		}
		if len(t.Values) != len(t.Rows) {
			return fmt.Errorf("table %q has no values; make it with document.Frame or document.Texts", t.Title)
		}
		for i, row := range t.Rows {
			if len(row) != len(t.Columns) {
				return fmt.Errorf("table %q: row %d has %d cells for %d columns",
					t.Title, i+1, len(row), len(t.Columns))
			}
		}
	}
	return nil
}

// checkFinding returns the first error in a claim's kind, verdicts, effects, conditions
// and questions. The kind may be missing, as in rows that quote no document.
func checkFinding(c claim.Claim) error {
	if c.Kind != "" && !slices.Contains(claim.Kinds, c.Kind) {
		return fmt.Errorf("kind %q is not one of %q", c.Kind, claim.Kinds)
	}
	if err := checkVerdict(c.Verdict, c.Reason); err != nil {
		return err
	}
	if err := checkEffect(c.Effect); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, condition := range c.Conditions {
		if names[condition.Name] {
			return fmt.Errorf("condition %q occurs twice", condition.Name)
		}
		names[condition.Name] = true
		err := checkVerdict(condition.Verdict, condition.Reason)
		if err == nil {
			err = checkEffect(condition.Effect)
		}
		if err != nil {
			return fmt.Errorf("condition %q: %w", condition.Name, err)
		}
	}
	for _, q := range c.Asked {
		if !slices.Contains(claim.Answers, q.Answer) {
			return fmt.Errorf("question %q: answer %q is not one of %q", q.Question, q.Answer, claim.Answers)
		}
		if err := checkEffect(q.Effect); err != nil {
			return fmt.Errorf("question %q: %w", q.Question, err)
		}
	}
	return nil
}

func checkVerdict(v claim.Verdict, reason claim.Reason) error {
	if !slices.Contains(claim.Verdicts, v) {
		return fmt.Errorf("verdict %q is not one of %q", v, claim.Verdicts)
	}
	if reason != "" && !slices.Contains(claim.Reasons, reason) {
		return fmt.Errorf("reason %q is not one of %q", reason, claim.Reasons)
	}
	return nil
}

// checkEffect returns an error if any number in an effect is NaN or infinite, for example
// after a division by zero.
func checkEffect(e *claim.Effect) error {
	if e == nil {
		return nil
	}
	numbers := []claim.Reference{{What: "estimate", Value: e.Estimate}}
	interval := func(what string, i claim.Interval) {
		numbers = append(numbers, claim.Reference{What: what + "'s lower end", Value: i.Low})
		numbers = append(numbers, claim.Reference{What: what + "'s upper end", Value: i.High})
	}
	if e.Interval != nil {
		interval("interval", *e.Interval)
	}
	if e.Document != nil {
		numbers = append(numbers, claim.Reference{What: "document's number", Value: e.Document.Value})
	}
	if e.Control != nil {
		numbers = append(numbers, claim.Reference{What: "control's number", Value: e.Control.Value})
	}
	if e.Reached != nil {
		interval("share", e.Reached.Interval)
	}
	for _, n := range numbers {
		if math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
			return fmt.Errorf("effect %q: %s is %v, want a finite number", e.What, n.What, n.Value)
		}
	}
	return nil
}
