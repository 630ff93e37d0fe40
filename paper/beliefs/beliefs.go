// Package beliefs goes beyond the documents: it tests what Transformers Represent Belief
// State Geometry in their Residual Stream (Shai et al., NeurIPS 2024) read from
// activations, with controls, and whether a model uses what is read.
//
// Each row is a question put to foretell/probe: by_layer.go asks for a report of every
// stage and its controls ([foretell/probe.ExamineEach]), planes.go for what a regression
// reads from each word ([foretell/probe.Analysis.Predict]), steering.go for what becomes
// of predictions when activations are moved ([foretell/probe.Analysis.SteerEach]).
package beliefs

import "foretell/claim"

// Paper is the document. Its Mess3 models are those of package mess3, so that a study of
// both trains them once.
var Paper = claim.Paper{
	Name:  "beliefs",
	Title: "Beliefs in the residual stream: spread over layers, and used",
	Source: "Shai et al. 2024, Transformers Represent Belief State Geometry in their Residual Stream " +
		"(Shai, Marzen, Teixeira, Gietelink Oldenziel and Riechers, NeurIPS 2024), and beyond",
	Rows: func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// nearest is the sentence of Shai et al. 2024 that is nearest to both rows.
const nearest = "No claim of a document. Nearest: “We investigate cases where the belief state geometry is " +
	"represented in the final residual stream or distributed across the residual streams of multiple layers, " +
	"providing a framework to explain these observations.” (abstract; no number of models, no error bars)"

func (p profile) rows() []claim.Row {
	return []claim.Row{
		p.byLayer(),  // B1
		p.steering(), // B2
	}
}
