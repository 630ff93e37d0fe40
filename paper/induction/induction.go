// Package induction tests the claims of Selective Induction Heads: How Transformers
// Select Causal Structures in Context (D'Angelo, Croce and Flammarion, ICLR 2025), on
// Markov chains whose lag has to be inferred from the sequence.
//
// A row (claim.Row) is one claim with its test, such as I7. A file named after a topic
// holds one row or several: the constants of the rule that judges the claim, then the
// steps measure, judge, tabulate and draw. The texts of all rows are in rows.md. Other
// files are shared by rows: the profiles (profile.go), the matrix P and the sets of lags
// (task.go), the results that a study reuses (lab.go), trained and handwritten models
// (network.go, subject.go, written.go), sequences whose lag is known and divergences
// along them (chains.go, curve.go, along.go), predictors that use only part of the
// evidence or learn P in context (observer.go, learner.go), what heads attend to
// (attention.go, patterns.go, overlap.go, first_scores.go, temperature.go), activations
// exchanged between sequences (exchange.go), and checks of printed formulas
// (constructed.go, constructed_along.go). Some rows are repeated in other settings
// (variant.go).
//
// In comments, BMA is the Bayesian model average over lags, which is the optimal
// predictor, ML is the maximum-likelihood predictor, k̂ is the largest lag of a set K, T
// is the length of a sequence, and p̃ are normalised transition probabilities.
package induction

import (
	_ "embed"

	"foretell/claim"
)

//go:embed rows.md
var rowsMarkdown string

// texts are the texts of the rows, from rows.md.
var texts = claim.MustTexts(rowsMarkdown)

// Paper is the study of the paper: its title, source and setting, and its rows.
var Paper = claim.Paper{
	Name:  "induction",
	Title: "Selective induction heads: a transformer infers the lag of a Markov chain",
	Source: "D'Angelo et al. 2025, Selective Induction Heads: How Transformers Select Causal Structures in Context " +
		"(D'Angelo, Croce and Flammarion, ICLR 2025)",
	Setting: func(p claim.Profile) string { return profiles[p].setting },
	Rows:    func(p claim.Profile) []claim.Row { return newLab(profiles[p]).rows() },
	Deepens: true,
}

// rows returns the paper's claims in the order in which they are tested: cheap ones
// first, and rows that share models next to each other.
func (l *lab) rows() []claim.Row {
	rows := append(l.statistics(), []claim.Row{
		l.contiguous(),  // row I3
		l.positional(),  // row I4
		l.anyLags(),     // row I5
		l.pairs(),       // row I6
		l.estimator(),   // row I9
		l.adds(),        // row I16
		l.plateaus(),    // row I18
		l.depth(),       // row I10
		l.heads(),       // row I11
		l.fewerHeads(),  // row I22
		l.performance(), // row I7
		l.selection(),   // row I12
		l.circuits(),    // row I19
		l.maps(),        // row I8
		l.algorithm(),   // row I20
		l.cause(),       // row I21
	}...)
	return claim.WithWork(rows, l.work)
}
