package report

import "fmt"

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
		if err := c.Check(); err != nil {
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
