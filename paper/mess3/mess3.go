// Package mess3 tests the claims of Constrained Belief Updates Explain Geometric
// Structures in Transformer Representations (Piotrowski, Riechers, Filan and Shai, ICML
// 2025): that one layer of attention performs constrained belief updates.
//
// Each file named after a topic holds one row, which is a claim with its test: the
// constants of the rule for its verdict, then measure, judge, tabulate and draw. The
// texts of the claims are in rows.md. Other files hold what rows share: the profiles
// (profile.go), the models (lab.go), the measurements on a model (subject.go, stage.go),
// the plane of the simplex (plane.go), the OV vectors in that plane (ov.go), several
// seeds of one condition (replicates.go, seed_chart.go), medians (summary.go), and
// columns and arrays of data files (data.go).
package mess3

import (
	_ "embed"

	"foretell/claim"
)

//go:embed rows.md
var rowsMarkdown string

// texts are the texts of the rows.
var texts = claim.MustTexts(rowsMarkdown)

// Paper is the document with its rows.
var Paper = claim.Paper{
	Name:  "mess3",
	Title: "Constrained belief updates in transformers trained on Mess3",
	Source: "Piotrowski et al. 2025, Constrained Belief Updates Explain Geometric Structures in Transformer " +
		"Representations (Piotrowski, Riechers, Filan and Shai, ICML 2025)",
	Setting: func(p claim.Profile) string { return profiles[p].setting },
	Rows:    func(p claim.Profile) []claim.Row { return newLab(profiles[p]).rows() },
	Deepens: true,
}

// rows returns the rows in the order in which they are tested: rows that need the least
// work come first, and rows that share models are adjacent.
func (l *lab) rows() []claim.Row {
	rows := []claim.Row{
		beliefGeometry(),      // M1
		constrainedGeometry(), // M3
		l.fractals(),          // M2
		l.attentionDecay(),    // M6
		l.ovVectors(),         // M4
		l.embeddings(),        // M5
		l.firstEmbeddings(),   // M5b
		l.singlePositions(),   // M21
		l.sums(),              // M7
		l.twoHeads(),          // M8
		l.oneHead(),           // M12
		l.trainingCurves(),    // M9
		l.layers(),            // M10
		l.architectures(),     // M11
		l.explainedVariance(), // M13
		l.alphaRange(),        // M14
		l.decayRivals(),       // M6b
		l.headBounds(),        // M15
		l.parallel(),          // M16
		l.firstSource(),       // M17a
		l.manyHeads(),         // M17b
		l.warping(),           // M17c
		l.oneLayerLimit(),     // M19
	}
	if len(l.variants) > 0 {
		rows = append(rows, l.openSettings()) // M18
	}
	if len(l.needs) > 0 {
		rows = append(rows, l.secondHead()) // M20
	}
	return claim.WithWork(rows, l.work)
}
