// Package claim tests the claims of a document. It defines claims, verdicts and studies,
// and is independent of any particular document, process or model.
//
// A [Paper] is a document with its rows. A [Row] is one claim: its text, the models to
// train for it, and a test in four [Steps]:
//
//   - Measure computes numbers from models and processes;
//   - Judge is the rule, a pure function of these numbers that returns a verdict and a
//     sentence;
//   - Tabulate adds tables;
//   - Draw makes figures, and files with the numbers in them.
//
// A [Study] is one reproduction in progress. It trains each model that the rows need
// once, several models at a time, in folders from which training can be resumed. It then
// tests the rows one by one and returns their claims:
//
//	study := &claim.Study{Out: "reports/mess3", Workers: 2}
//	claims, err := study.Reproduce(ctx, document.Rows(claim.Quick))
//
// [foretell/report] writes claims to a page. Its Reproduce does the same as
// [Study.Reproduce], and also keeps a page up to date from the first row on.
//
// # What a row says
//
// The document's words come first. Kind is the type of assertion. Quote has the words
// verbatim, with the number that they state, the number of models and the error bars, or
// a remark that the document has no error bars. Expected is the rule for judging these
// words under the document's own conditions. The verdict is on these words alone:
//
//   - [Holds]: obtained as stated. [Corrected]: the source is wrong, and the correct
//     statement is shown with a counterexample.
//   - [Differs]: obtained, but with another [Size], under some [Conditions] and not
//     others, or depending on a [Convention]. [Fails]: not obtained.
//   - [Open]: not decided, because models are [Untrained] or there are too few seeds
//     ([Power]).
//
// Differs and Open have a reason; the other verdicts have no reason. Corrected has a
// [Severity]: nothing that is computed changes ([Cosmetic]), one place is wrong
// ([Local]), or what is built from it computes something else ([Consequential]); the
// effect is then what the error costs.
//
// A row of kind [Identity] compares two forms of one formula, which differ only if the
// code is wrong: if it holds, that confirms foretell's code and not the document. A row
// of kind [Formula] works a printed formula or construction through. [Beyond] marks a
// claim that no document makes.
//
// Thresholds that foretell adds do not affect the verdict. Each belongs to a [Question]
// in [Claim].Asked, which says where the threshold comes from. Each threshold is defined
// once, as a constant, and the texts are printed from it.
//
// A measured number is an [Effect]. [Over] is the mean over seeds with its 95 %
// confidence interval, and [Exactly] is a number that does not depend on a seed.
// [Effect.Beside] adds the document's number and [Effect.Against] the control's, both in
// the effect's unit. A row does not hold if a control, such as random initialisation,
// passes as well. Where models either learn or remain on a plateau, Reached counts those
// that learn ([NewShare]) and the effect is the mean over these; a mean over both groups
// would be meaningless. [Equivalent] tests whether a mean equals a number, up to a
// margin.
//
// A claim about several processes or architectures has a [Condition] for each. A
// condition whose models have not converged is open, whatever its numbers:
// [Condition.Judged] enforces this, and [Conclude] combines the other conditions into one
// verdict; a claim does not hold by fewer than half of its conditions. For sequences of
// a process, Analysis.Convergence in foretell/probe measures convergence. [Claim.Check]
// reports what in a claim breaks these conventions.
//
// StandsOn lists the other rows that use the same fit of the same models, and are
// therefore not independent evidence. RuleCommit is the commit that last changed the
// rule, and ChangedAfterResult reports whether a result was known by then: a rule should
// be committed before the models that it judges are trained. If a result was known, First
// is the rule as it was first committed. It judges the same measurement, so that a reader
// sees whether the change turned the verdict, or it says what it [Lacks].
//
// # Your own document
//
// Your own document is a Paper, which can be in any package and needs no registration.
// The package's Example is a complete document with one row (go doc does not show it: see
// example_test.go). It begins with the thresholds of the rule, as constants from which
// the text of Expected is printed, and the models to train. Processes are named as in
// process.Catalogue.
//
//	const (
//		leastClosed = 0.99
//		mostMissed  = 0.03
//	)
//
//	func alternation(seed uint64) claim.Training {
//		return claim.Training{
//			Name: fmt.Sprintf("alternation-seed%d", seed), Label: fmt.Sprintf("ABAB…, seed %d", seed),
//			Config: train.Config{
//				Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
//				Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
//				Train:   train.Options{Seed: seed, BatchSize: 16, NumSteps: 200, LR: 0.03, EvaluateEvery: 200},
//			},
//		}
//	}
//
// The row's text and the steps follow. The steps are functions of the measurement; the
// most important one is the rule. Here the measurement is a number for each seed,
// [BySeed], which knows how models that have not converged are treated.
//
//	var ownPaper = claim.Paper{
//		Name: "alternation", Title: "Learning to alternate", Source: "your own document",
//		Rows: func(claim.Profile) []claim.Row {
//			return []claim.Row{{
//				ID: "X1", Kind: claim.Number, Source: "p. 1",
//				Quote:     "“At least 99 % of the gap is closed.” (one model, no error bars)",
//				Statement: "One layer learns ABAB….",
//				Expected:  fmt.Sprintf("at least %g of the gap between chance and floor is closed", leastClosed),
//				Captions:  map[string]string{"closed": "How much of the gap is closed before and after training."},
//				Trainings: trainings,
//				Test:      claim.Steps[closed]{Measure: measure, Judge: judge, Draw: draw}.Test,
//			}}
//		},
//	}
//
//	type closed = claim.BySeed[float64]
//
//	func judge(m closed) claim.Finding {
//		here := m.Judge(func(converged []claim.Seeded[float64]) claim.Condition {
//			c := claim.Condition{
//				Verdict: claim.Holds,
//				Effect:  m.AgainstRandom("share of the gap that is closed", "", share).Beside("p. 1", leastClosed),
//			}
//			c.Obtained = fmt.Sprintf("%.2f is closed on average over %d seeds", c.Effect.Estimate, len(converged))
//			if c.Effect.Estimate < leastClosed {
//				c.Verdict, c.Reason = claim.Differs, claim.Size
//			}
//			return c
//		})
//		return claim.NewFinding([]claim.Condition{here})
//	}
//
// The texts of a document with many rows are in a Markdown file next to its code; see
// [MustTexts] and [Texts.Fill]. Numbers are handed on as numbers: a row fills a Frame of
// [foretell/document], which becomes a table of the claim and a data file.
//
// Before a row is tested, its models are trained. Measure gets them from [Study.Trained],
// and their losses from [Study.Metrics]. [foretell/claim/claimtest] tests rules and the
// claims that result from them. It also tests that both follow the conventions above.
//
// The documents that foretell reproduces are packages below [foretell/paper], which lists
// them. Each of these packages has one file for each row, arranged in the order shown
// here.
package claim
