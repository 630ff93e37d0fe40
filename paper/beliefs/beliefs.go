// Package beliefs goes beyond the documents. With further controls, it tests the claim of
// Transformers Represent Belief State Geometry in their Residual Stream (Shai et al.,
// NeurIPS 2024) that activations represent beliefs, and whether a model uses the beliefs
// that can be read from them.
//
// Each row is a question to foretell/probe. The file by_layer.go needs a report on every
// stage with its controls ([foretell/probe.ExamineEach]). The file planes.go needs the
// beliefs that a regression predicts for each sequence
// ([foretell/probe.Analysis.Predict]). The file steering.go needs the change of
// predictions when activations are moved ([foretell/probe.Analysis.SteerEach]).
package beliefs

import "foretell/claim"

// Paper is the document. It shares its Mess3 models with package mess3, so a study of
// both trains them once.
var Paper = claim.Paper{
	Name:  "beliefs",
	Title: "Beliefs in the residual stream: spread over layers, and used",
	Source: "Shai et al. 2024, Transformers Represent Belief State Geometry in their Residual Stream " +
		"(Shai, Marzen, Teixeira, Gietelink Oldenziel and Riechers, NeurIPS 2024), and beyond",
	Rows: func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// nearest is the sentence of Shai et al. 2024 that is closest to both rows.
const nearest = "Not a claim of a document. The closest sentence: “We investigate cases where the belief " +
	"state geometry is represented in the final residual stream or distributed across the residual streams of " +
	"multiple layers, providing a framework to explain these observations.” (abstract; no number of models, no " +
	"error bars)"

func (p profile) rows() []claim.Row {
	return []claim.Row{
		p.byLayer(),  // B1
		p.steering(), // B2
	}
}
