package signals

import (
	"context"
	"fmt"
	"math"
	"strings"

	"foretell/claim"
	"foretell/document"
)

// misprinted is the largest error at which a printed formula counts as doing what its
// slide says.
const misprinted = 1e-6

// positions returns row S8: the slides on sinusoidal and rotary positions.
func positions() claim.Row {
	return claim.Row{
		ID: "S8", Kind: claim.Identity,
		Source: cite + "“Sinusoidal Position Embeddings”, “Why Sin and Cos for Positions” (both slides), “Sinusoidal " +
			"Embeddings: Dot Products Select Positions”, “Peaked Attention”, “Rotary Position Embeddings (RoPE)”",
		Quote: "“shifting by k is a rotation that depends only on k” “Dot product depends only on the relative " +
			"offset.” “If W_K rotates each (sin, cos) pair by angle τω_k: q_iᵀk_j = Σ_k cos((i−j−τ)ω_k)” “Now the " +
			"dot product peaks at i−j = τ.” “W_K = (cos(3ω) sin(3ω); −sin(3ω) cos(3ω)) […] Then: q_iᵀk_j = " +
			"cos((i−j−3)ω) { = 1 if j = i−3, < 1 otherwise” “After softmax, attention concentrates on position i−3: " +
			"α ≈ [0, 0, 0.95, 0.02, 0.02, 0.01]” “q̃ᵀk̃ = cos(5−2) = cos(3) = −0.990” (derivations: no model is " +
			"trained, and there are no error bars)",
		Statement: "A shift of sinusoidal position embeddings is a rotation, their dot product depends only on the " +
			"offset, rotated keys move the peak of the dot product to another offset, and with rotary positions " +
			"scores depend only on the offset.",
		Expected: fmt.Sprintf("each printed formula is evaluated on the position embeddings of the forward pass: "+
			"corrected if a formula does not do what its slide says (it is off by more than %g, beyond the rounding "+
			"of its printed digits) and a formula given in its place does; fails if a correct formula, printed or "+
			"given in place of another, is off by more than %g", misprinted, exact),
		RuleCommit: "4cd4cfe", ChangedAfterResult: true,
		Test: claim.Steps[workedThrough]{
			Measure: measurePositions, Judge: workedThrough.judge,
			Tabulate: workedThrough.tabulate, Draw: workedThrough.draw,
		}.Test,
	}
}

// formula is a printed formula that was worked through.
type formula struct {
	slide, printed string
	right          string  // a formula that does what the slide says; empty if the printed formula does
	counter        string  // the smallest counterexample to the printed formula
	off            float64 // the printed formula's error at the counterexample, beyond its rounding
	left           float64 // largest error of the correct formula in all cases tried

	instead *claim.Effect // the measured value, compared with the printed value; nil if the printed formula is correct
}

// correct reports whether the printed formula does what its slide says.
func (f formula) correct() bool { return f.off <= misprinted }

// found returns the measured value and the printed one, in parentheses, or "" if the
// printed formula is correct.
func (f formula) found() string {
	if f.instead == nil {
		return ""
	}
	return fmt.Sprintf(" (%.2g, %s %g)", f.instead.Estimate, f.instead.Document.What, f.instead.Document.Value)
}

// workedThrough holds the measurements of S8.
type workedThrough struct {
	formulas []formula
	peaked   peaked
}

func measurePositions(context.Context, *claim.Study) (workedThrough, error) {
	var m workedThrough
	for _, work := range []func() (formula, error){
		sinusoidDefinition, relativeShift, dotProduct, uniquePositions, rotatedKeys,
		printedRotation, belowOneOtherwise, m.peaked.attention,
		rotationsCompose, rotaryScores, rotaryExample,
	} {
		f, err := work()
		if err != nil {
			return m, err
		}
		m.formulas = append(m.formulas, f)
	}
	return m, nil
}

func (m workedThrough) judge() claim.Finding {
	left := 0.0
	var misprints []string
	var instead *claim.Effect
	for _, f := range m.formulas {
		left = larger(left, f.left)
		if !f.correct() {
			misprints = append(misprints, f.slide+": "+f.printed+f.found())
			if instead == nil {
				instead = f.instead
			}
		}
	}
	if !(left <= math.MaxFloat64) {
		left = math.MaxFloat64 // a report refuses NaN and infinity
	}
	found := claim.Finding{
		Verdict: claim.Holds, Effect: claim.Exactly("largest difference from a printed formula", "", left),
		Obtained: fmt.Sprintf("%d of %d printed formulas are correct; correct formulas are off by at most %.1g",
			len(m.formulas)-len(misprints), len(m.formulas), left),
	}
	switch {
	case !(left <= exact):
		found.Verdict = claim.Fails
	case len(misprints) > 0:
		found.Verdict = claim.Corrected
		if instead != nil {
			found.Effect = instead
		}
		found.Obtained += "; these do not do what their slide says: " + strings.Join(misprints, "; ")
	}
	return found
}

func (m workedThrough) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "the printed formulas",
		Columns: []string{
			"slide", "printed", "correct", "correct formula", "counterexample", "error", "error of the correct formula",
		},
	}
	for _, f := range m.formulas {
		does, off := "yes", ""
		if !f.correct() {
			does, off = "no", fmt.Sprintf("%.2g", f.off)
		}
		table.Rows = append(table.Rows, []string{
			f.slide, f.printed, does, f.right, f.counter, off, fmt.Sprintf("%.1g", f.left),
		})
	}
	c.Tables = append(c.Tables, table, sharpness())
	c.Notes = append(
		c.Notes,
		"W_K of “Peaked Attention” is the matrix of “Relative Shifts”, which shifts pairs (sin, cos). This slide "+
			"stacks (cos, sin), which the matrix turns the other way. The matrix would be right for row vectors, "+
			"k_j = p_jW_K, as on the slide on RoPE; but “Self-Attention: The Core Idea” has k_j = W_K·h_j.",
		"“Rotates each (sin, cos) pair by angle τω_k” is true of the matrix of “Relative Shifts”, which turns the "+
			"pair clockwise. The matrix R(τ) of the slide on RoPE turns the pair counterclockwise, and would put "+
			"the peak at i−j = −τ.",
		fmt.Sprintf("λ_max ≈ 2π·10000 holds for wide embeddings: λ_max is 2π·%.0f for the d = 64 of the homework, and "+
			"2π·%.0f for the d = 8 of the plotted kernels.", longestWave(64), longestWave(8)),
		"The forward pass has sinusoidal positions as the lecture defines them. With rotary positions, its plane k "+
			"consists of coordinates k and k + d/2 of a head, as in GPT-NeoX; the lecture's plane k consists of "+
			"coordinates 2k and 2k+1. No score depends on this permutation of coordinates.",
	)
}

// longestWave returns λ_max/2π for position embeddings of width d.
func longestWave(d int) float64 { return math.Pow(10000, 1-2/float64(d)) }
