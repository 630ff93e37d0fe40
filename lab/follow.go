package lab

import "context"

// Followed is what a page follows: a run, from the row after a step, or the recomputation
// of a report's rows.
type Followed struct {
	Run    string `json:"run,omitempty"`
	After  int    `json:"after,omitempty"` // −1 for all rows
	Report string `json:"report,omitempty"`
}

// sender sends an event to a page. An event without an id has −1.
type sender func(event string, id int, value any) error

// waiter waits for a change. It returns false if the page is gone.
type waiter func(ctx context.Context, changed <-chan struct{}) bool

// Follow sends what happens to a run: an event row for each evaluation, with its step as
// id, and an event progress. For a report it sends an event job when the process that
// recomputes its rows begins, says something or ends. Follow ends with ctx, with send's
// error, or at once if there is no such run or report.
func (e *Engine) Follow(ctx context.Context, of Followed, send func(event string, id int, value any) error) error {
	if err := e.canFollow(of); err != nil {
		return err
	}
	return e.follow(ctx, of, send, func(ctx context.Context, changed <-chan struct{}) bool {
		select {
		case <-ctx.Done():
			return false
		case <-changed:
			return true
		}
	})
}

// canFollow returns an error if there is nothing to follow.
func (e *Engine) canFollow(of Followed) error {
	if of.Report != "" {
		return checkReport(of.Report)
	}
	if _, err := e.path(of.Run); err != nil {
		if live, failed := e.trainings.find(of.Run); !live && failed == "" {
			return err
		}
	}
	return nil
}

func (e *Engine) follow(ctx context.Context, of Followed, send sender, wait waiter) error {
	if of.Report != "" {
		return e.followReport(ctx, of.Report, send, wait)
	}
	one, leave := e.watches.follow(of.Run)
	defer leave()
	for after := of.After; ; {
		rows, progress, changed := one.now(after)
		for _, row := range rows {
			if err := send("row", row.Step, row); err != nil {
				return err
			}
			after = row.Step
		}
		if err := send("progress", -1, progress); err != nil {
			return err
		}
		if !wait(ctx, changed) {
			return ctx.Err()
		}
	}
}
