// Package abc tests the claims of Walking Through a Tiny Transformer (Virgilio 2025), on
// transformers that learn the pattern ABCABC… and on the one whose numbers it prints.
//
// Each file named after a topic holds one row: the text of the claim with the constants
// of its rule, then measure, judge, tabulate and draw. Other files hold what rows share:
// the transformer to train (tiny.go), a trained one (solution.go), the comparison of
// trained ones (disparity.go, classes.go), and the plane of its residual stream
// (regions.go).
package abc

import "foretell/claim"

// cite begins the Source of a row.
const cite = "Virgilio 2025, "

// Paper is the document with its rows.
var Paper = claim.Paper{
	Name:   "abc",
	Title:  "A tiny transformer that learned ABCABC…",
	Source: cite + "Walking Through a Tiny Transformer (Zach Virgilio, 7 November 2025)",
	Rows:   func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// profile holds the number of tiny transformers that are trained, the number that must
// learn the pattern by a further question about A1, and the number of training steps.
type profile struct{ seeds, enough, steps int }

// profiles are all the same because training takes only a moment.
var profiles = map[claim.Profile]profile{
	claim.Quick: {seeds: 100, enough: 95, steps: 2000},
	claim.Full:  {seeds: 100, enough: 95, steps: 2000},
}

// rows returns the claims in the document's order.
func (p profile) rows() []claim.Row {
	return []claim.Row{
		p.patternIsLearned(), // A1
		walkByHand(),         // A2
		printedSums(),        // A3
		p.directions(),       // A4
	}
}

// names are the names of the tokens.
var names = [3]string{"A", "B", "C"}
