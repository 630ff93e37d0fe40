// Package paper reproduces published claims, one file a figure or table: each
// reads like the paper, computes what the paper shows, and returns a [Claim]
// with a verdict that follows from the numbers.
//
// A [Paper] lists its rows; a [Study] is one reproduction under way: where
// results go, how long to train, and the trained models that several rows
// share. [Study.Reproduce] tests rows one by one:
//
//	study := &paper.Study{Out: "reports/mess3", Profile: paper.Quick, Workers: 2}
//	claims, err := study.Reproduce(ctx, paper.Mess3.Rows)
//
// # Adding a claim
//
// A claim is a row in its paper's table (mess3.go) and a function of type
// func(*Study, *Claim) error in the file of its figure. The expected text states
// the rule of the verdict before anything is measured; the function fills in
// what was obtained, the verdict, figures with captions, and the data behind
// them.
package paper
