package claim

import (
	"context"
	"slices"

	"foretell/document"
	"foretell/internal/interrupt"
	"foretell/run"
	"foretell/train"
)

// Row is a claim that can be tested: the part of a [Claim] that is known beforehand, and
// the test that fills in the rest. An ID consists of letters and digits, because files
// are named after it, and is unique within a study. Rows of a published document have
// Kind and Quote. [Texts.Fill] sets the texts.
type Row struct {
	ID, Source, Statement, Expected string

	Kind  Kind
	Quote string // the document's own words and number, with the number of models and the error bars

	Notes    []string          // caveats that are known beforehand
	Captions map[string]string // captions of the figures, by the figures' names; see [Output.Figure]
	Tables   []document.Table  // tables that are known beforehand, such as misprints
	Glossary Glossary          // the document's columns; see [Output.CSV]
	Setting  string            // see [Claim]; may be empty

	Severity           Severity // of the source's error, if the rule can find one; see [Claim]
	StandsOn           []string // see [Claim]
	RuleCommit         string   // see [Claim]
	ChangedAfterResult bool     // see [Claim]
	First              First    // only if ChangedAfterResult

	// the runs to train before the row is tested; [Study.Trained] returns their models; may
	// be nil
	Trainings []Training
	// Work is the approximate duration of the test, in units of one training step of the
	// document's models; 0 means almost no time. It determines how far the progress bar
	// moves. The remaining time is estimated from the time that tests have taken so far.
	Work int
	// Test fills in the results. [Steps.Test] is an implementation.
	Test func(ctx context.Context, s *Study, c *Claim) error
}

// WithWork returns the rows with [Row.Work] set from a map of work by row id. It panics
// if the map has an id that no row has.
func WithWork(rows []Row, work map[string]int) []Row {
	rows = slices.Clone(rows)
	for id, steps := range work {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == id })
		if i < 0 {
			panic("claim: work is given for " + id + ", which is not a row")
		}
		rows[i].Work = steps
	}
	return rows
}

// Training is a model that rows examine, trained as a run of the study. Rows that list
// the same training run share it, even across documents.
type Training struct {
	Name   string       // the run's folder, required; runs with the same name must have the same settings
	Label  string       // distinguishes the model for readers, such as "x = 0.15, α = 0.6, LN"
	Config train.Config // optional fields may be left out

	Snapshots []int     // steps at which weights are kept, see [run.Options]
	Watch     run.Watch // additional numbers logged with each evaluation; may be nil
}

// Finding is what a rule concludes from measurements.
type Finding struct {
	Verdict  Verdict
	Reason   Reason // only for Differs and Open
	Obtained string // what was found, as a sentence

	Effect     *Effect
	Conditions []Condition
	Asked      []Question
}

// Steps are the steps of testing a claim. M is the type of the measurement, which Measure
// returns and the other steps receive. Measure and Judge are required.
type Steps[M any] struct {
	// Measure computes the numbers from models and processes.
	Measure func(ctx context.Context, s *Study) (M, error)
	// Judge is the rule, a pure function of the measurement.
	Judge func(m M) Finding
	// Tabulate adds tables, and notes that depend on what was measured; it may be nil.
	Tabulate func(m M, c *Claim)
	// Draw adds figures, and files with the numbers in them; it may be nil.
	Draw func(m M, out *Output)
}

// Test runs the steps in order.
func (t Steps[M]) Test(ctx context.Context, s *Study, c *Claim) error {
	measured := interrupt.Free(ctx) // an interruption may end it at once: it can be measured again
	m, err := t.Measure(ctx, s)
	measured()
	if err != nil {
		return err
	}
	found := t.Judge(m)
	c.Verdict, c.Reason, c.Obtained = found.Verdict, found.Reason, found.Obtained
	c.Effect, c.Conditions, c.Asked = found.Effect, found.Conditions, found.Asked
	c.FirstRule = s.row.First.On(m)
	if t.Tabulate != nil {
		t.Tabulate(m, c)
	}
	if t.Draw == nil {
		return nil
	}
	out := &Output{dir: s.into(c.ID), row: s.row, claim: c}
	t.Draw(m, out)
	return out.err
}
