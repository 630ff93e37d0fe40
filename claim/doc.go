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
// # What a row says
//
// The document's words come first. Kind is what they assert; Quote has them verbatim,
// with the figure, its number of models and its error bars, or that there are none.
// Expected is the rule on those words, under the conditions that the document shows,
// and the verdict is on them alone:
//
//   - [Holds]: obtained as stated. [Corrected]: the source errs, and the right
//     statement is shown with a counterexample.
//   - [Differs]: obtained, but for its [Size], under some [Conditions] and not others,
//     or by a [Convention]. [Fails]: not obtained.
//   - [Open]: not decided, as models are [Untrained] or seeds too few ([Power]).
//
// A reason stands with differs and open, and with nothing else. A row of kind
// [Identity] compares two forms of one formula, and only a defect can part them: that
// it holds confirms the laboratory and not the document. [Beyond] is what no document
// says.
//
// A threshold of the laboratory's own does not decide: it is a [Question] among Asked,
// which says where the threshold comes from. Each threshold stands once, as a constant,
// from which the texts are printed.
//
// Numbers are effects. [Over] is the mean over seeds with its interval of 95 %, and
// [Exactly] a number in which no seed has a part; [Effect.Beside] adds the document's
// number and [Effect.Against] that of a control, both in the effect's unit. A row does
// not hold where a control, such as random initialisation, passes as well. Where models
// either learn or rest on a plateau, Reached is how many do ([NewShare]), and the
// effect is over those; a mean over both says nothing. [Equivalent] is for “equal
// to”.
//
// A claim about several processes or architectures has a [Condition] for each, and one
// whose models have not converged is open, whatever its numbers: [Condition.Judged]
// sees to that, and [Conclude] makes one verdict of the rest. For words of a process
// foretell/probe has the measure, Analysis.Convergence.
//
// StandsOn lists the rows that rest on the same fit. RuleCommit is the commit that last
// changed the rule, and ChangedAfterResult says whether a result was known by then: a
// rule is to be committed before the models that it judges are trained.
//
// # A document of one's own
//
// It is a Paper, which can stand in any package and is registered nowhere. The Example
// is a whole one of one row (go doc does not show it: see example_test.go). First come
// the thresholds of the rule, as constants from which the text of Expected is printed,
// and the models to train; a process goes by its name in process.Catalogue.
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
// Then the text, and the steps, which are functions of the measurement's type; of these
// the rule says most.
//
//	var document = claim.Paper{
//		Name: "alternation", Title: "Learning to alternate", Source: "a document of one's own",
//		Rows: func(claim.Profile) []claim.Row {
//			return []claim.Row{{
//				ID: "X1", Kind: claim.Number, Source: "p. 1",
//				Quote:     "“At least 99 % of the gap is closed.” (one model, no error bars)",
//				Statement: "One layer learns ABAB….",
//				Expected:  fmt.Sprintf("at least %g of the gap between chance and floor is closed", leastClosed),
//				Trainings: trainings,
//				Test:      claim.Steps[closed]{Measure: measure, Judge: judge, Draw: draw}.Test,
//			}}
//		},
//	}
//
//	func judge(m closed) claim.Finding {
//		untrained, _ := claim.Mean(m.untrained)
//		effect := claim.Over("share of the gap that is closed", "", m.trained).
//			Beside("p. 1", leastClosed).Against("random initialisation", untrained)
//		here := claim.Condition{
//			Name: "ABAB…", Verdict: claim.Holds, Effect: effect,
//			Obtained: fmt.Sprintf("%.2f is closed in the mean over %d seeds", effect.Estimate, effect.Seeds),
//		}
//		if effect.Estimate < leastClosed {
//			here.Verdict, here.Reason = claim.Differs, claim.Size
//		}
//		conditions := []claim.Condition{here.Judged(unconverged(m.trained))}
//		verdict, reason := claim.Conclude(conditions)
//		return claim.Finding{
//			Verdict: verdict, Reason: reason, Obtained: here.Obtained, Effect: effect, Conditions: conditions,
//		}
//	}
//
// When a row is tested its trainings are complete: Measure has the models from
// [Study.Trained], and their losses from [Study.Metrics]. [foretell/claim/claimtest]
// tests rules and what came of rows, and that both keep to the above.
//
// The documents of the laboratory are packages below [foretell/paper], listed in its
// table, and put each row into a file of its own, in this order.
package claim
