package claim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"foretell/internal/text"
	"foretell/run"
)

// Study is one reproduction in progress: it trains models and tests rows, in a folder.
type Study struct {
	Out     string // folder for figures, data and runs, created if missing
	Workers int    // number of goroutines that share the work; 0 means 1; no result depends on it

	// Into, if not nil, returns the folder for the figures and data of the row with the
	// given id. It is used instead of Out.
	Into func(id string) (folder string)

	// Progress, if not nil, is called with the study's current activity and progress, by one
	// goroutine at a time.
	Progress func(Progress)
	// Notice, if not nil, is called by one goroutine at a time with messages for the
	// user, such as that a run resumed from an earlier checkpoint because the latest was
	// damaged.
	Notice func(text string)
	// Finished, if not nil, is called after each row with all rows finished so far and the
	// ids of the remaining rows. Its error ends the study.
	Finished func(claims []Claim, pending []string) error

	planned map[string]planned // all training runs that the rows list, by name
	runs    map[string]*run.Trained

	reports  sync.Mutex // guards the fields below, which models trained side by side update, and so do parts of tests
	at       Progress
	training []string // names of the models being trained, in the order in which they began
	row      Row      // the row being tested
	before   int      // the work of earlier rows, in units of [Row.Work]
	parts    int      // number of parts of the row's test that are done; see [Study.Part]
}

// Reproduce tests the rows one by one and returns their claims. It stops at the first
// error, which names its row or training run, or when ctx ends, and returns the claims
// completed until then. A study can be used again. Runs that exist in its folder are
// resumed, or used as they are if complete; if such a run has a different configuration,
// the error is a [*run.FolderError].
func (s *Study) Reproduce(ctx context.Context, rows []Row) ([]Claim, error) {
	if err := s.plan(rows); err != nil {
		return nil, err
	}
	var claims []Claim
	for i, row := range rows {
		c, err := s.test(ctx, row)
		if err != nil {
			return claims, err
		}
		claims = append(claims, *c)
		if s.Finished == nil {
			continue
		}
		if err := s.Finished(claims, ids(rows[i+1:])); err != nil {
			return claims, err
		}
	}
	return claims, nil
}

// test tests the row. It first trains the models that the row needs and that are not
// trained yet.
func (s *Study) test(ctx context.Context, row Row) (*Claim, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.train(ctx, row.Trainings); err != nil {
		return nil, err
	}
	s.begin(row)
	start := time.Now()
	for _, folder := range []string{"figures", "data"} {
		if err := os.MkdirAll(filepath.Join(s.into(row.ID), folder), 0o755); err != nil {
			return nil, err
		}
	}
	c := &Claim{
		ID: row.ID, Kind: row.Kind, Source: row.Source, Quote: row.Quote, Statement: row.Statement,
		Expected: row.Expected, Verdict: Open, StandsOn: row.StandsOn,
		RuleCommit: row.RuleCommit, ChangedAfterResult: row.ChangedAfterResult,
		Figures: []string{}, Data: []string{}, Captions: []string{}, Notes: slices.Clone(row.Notes),
		Setting: row.Setting,
	}
	if err := row.Test(ctx, s, c); err != nil {
		return nil, fmt.Errorf("%s: %w", row.ID, err)
	}
	if c.Verdict == Corrected {
		c.Severity = row.Severity
	}
	c.Tables = append(c.Tables, row.Tables...)
	s.end()
	c.Seconds = time.Since(start).Seconds()
	return c, nil
}

// into returns the folder of a row's figures and data.
func (s *Study) into(id string) string {
	if s.Into == nil {
		return s.Out
	}
	return s.Into(id)
}

func ids(rows []Row) []string { return text.Each(rows, func(r Row) string { return r.ID }) }

// Trained returns the model of a training run, which the row under test must list. It
// panics if neither this row nor an earlier one lists it.
func (s *Study) Trained(t Training) *run.Trained {
	trained, ok := s.runs[t.Name]
	if !ok {
		panic("claim: no row so far lists the run " + t.Name)
	}
	return trained
}

// Metrics returns the evaluations of a training run, with the numbers of
// [Training].Watch. The first is at step 0; the last is of the model that [Study.Trained]
// returns. It panics under the same condition as Trained.
func (s *Study) Metrics(t Training) ([]run.Row, error) {
	s.Trained(t)
	return run.Metrics(s.Dir(t))
}

// Dir returns the folder of a training run, Out/runs/NAME, for use with [run.Snapshot].
func (s *Study) Dir(t Training) string { return filepath.Join(s.Out, "runs", t.Name) }

func (s *Study) notice(text string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if s.Notice != nil {
		s.Notice(text)
	}
}
