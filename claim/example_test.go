package claim_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// The rule: the document's number, and the share of what there is to learn that a model
// which has converged misses at most.
const (
	leastClosed = 0.99
	mostMissed  = 0.03
)

// alternation is a model that learns to alternate, from one of three random seeds.
func alternation(seed uint64) claim.Training {
	return claim.Training{
		Name: fmt.Sprintf("alternation-seed%d", seed), Label: fmt.Sprintf("ABAB…, seed %d", seed),
		Config: train.Config{
			Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
			Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
			Train:   train.Options{Seed: seed, BatchSize: 16, NumSteps: 200, LR: 0.03, EvaluateEvery: 200},
		},
	}
}

var trainings = []claim.Training{alternation(1), alternation(2), alternation(3)}

// ownPaper is a paper of one row.
var ownPaper = claim.Paper{
	Name: "alternation", Title: "Learning to alternate", Source: "your own document",
	Rows: func(claim.Profile) []claim.Row {
		return []claim.Row{{
			ID: "X1", Kind: claim.Number, Source: "p. 1",
			Quote:     "“At least 99 % of the gap is closed.” (one model, no error bars)",
			Statement: "One layer learns ABAB….",
			Expected:  fmt.Sprintf("at least %g of the gap between chance and floor is closed", leastClosed),
			Trainings: trainings,
			Test:      claim.Steps[closed]{Measure: measure, Judge: judge, Draw: draw}.Test,
		}}
	},
}

// closed is the share of the gap that is closed, by seed: untrained and trained.
type closed struct{ untrained, trained []float64 }

func measure(_ context.Context, s *claim.Study) (m closed, err error) {
	for _, t := range trainings {
		rows, err := s.Metrics(t)
		if err != nil {
			return m, err
		}
		m.untrained = append(m.untrained, *rows[0].GapClosed)
		m.trained = append(m.trained, *rows[len(rows)-1].GapClosed)
	}
	return m, nil
}

func judge(m closed) claim.Finding {
	untrained, _ := claim.Mean(m.untrained)
	effect := claim.Over("share of the gap that is closed", "", m.trained).
		Beside("p. 1", leastClosed).Against("random initialisation", untrained)
	here := claim.Condition{
		Name: "ABAB…", Verdict: claim.Holds, Effect: effect,
		Obtained: fmt.Sprintf("%.2f is closed on average over %d seeds", effect.Estimate, effect.Seeds),
	}
	if effect.Estimate < leastClosed {
		here.Verdict, here.Reason = claim.Differs, claim.Size
	}
	conditions := []claim.Condition{here.Judged(unconverged(m.trained))}
	verdict, reason := claim.Conclude(conditions)
	return claim.Finding{
		Verdict: verdict, Reason: reason, Obtained: here.Obtained, Effect: effect, Conditions: conditions,
	}
}

// unconverged says why models have not converged, and nothing if all have.
func unconverged(trained []float64) string {
	if least := slices.Min(trained); 1-least > mostMissed {
		return fmt.Sprintf("one misses %.2g of what there is to learn", 1-least)
	}
	return ""
}

func draw(m closed, out *claim.Output) {
	var series []figure.Series
	for i := range m.trained {
		series = append(series, figure.Series{X: []float64{0, 200}, Y: []float64{m.untrained[i], m.trained[i]}})
	}
	out.Captioned("closed", "How much of the gap is closed before and after training.",
		figure.Single("Learning to alternate", "Lines that rise.", figure.Chart{Series: series}))
}

// Your own document: one row, through a study.
func Example() {
	dir, err := os.MkdirTemp("", "claim")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	study := &claim.Study{Out: dir, Workers: 1}
	claims, err := study.Reproduce(context.Background(), ownPaper.Rows(claim.Quick))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range claims {
		fmt.Println(c.ID, c.Verdict, c.Obtained, c.Figures)
	}
	// Output: X1 holds 1.00 is closed on average over 3 seeds [figures/X1-closed.svg]
}
