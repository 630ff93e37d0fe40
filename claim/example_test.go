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
			Captions:  map[string]string{"closed": "How much of the gap is closed before and after training."},
			Trainings: trainings,
			Test:      claim.Steps[closed]{Measure: measure, Judge: judge, Draw: draw}.Test,
		}}
	},
}

// closed is the share of the gap that is closed, by seed.
type closed = claim.BySeed[float64]

func share(closed float64) float64 { return closed }

func measure(_ context.Context, s *claim.Study) (m closed, err error) {
	m.Name = "ABAB…"
	for _, t := range trainings {
		rows, err := s.Metrics(t)
		if err != nil {
			return m, err
		}
		of := claim.Seeded[float64]{
			Seed: int(t.Config.Train.Seed), Random: *rows[0].GapClosed, Found: *rows[len(rows)-1].GapClosed,
		}
		if missed := 1 - of.Found; missed > mostMissed {
			of.Unconverged = fmt.Sprintf("it misses %.2g of what there is to learn", missed)
		}
		m.Models = append(m.Models, of)
	}
	return m, nil
}

func judge(m closed) claim.Finding {
	here := m.Judge(func(converged []claim.Seeded[float64]) claim.Condition {
		c := claim.Condition{
			Verdict: claim.Holds,
			Effect:  m.AgainstRandom("share of the gap that is closed", "", share).Beside("p. 1", leastClosed),
		}
		c.Obtained = fmt.Sprintf("%.2f is closed on average over %d seeds", c.Effect.Estimate, len(converged))
		if c.Effect.Estimate < leastClosed {
			c.Verdict, c.Reason = claim.Differs, claim.Size
		}
		return c
	})
	return claim.NewFinding([]claim.Condition{here})
}

func draw(m closed, out *claim.Output) {
	var series []figure.Series
	for _, of := range m.Models {
		series = append(series, figure.Series{X: []float64{0, 200}, Y: []float64{of.Random, of.Found}})
	}
	out.Figure("closed",
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
	// Output: X1 holds ABAB…: 1.00 is closed on average over 3 seeds [figures/X1-closed.svg]
}
