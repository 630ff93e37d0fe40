// Package coin tests the claims of A Mathematical Construction of a Transformer for
// Bayesian Coin Flip Prediction (Gemini 2025), on transformers that count coin flips:
// written by hand as the document prints them and as they should read, and trained.
//
// Each file that is named after a topic holds one row: the text of the claim with the
// constants of its rule, then measure, judge, tabulate and draw. Beside them stand what
// rows share: the sequences on which the printed head is looked at (positions.go), and
// what the trained transformers are asked (predictions.go).
package coin

import (
	"fmt"

	"foretell/claim"
)

// document is how rows cite the document; cite begins the source of a row.
const (
	document = "Gemini 2025"
	cite     = document + ", "
)

// equal is the bound of what agrees to rounding.
const equal = 1e-12

// derived says in a quote what it rests on.
const derived = "a derivation: no model is trained, and there are no error bars"

// Paper is the document.
var Paper = claim.Paper{
	Name:  "coin",
	Title: "Bayesian coin flips in a transformer",
	Source: cite + "A Mathematical Construction of a Transformer for Bayesian Coin Flip Prediction " +
		"(Gemini, 31 July 2025)",
	Rows: func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// profile says how long the transformers of C6 are trained, how many sequences of flips
// measure them, and which kinds of positional embedding are shown beside those without.
type profile struct {
	steps, sequences int
	kinds            []string
}

// profiles by name. Learned positions, which beyond the training are noise, and on which
// no verdict rests, made way for seeds of what one does.
var profiles = map[claim.Profile]profile{
	claim.Quick: {steps: 2000, sequences: 512, kinds: []string{"sinusoidal", "rotary"}},
	claim.Full:  {steps: 20000, sequences: 512, kinds: []string{"learned", "sinusoidal", "rotary"}},
}

// rows are the claims in the document's order.
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

// prior is a Beta distribution of a coin's probability of heads.
type prior struct{ a, b float64 }

func (p prior) String() string { return fmt.Sprintf("Beta(%g, %g)", p.a, p.b) }

// priors are those of C5 and C6.
var priors = []prior{{1, 1}, {0.5, 0.5}, {2, 5}}
