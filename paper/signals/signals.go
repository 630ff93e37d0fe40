// Package signals tests the claims of the lecture Transformers for Signal Prediction
// (EE269: Signal Processing and Quantization for Machine Learning, Winter 2026): how well
// transformers, MLPs and linear models predict five signals, how signals are turned into
// tokens, and where attention can be made to look.
//
// A file named after a topic holds the rows on it, one for each claim: the claim's text
// with the constants of its rule, then the functions that measure, judge, tabulate and
// draw. Other files hold what the rows share, such as the profiles (profile.go) and the
// five signals (signal.go).
//
// # Terms
//
// A model sees a window, the last K tokens of a signal, and predicts the next token. In
// the three symbolic signals, some tokens are computed from earlier tokens by the
// signal's rule: these are the retrieval steps, and the other tokens are background.
// Global accuracy is over all tokens, conditional accuracy over retrieval steps only. The
// ceiling is the greatest possible accuracy, the floor the smallest possible loss, and
// chance the loss of the best constant prediction. Position embeddings consist of planes,
// which are pairs of coordinates (sin, cos) with one frequency. The gain of an attention
// head is the factor of the cosines in its scores, in nats.
package signals

import (
	_ "embed"

	"foretell/claim"
	"foretell/internal/kept"
)

// authors is the name by which effects cite the lecture.
const authors = "EE269 2026"

//go:embed rows.md
var rowsMarkdown string

var texts = claim.MustTexts(rowsMarkdown)

// shared holds texts that occur in several rows.
var shared = texts.Fill(claim.Row{ID: "shared"}, nil)

// Paper is the lecture, with its claims as rows.
var Paper = claim.Paper{
	Name:  "signals",
	Title: "Signals: from a waveform to tokens to a prediction",
	Source: authors + ", Transformers for Signal Prediction (EE269: Signal Processing and " +
		"Quantization for Machine Learning, Winter 2026)",
	Setting: func(p claim.Profile) string { return profiles[p].setting },
	Rows:    func(p claim.Profile) []claim.Row { return profiles[p].rows() },
	Deepens: true,
}

// rows returns the claims in the order in which they are tested. Claims that need no
// training are first, and claims that share models follow each other.
func (p profile) rows() []claim.Row {
	p.forecasts = new(kept.Result[forecast])
	l := newLab(p)
	return claim.WithWork([]claim.Row{
		generators(),             // row S1
		parametersOfMiniGPT(),    // row S2
		gpt2(),                   // row S11
		workedExamples(),         // row S12
		positions(),              // row S8
		writtenByHand(),          // row S9
		p.quantisers(),           // row S10
		p.solved(),               // row S13
		p.obstacles(),            // row S13b
		l.capabilities(),         // row S14
		p.contextLength(),        // row S7
		l.mainTable(),            // row S3
		l.depthSweep(),           // row S4
		l.globalAndConditional(), // row S5
		l.trainingCurves(),       // row S6
	}, p.work)
}
