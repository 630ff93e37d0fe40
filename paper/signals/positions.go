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
	return texts.Fill(claim.Row{
		ID: "S8", Kind: claim.Formula, Severity: claim.Local,
		RuleCommit: "53eb8b9", ChangedAfterResult: true,
		Test: claim.Steps[workedThrough]{
			Measure: measurePositions, Judge: workedThrough.judge,
			Tabulate: workedThrough.tabulate, Draw: workedThrough.draw,
		}.Test,
	}, map[string]any{
		"misprinted": misprinted, "exact": exact, "homework": longestWave(64), "plotted": longestWave(8),
		"offset": sharpOffset, "sources": triedLength, "width": sharpWidth,
	})
}

// formula is a printed formula that was worked through.
type formula struct {
	slide, printed string
	right          string  // a formula that does what the slide says; empty if the printed formula does
	condition      string  // a condition that the slide leaves out, and under which the formula does
	counter        string  // the smallest counterexample to the printed formula, or without the condition
	off            float64 // the printed formula's error, beyond its rounding; where the condition is met
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
		printedRotation, belowOneOtherwise, m.peaked.attention, withoutPositions,
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
	var misprints, conditions []string
	var instead *claim.Effect
	for _, f := range m.formulas {
		left = larger(left, f.left)
		if !f.correct() {
			misprints = append(misprints, f.slide+": "+f.printed+f.found())
			if instead == nil {
				instead = f.instead
			}
		}
		if f.condition != "" {
			conditions = append(conditions, f.slide+": "+f.printed+", "+f.condition)
		}
	}
	if !(left <= math.MaxFloat64) {
		left = math.MaxFloat64 // a report refuses NaN and infinity
	}
	found := claim.Finding{
		Verdict: claim.Holds, Effect: claim.Exactly("largest difference from a printed formula", "", left),
		Obtained: fmt.Sprintf("correct formulas are off by at most %.1g", left),
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
	if len(conditions) > 0 {
		found.Obtained += "; correct on a condition that is not printed: " + strings.Join(conditions, "; ")
	}
	return found
}

func (m workedThrough) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "the printed formulas",
		Columns: []document.Column{
			{Heading: "slide"},
			{Heading: "printed"},
			{Heading: "correct", Codes: []string{"no", "yes"}},
			{Heading: "correct formula, or the condition that is not printed"},
			{Heading: "counterexample"},
			{Heading: "error", Format: "%.2g"},
			{Heading: "error of the correct formula", Format: "%.1g"},
		},
	}
	for _, of := range m.formulas {
		var off any = ""
		if !of.correct() {
			off = of.off
		}
		f.Row(of.slide, of.printed, of.correct(), of.right+of.condition, of.counter, off, of.left)
	}
	c.Tables = append(c.Tables, f.Table(), sharpness().Table())
}

// longestWave returns λ_max/2π for position embeddings of width d.
func longestWave(d int) float64 { return math.Pow(10000, 1-2/float64(d)) }
