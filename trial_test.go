package foretell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/process"
	"foretell/report"
	"foretell/run"
	"foretell/train"
)

// The document: the text of its only row with the number that its rule asks for, and
// the four steps.

const closed = 0.95 // least share of the gap between chance and floor

var small = claim.Training{Name: "golden-small", Label: "one layer of width 16", Config: train.Config{
	Process: process.Spec{Name: "golden_mean", Params: process.Params{"p": 0.5}},
	Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{2}, NCtx: 8},
	Train:   train.Options{Seed: 1, BatchSize: 32, NumSteps: 300, LR: 3e-3},
}}

var golden = claim.Paper{
	Name: "golden", Title: "The golden mean process, learned", Source: "a document of one row",
	Rows: func(claim.Profile) []claim.Row {
		return []claim.Row{{
			ID: "G1", Kind: claim.Number, Source: "a document of one row",
			Quote:     "“95 % of the gap is closed.” (one model, no error bars)",
			Statement: "One layer learns the golden mean process.",
			Expected: fmt.Sprintf("At least %g %% of the gap between chance and floor is closed. The row differs "+
				"where it is less, and fails where it is none.", 100*closed),
			Setting: fmt.Sprintf("%s, %d steps from seed %d", small.Label, small.Config.Train.NumSteps,
				small.Config.Train.Seed),
			Captions:  map[string]string{"loss": "The loss on held-out sequences beside chance and the floor."},
			Trainings: []claim.Training{small},
			Test:      claim.Steps[[]run.Row]{Measure: measure, Judge: judge, Tabulate: tabulate, Draw: draw}.Test,
		}}
	},
}

func measure(_ context.Context, s *claim.Study) ([]run.Row, error) { return s.Metrics(small) }

func judge(rows []run.Row) claim.Finding {
	gap := *rows[len(rows)-1].GapClosed
	found := claim.Finding{
		Verdict: claim.Differs, Reason: claim.Size, Obtained: fmt.Sprintf("%.1f %% of the gap is closed.", 100*gap),
		Effect: claim.Over("share of the gap that is closed", "", []float64{gap}).Beside("the document", closed),
	}
	if gap >= closed {
		found.Verdict, found.Reason = claim.Holds, ""
	} else if gap <= 0 {
		found.Verdict, found.Reason = claim.Fails, ""
	}
	return found
}

func losses(rows []run.Row) document.Frame {
	f := document.Frame{Title: "Loss in nats", Columns: []document.Column{
		{Name: "step", Heading: "step", Meaning: "training step"},
		{Name: "loss", Heading: "loss", Format: "%.4f", Meaning: "cross-entropy, nats"},
		{Heading: "floor", Format: "%.4f"},
		{Heading: "chance", Format: "%.4f"},
		{Name: "gap_closed", Meaning: "share of the gap between chance and floor that is closed"},
	}}
	for _, r := range rows {
		f.Row(r.Step, r.LossEval, r.Floor, r.Chance, *r.GapClosed)
	}
	return f
}

func tabulate(rows []run.Row, c *claim.Claim) {
	c.Tables = append(c.Tables, losses(rows).Table())
}

func draw(rows []run.Row, out *claim.Output) {
	loss := figure.Series{Name: small.Label}
	for _, r := range rows {
		loss.Add(float64(r.Step), r.LossEval)
	}
	out.CSV("loss", losses(rows))
	out.Figure("loss", figure.Single(
		"Loss by step", "A line for the loss, and one each for chance and the floor.",
		figure.Chart{
			X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "loss (nats)"}, Series: []figure.Series{loss},
			Refs: []figure.Ref{{Label: "floor", Value: rows[0].Floor}, {Label: "chance", Value: rows[0].Chance}},
		}))
}

// TestTrial takes a document that stands outside of foretell/paper through a study to
// its report.
func TestTrial(t *testing.T) {
	study, rows := &claim.Study{Out: t.TempDir(), Workers: 2}, golden.Rows(claim.Quick)
	about := report.New(golden, claim.Quick, rows, study.Workers, "go test . -run Trial")
	claims, page, err := report.Reproduce(t.Context(), study, rows, about)
	if err != nil {
		t.Fatal(err)
	}
	if c := claims[0]; c.Verdict != claim.Holds || len(c.Tables) != 1 || len(c.Figures) != 1 || len(c.Data) != 1 {
		t.Errorf("the claim does not hold or is not complete: %+v", c)
	}
	claimtest.Claim(t, study.Out, rows[0], claims[0])
	if page != filepath.Join(study.Out, report.HTMLFile) {
		t.Errorf("the report is %s, outside of the study's folder", page)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
	at := func(gap float64) []run.Row { return []run.Row{{Evaluation: train.Evaluation{GapClosed: &gap}}} }
	claimtest.Rule(t, judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}, []claimtest.Case[[]run.Row]{
		{Name: "closed", M: at(closed), Want: claim.Holds},
		{Name: "in part", M: at(closed - 0.01), Want: claim.Differs},
		{Name: "chance", M: at(0), Want: claim.Fails},
	})
}
