// Package signals tests the claims of Transformers for Signal Prediction (EE269: Signal
// Processing and Quantization for Machine Learning, Winter 2026), a lecture: what
// transformers and flatter models make of five signals, how signals become tokens, and
// what attention can be made to look at.
//
// Each file that is named after a topic holds rows: the text of the claim with the
// constants of its rule, then measure, judge, tabulate and draw. Beside them stand what
// rows share: the profiles (profile.go) and the five signals (signal.go).
package signals

import "foretell/claim"

// document is how rows cite the document; cite begins the source of a row.
const (
	document = "EE269 2026"
	cite     = document + ", "
)

// Paper is the document.
var Paper = claim.Paper{
	Name:  "signals",
	Title: "Signals: from a waveform to tokens to a prediction",
	Source: cite + "Transformers for Signal Prediction (EE269: Signal Processing and " +
		"Quantization for Machine Learning, Winter 2026)",
	Setting: func(p claim.Profile) string { return profiles[p].setting },
	Rows:    func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// rows are the claims, in the order in which they are tested: what needs no training
// comes first, and what shares models stands together.
func (p profile) rows() []claim.Row {
	l := newLab(p)
	return claim.WithWork([]claim.Row{
		generators(),             // S1
		parametersOfMiniGPT(),    // S2
		gpt2(),                   // S11
		workedExamples(),         // S12
		positions(),              // S8
		writtenByHand(),          // S9
		p.quantisers(),           // S10
		p.solved(),               // S13
		p.obstacles(),            // S13b
		p.contextLength(),        // S7
		l.mainTable(),            // S3
		l.depthSweep(),           // S4
		l.globalAndConditional(), // S5
		l.trainingCurves(),       // S6
	}, p.work)
}
