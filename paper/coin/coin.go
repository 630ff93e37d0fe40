// Package coin tests the claims of A Mathematical Construction of a Transformer for
// Bayesian Coin Flip Prediction (Gemini 2025). The transformers count coin flips. Some
// are written by hand, either as the document prints them or with misprints corrected;
// others are trained.
//
// Each file named after a topic holds one row, which is a claim with its test: the
// constants of the rule for its verdict, and the steps measure, judge, tabulate and draw.
// The texts of all rows are in rows.md. Several rows share two files: positions.go
// generates the sequences on which the printed head is tested, and predictions.go
// compares the predictions of a transformer with the posterior.
package coin

import (
	_ "embed"
	"fmt"

	"foretell/claim"
)

//go:embed rows.md
var rowsMarkdown string

var texts = claim.MustTexts(rowsMarkdown)

// equal is the tolerance for numbers that agree up to rounding.
const equal = 1e-12

// Paper is the document with its rows.
var Paper = claim.Paper{
	Name:  "coin",
	Title: "Bayesian coin flips in a transformer",
	Source: "Gemini 2025, A Mathematical Construction of a Transformer for Bayesian Coin Flip Prediction " +
		"(Gemini, 31 July 2025)",
	Rows: func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// profile holds the settings that differ between the quick and the full profile: how long
// the transformers of C6 are trained, how many sequences of flips measure them, and which
// kinds of positional embedding are shown next to the models without one.
type profile struct {
	steps, sequences int
	kinds            []string
}

// profiles holds the profiles by name. The quick profile leaves out learned positional
// embeddings: beyond the training context they are noise, and no verdict uses them. The
// time saved is spent on several seeds of the models that decide the verdict.
var profiles = map[claim.Profile]profile{
	claim.Quick: {steps: 2000, sequences: 512, kinds: []string{"sinusoidal", "rotary"}},
	claim.Full:  {steps: 20000, sequences: 512, kinds: []string{"learned", "sinusoidal", "rotary"}},
}

// rows returns the rows in the order of the document.
func (p profile) rows() []claim.Row {
	return []claim.Row{
		printedHead(),      // C1
		printedBullets(),   // C2
		tableMethod(),      // C3
		rampMethod(),       // C4
		exactCoin(),        // C5
		p.trainedPredict(), // C6
	}
}

// asPrinted returns the verdict on what the document prints, by whether it is right as
// printed, and whether it is right once misprints are corrected.
func asPrinted(right, corrected bool) claim.Verdict {
	switch {
	case right:
		return claim.Holds
	case corrected:
		return claim.Corrected
	}
	return claim.Fails
}

// prior is a Beta distribution of a coin's probability of heads.
type prior struct{ a, b float64 }

func (p prior) String() string { return fmt.Sprintf("Beta(%g, %g)", p.a, p.b) }

// priors are the priors of C5 and C6.
var priors = []prior{{1, 1}, {0.5, 0.5}, {2, 5}}
