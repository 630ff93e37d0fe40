// Package beliefs tests two claims of foretell's own, which go beyond Transformers
// Represent Belief State Geometry in their Residual Stream (Shai et al., NeurIPS 2024).
// The first is that activations represent beliefs: that paper's claim, tested with
// further controls. The second is that a model uses the beliefs that can be read from its
// activations.
//
// All measurements are by package probe. The file by_layer.go reports how well beliefs
// can be read from each stage of the residual stream, and the controls
// ([foretell/probe.ExamineEach]). The file planes.go draws the beliefs that a regression
// predicts for each sequence ([foretell/probe.Analysis.Predict]). The file steering.go
// measures how predictions change when activations are moved
// ([foretell/probe.Analysis.SteerEach]). The texts of both claims are in rows.md.
package beliefs

import (
	_ "embed"

	"foretell/claim"
)

//go:embed rows.md
var rowsMarkdown string

var texts = claim.MustTexts(rowsMarkdown)

// Paper holds the two claims, B1 and B2. It shares its Mess3 models with package mess3,
// so a study of both trains them once.
var Paper = claim.Paper{
	Name:  "beliefs",
	Title: "Beliefs in the residual stream: spread over layers, and used",
	Source: "Shai et al. 2024, Transformers Represent Belief State Geometry in their Residual Stream " +
		"(Shai, Marzen, Teixeira, Gietelink Oldenziel and Riechers, NeurIPS 2024), and beyond",
	Rows: func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

func (p profile) rows() []claim.Row {
	return []claim.Row{
		p.byLayer(),  // row B1
		p.steering(), // row B2
	}
}
