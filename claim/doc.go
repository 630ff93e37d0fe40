// Package claim tests what a document claims: it knows what a claim, a verdict and a
// study are, and nothing of any document, process or model.
//
// A [Paper] is a document with its rows. A [Row] is one claim: its words, the
// trainings whose models it looks at, and a test in four [Steps],
//
//   - Measure finds numbers, from models and processes;
//   - Judge is the rule, a pure function of them: a verdict and a sentence;
//   - Tabulate puts them into tables and says what they rest on;
//   - Draw makes figures, and files with the numbers behind them.
//
// A [Study] is one reproduction under way. It makes the runs that the rows ask for,
// each once, side by side, in folders where they can be gone on with, tests the rows
// one by one and hands over their claims:
//
//	study := &claim.Study{Out: "reports/mess3", Workers: 2}
//	claims, err := study.Reproduce(ctx, document.Rows(claim.Quick))
//
// [foretell/report] writes claims down; its Reproduce is this with a page that is there
// from the first row on.
//
// # A document of one's own
//
// It is a Paper, which can stand in any package and is registered nowhere. The Example
// is a whole one of one row (go doc does not show it: see example_test.go). First come
// the thresholds of the rule, as constants from which the text of Expected is printed,
// and the models to train; a process goes by its name in process.Catalogue.
//
//	const leastClosed = 0.9
//
//	var alternation = claim.Training{
//		Name: "alternation", Label: "ABAB…",
//		Config: train.Config{
//			Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
//			Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
//			Train:   train.Options{Seed: 1, BatchSize: 16, NumSteps: 200, LR: 0.03, EvaluateEvery: 200},
//		},
//	}
//
// Then the text, and the steps, which are functions of the measurement's type:
//
//	var document = claim.Paper{
//		Name: "alternation", Title: "Learning to alternate", Source: "a document of one's own",
//		Rows: func(claim.Profile) []claim.Row {
//			return []claim.Row{{
//				ID: "X1", Source: "p. 1", Statement: "One layer learns ABAB….",
//				Expected:  fmt.Sprintf("at least %g of the gap between chance and floor is closed", leastClosed),
//				Trainings: []claim.Training{alternation},
//				Test:      claim.Steps[closed]{Measure: measure, Judge: judge, Draw: draw}.Test,
//			}}
//		},
//	}
//
// When a row is tested its trainings are complete: Measure has the models from
// [Study.Trained], and their losses from [Study.Metrics]. [foretell/claim/claimtest]
// tests rules and what came of rows.
//
// The documents of the laboratory are packages below [foretell/paper], listed in its
// table, and put each row into a file of its own, in this order.
package claim
