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
// [foretell/report] writes claims down.
//
// # A document of one's own
//
// It is a Paper, which can stand in any package, as the Example shows. Those of the
// laboratory are packages below [foretell/paper], listed in its table, and put a row
// into a file of its own: first the text of the claim with the thresholds of its rule,
// as constants from which the text of Expected is printed, then the four steps.
package claim
