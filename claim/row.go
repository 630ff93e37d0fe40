package claim

import (
	"context"
	"slices"

	"foretell/internal/interrupt"
	"foretell/run"
	"foretell/train"
)

// Row is a claim that can be tested: the fixed part of a [Claim], and how the rest is
// found out. An ID is of letters and digits, since files are named after it, and no two
// rows of a study share one. A published document's rows have Kind and Quote.
type Row struct {
	ID, Source, Statement, Expected string

	Kind  Kind
	Quote string // the document's own words and figure, with its number of models and error bars

	StandsOn           []string // see [Claim]
	RuleCommit         string   // the same
	ChangedAfterResult bool     // the same

	// Trainings are the models that the row looks at, which are trained before it is
	// tested; [Study.Trained] hands them over. nil for none.
	Trainings []Training
	// Work is how long the test takes, for the user who waits: in steps of training of
	// the document's models that take as long, 0 for next to nothing. It decides how far
	// the bar moves; the time left comes from the time that tests have taken.
	Work int
	// Test fills in what was found. [Steps.Test] is one.
	Test func(ctx context.Context, s *Study, c *Claim) error
}

// WithWork returns rows with the [Row.Work] that a table has by id. It panics where the
// table has an id that is no row's.
func WithWork(rows []Row, work map[string]int) []Row {
	rows = slices.Clone(rows)
	for id, steps := range work {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == id })
		if i < 0 {
			panic("claim: work of " + id + ", which is no row")
		}
		rows[i].Work = steps
	}
	return rows
}

// Training is a model that rows look at: a run of the study. Rows that list the same
// one, of whichever document, share it.
type Training struct {
	Name   string       // of the run's folder, required; two trainings of one name must be the same
	Label  string       // of the model among others, for people, such as "x = 0.15, α = 0.6, LN"
	Config train.Config // need not be resolved

	Snapshots []int     // steps whose weights are kept, see [run.Options]
	Watch     run.Watch // numbers that are logged with each evaluation; nil for none
}

// Finding is what a rule makes of measurements.
type Finding struct {
	Verdict  Verdict
	Reason   Reason // of Differs and Open
	Obtained string // in a sentence

	Effect     *Effect
	Conditions []Condition
	Asked      []Question
}

// Steps test a claim: what they hand on is a measurement M. Measure and Judge are
// required.
type Steps[M any] struct {
	// Measure finds the numbers, from models and processes.
	Measure func(ctx context.Context, s *Study) (M, error)
	// Judge is the rule: a pure function of the measurement.
	Judge func(m M) Finding
	// Tabulate enters tables, notes and setting; it may be nil.
	Tabulate func(m M, c *Claim)
	// Draw makes figures, and files with the numbers behind them; it may be nil.
	Draw func(m M, out *Output)
}

// Test takes the steps one after another.
func (t Steps[M]) Test(ctx context.Context, s *Study, c *Claim) error {
	measured := interrupt.Free(ctx) // all of this can be measured again
	m, err := t.Measure(ctx, s)
	measured()
	if err != nil {
		return err
	}
	found := t.Judge(m)
	c.Verdict, c.Reason, c.Obtained = found.Verdict, found.Reason, found.Obtained
	c.Effect, c.Conditions, c.Asked = found.Effect, found.Conditions, found.Asked
	if t.Tabulate != nil {
		t.Tabulate(m, c)
	}
	if t.Draw == nil {
		return nil
	}
	out := &Output{dir: s.into(c.ID), claim: c}
	t.Draw(m, out)
	return out.err
}
