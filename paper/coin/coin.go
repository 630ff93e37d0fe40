// Package coin tests the claims of A Mathematical Construction of a Transformer for
// Bayesian Coin Flip Prediction (Gemini 2025). Its transformers count coin flips; they
// are written by hand, as the document prints them and corrected, or trained.
//
// Each file named after a topic holds one row: the text of the claim with the constants
// of its rule, then the steps measure, judge, tabulate and draw. Two files are shared by
// rows: positions.go generates the sequences on which the printed head is tested, and
// predictions.go compares a transformer's predictions with the posterior.
package coin

import (
	"fmt"

	"foretell/claim"
)

// document is the citation of the document; cite begins the source of a row.
const (
	document = "Gemini 2025"
	cite     = document + ", "
)

// equal is the tolerance for numbers that agree up to rounding.
const equal = 1e-12

// derived states the evidence behind a quoted sentence.
const derived = "a derivation: no model is trained, and there are no error bars"

// Paper is the document.
var Paper = claim.Paper{
	Name:  "coin",
	Title: "Bayesian coin flips in a transformer",
	Source: cite + "A Mathematical Construction of a Transformer for Bayesian Coin Flip Prediction " +
		"(Gemini, 31 July 2025)",
	Rows: func(p claim.Profile) []claim.Row { return profiles[p].rows() },
}

// profile holds what differs between profiles: how long the transformers of C6 are
// trained, how many sequences of flips measure them, and which kinds of positional
// embedding are shown next to the models without one.
type profile struct {
	steps, sequences int
	kinds            []string
}

// profiles by name. The quick profile leaves out learned positions, which are noise
// beyond the training context and which no verdict uses, and spends that time on more
// seeds.
var profiles = map[claim.Profile]profile{
	claim.Quick: {steps: 2000, sequences: 512, kinds: []string{"sinusoidal", "rotary"}},
	claim.Full:  {steps: 20000, sequences: 512, kinds: []string{"learned", "sinusoidal", "rotary"}},
}

// rows returns the claims in the document's order.
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

// priors are the priors of C5 and C6.
var priors = []prior{{1, 1}, {0.5, 0.5}, {2, 5}}
