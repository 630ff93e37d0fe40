// Package abc tests the claims of Walking Through a Tiny Transformer (Virgilio 2025), on
// transformers that learn the pattern ABCABC… and on the transformer whose numbers the
// document prints.
//
// Each file named after a topic holds one row of the report, which is one claim: the
// constants of its rule, then the functions that measure, judge, tabulate and draw. The
// texts of all rows are in rows.md. Other files hold what rows share: the transformer to
// train (tiny.go), a trained transformer (solution.go), the comparison of trained
// transformers (disparity.go, classes.go), and the two-dimensional plane of the residual
// stream (regions.go).
package abc

import (
	_ "embed"

	"foretell/claim"
)

//go:embed rows.md
var rowsMarkdown string

var texts = claim.MustTexts(rowsMarkdown)

// Paper is the document, with its claims as rows.
var Paper = claim.Paper{
	Name:   "abc",
	Title:  "A tiny transformer that learned ABCABC…",
	Source: "Virgilio 2025, Walking Through a Tiny Transformer (Zach Virgilio, 7 November 2025)",
	Rows:   func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// profile holds the sizes of a study: seeds is the number of transformers to train, one
// for each seed; enough is how many of them must learn the pattern for a yes to the
// further question about claim A1; steps is the number of training steps.
type profile struct{ seeds, enough, steps int }

// profiles holds the same numbers for each profile because training takes only a moment.
var profiles = map[claim.Profile]profile{
	claim.Quick: {seeds: 100, enough: 95, steps: 2000},
	claim.Full:  {seeds: 100, enough: 95, steps: 2000},
}

// rows returns the claims in the document's order.
func (p profile) rows() []claim.Row {
	return []claim.Row{
		p.patternIsLearned(), // row A1
		walkByHand(),         // row A2
		printedSums(),        // row A3
		p.directions(),       // row A4
	}
}

// names are the names of the tokens.
var names = [3]string{"A", "B", "C"}
