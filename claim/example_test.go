package claim_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"foretell/claim"
	"foretell/figure"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// leastClosed is the threshold of the rule: the share of the learnable gap.
const leastClosed = 0.9

// alternation is a model that learns to alternate.
var alternation = claim.Training{
	Name: "alternation", Label: "ABAB…",
	Config: train.Config{
		Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
		Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
		Train:   train.Options{Seed: 1, BatchSize: 16, NumSteps: 200, LR: 0.03, EvaluateEvery: 200},
	},
}

// document is a paper of one row.
var document = claim.Paper{
	Name: "alternation", Title: "Learning to alternate", Source: "a document of one's own",
	Rows: func(claim.Profile) []claim.Row {
		return []claim.Row{{
			ID: "X1", Source: "p. 1", Statement: "One layer learns ABAB….",
			Expected:  fmt.Sprintf("at least %g of the gap between chance and floor is closed", leastClosed),
			Trainings: []claim.Training{alternation},
			Test:      claim.Steps[closed]{Measure: measure, Judge: judge, Draw: draw}.Test,
		}}
	},
}

// closed is the share of the gap that is closed, by step.
type closed []float64

func measure(_ context.Context, s *claim.Study) (m closed, err error) {
	rows, err := s.Metrics(alternation)
	for _, row := range rows {
		m = append(m, *row.GapClosed)
	}
	return m, err
}

func judge(m closed) claim.Finding {
	last := m[len(m)-1]
	if last < leastClosed {
		return claim.Finding{Verdict: claim.Fails, Obtained: fmt.Sprintf("%.2f is closed", last)}
	}
	return claim.Finding{Verdict: claim.Holds, Obtained: "more than that"}
}

func draw(m closed, out *claim.Output) {
	series := figure.Series{X: []float64{0, 200}, Y: m}
	out.Figure("closed", "How much of the gap is closed before and after training.",
		figure.Single("Learning to alternate", "A line that rises.", figure.Chart{Series: []figure.Series{series}}))
}

// A document of one's own: one row, through a study.
func Example() {
	dir, err := os.MkdirTemp("", "claim")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	study := &claim.Study{Out: dir, Workers: 1}
	claims, err := study.Reproduce(context.Background(), document.Rows(claim.Quick))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range claims {
		fmt.Println(c.ID, c.Verdict, c.Obtained, c.Figures)
	}
	// Output: X1 holds more than that [figures/X1-closed.svg]
}
