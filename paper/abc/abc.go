// Package abc tests the claims of Walking Through a Tiny Transformer (Virgilio 2025), on
// transformers that learn the pattern ABCABC… and on the one whose numbers it prints.
//
// Each file that is named after a topic holds one row: the text of the claim with the
// constants of its rule, then measure, judge, tabulate and draw. Beside them stand what
// rows share: the transformer that is trained (tiny.go), one that has been (solution.go),
// which of those are the same (disparity.go, classes.go), and the plane that its residual
// stream is (regions.go).
package abc

import "foretell/claim"

// cite begins the source of a row.
const cite = "Virgilio 2025, "

// Paper is the document.
var Paper = claim.Paper{
	Name:   "abc",
	Title:  "A tiny transformer that learned ABCABC…",
	Source: cite + "Walking Through a Tiny Transformer (Zach Virgilio, 7 November 2025)",
	Rows:   func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// profile says how many of the tiny transformers are trained, of how many A1 asks,
// beside its verdict, that they learn the pattern, and how long they are trained.
type profile struct{ seeds, enough, steps int }

// profiles are all the same: the transformer is trained in a moment.
var profiles = map[claim.Profile]profile{
	claim.Quick: {seeds: 100, enough: 95, steps: 2000},
	claim.Full:  {seeds: 100, enough: 95, steps: 2000},
}

// rows are the claims in the document's order.
func (p profile) rows() []claim.Row {
	return []claim.Row{
		p.patternIsLearned(), // A1
		walkByHand(),         // A2
		printedSums(),        // A3
		p.directions(),       // A4
	}
}

// names are those of the tokens.
var names = [3]string{"A", "B", "C"}
