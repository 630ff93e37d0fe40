package claim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"foretell/run"
)

// Study is one reproduction under way.
type Study struct {
	Out     string // folder for figures, data and runs, which is made
	Workers int    // goroutines that share the work, 1 if 0; no result depends on it

	// Into, if not nil, says of a row's id which folder its figures and data go into, in
	// place of Out.
	Into func(id string) (folder string)

	// Progress, if not nil, is told what is being done and how far it is. It is called by
	// one goroutine at a time.
	Progress func(Progress)
	// Notice, if not nil, is told what the user should know, such as that a run
	// went on from an earlier checkpoint because the latest was damaged. It is
	// called by one goroutine at a time.
	Notice func(text string)
	// Finished, if not nil, is called after each row with all rows finished so
	// far and the ids of those to come. Its error ends the study.
	Finished func(claims []Claim, pending []string) error

	planned map[string]Training // by name: all that the rows list
	runs    map[string]*run.Trained

	reports  sync.Mutex // of what models that train side by side report, and parts of tests
	at       Progress
	training []string // names of the models that train, in the order in which they began
	row      Row      // under test,
	before   int      // the work of those before it,
	parts    int      // and how many parts of its own are done
}

// Reproduce tests the rows one by one and returns their claims. It stops at the first
// error, which names its row or training, or when ctx ends; the claims before it are
// returned. A study can be used again. Runs that its folder holds already are gone on
// with, or taken as they are; one of another configuration is a *run.FolderError.
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

// test makes the runs of a row that are not there yet, and tests it.
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
		Figures: []string{}, Data: []string{}, Captions: []string{},
	}
	if err := row.Test(ctx, s, c); err != nil {
		return nil, fmt.Errorf("%s: %w", row.ID, err)
	}
	s.end()
	c.Seconds = time.Since(start).Seconds()
	return c, nil
}

// into is the folder of a row's figures and data.
func (s *Study) into(id string) string {
	if s.Into == nil {
		return s.Out
	}
	return s.Into(id)
}

func ids(rows []Row) []string {
	var list []string
	for _, row := range rows {
		list = append(list, row.ID)
	}
	return list
}

// Trained returns the model of a training, which the row under test must list; it
// panics where no row up to this one does.
func (s *Study) Trained(t Training) *run.Trained {
	trained, ok := s.runs[t.Name]
	if !ok {
		panic("claim: no row has listed the training " + t.Name)
	}
	return trained
}

// Metrics returns the evaluations of a training's run, with what was watched: the first
// at step 0, the last of the model that [Study.Trained] returns. It panics as that does.
func (s *Study) Metrics(t Training) ([]run.Row, error) {
	s.Trained(t)
	return run.Metrics(s.Dir(t))
}

// Dir is the folder of a training's run, Out/runs/NAME, for [run.Snapshot] to read.
func (s *Study) Dir(t Training) string { return filepath.Join(s.Out, "runs", t.Name) }

func (s *Study) notice(text string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if s.Notice != nil {
		s.Notice(text)
	}
}
