package coin

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
)

// Constants of C4. Its rule uses rampError, the error allowed inside the range of the
// table of method 1; rampCounts, the largest count in that range; and rampBeyond, a count
// outside it at which errors are compared. The laboratory's own stricter question is
// whether the number of ramps is at most 1/rampPart of the table's number of neurons.
const (
	rampPart   = 4
	rampError  = 0.01
	rampCounts = 1023
	rampBeyond = 2*rampCounts + 1
)

// rampMethod is C4: Gemini 2025, Sec. 7.2.
func rampMethod() claim.Row {
	return texts.Fill(claim.Row{
		ID: "C4", Kind: claim.Order, Severity: claim.Consequential, RuleCommit: "079810e", ChangedAfterResult: true,
		First: claim.FirstBy("205eab8", ramps.first),
		Test: claim.Steps[ramps]{
			Measure: measureRamps, Judge: ramps.judge, Tabulate: ramps.tabulate, Draw: ramps.draw,
		}.Test,
	}, map[string]any{"counts": rampCounts, "beyond": rampBeyond, "error": rampError})
}

// ramps holds the curves that approximate log(1+x).
type ramps struct {
	table     logCurve // of method 1, corrected
	printed   logCurve // of method 2
	corrected []logCurve
	chosen    logCurve // the corrected curve that the rule judges
}

// logCurve is the size and the error of a curve that approximates log(1+x).
type logCurve struct {
	name           string
	neurons        int
	inside, beyond float64 // largest error at 0 … rampCounts; error at rampBeyond
}

func measureRamps(context.Context, *claim.Study) (ramps, error) {
	m := ramps{
		table:   measureCurve("1, corrected: table", craft.LogTable(rampCounts)),
		printed: measureCurve("2, as printed: a ramp at every half-integer", craft.PrintedRamps(rampCounts)),
	}
	for _, target := range []float64{0.3, 0.1, 0.03, rampError, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6} {
		curve := measureCurve(fmt.Sprintf("2, corrected: error ≤ %g", target), craft.LogRamps(rampCounts, target))
		m.corrected = append(m.corrected, curve)
		if target == rampError {
			m.chosen = curve
		}
	}
	return m, nil
}

func measureCurve(name string, curve craft.Curve) logCurve {
	return logCurve{name, len(curve.Ramps), curveError(curve, 0, rampCounts), curveError(curve, rampBeyond, rampBeyond)}
}

func (m ramps) judge() claim.Finding {
	return claim.Finding{
		Verdict: asPrinted(m.better(m.printed), m.better(m.chosen)),
		Obtained: fmt.Sprintf("as printed: %d ramps, error %.1g inside the table's range and %.2g at 2047; "+
			"corrected: %d ramps, error %.2g inside that range and %.2g at 2047; the table: %d neurons, error %.2g "+
			"at 2047",
			m.printed.neurons, m.printed.inside, m.printed.beyond,
			m.chosen.neurons, m.chosen.inside, m.chosen.beyond, m.table.neurons, m.table.beyond),
		Effect: claim.Exactly(
			fmt.Sprintf("error of log(1+x) at %d, ramps as printed", rampBeyond), "", m.printed.beyond,
		).Against("method 1's table", m.table.beyond),
		Asked: []claim.Question{m.few()},
	}
}

// better reports whether a curve does better than the table by the rule of C4: it has
// fewer neurons, an error of at most rampError inside the table's range, and a smaller
// error beyond.
func (m ramps) better(c logCurve) bool {
	return c.neurons < m.table.neurons && c.inside <= rampError+equal && c.beyond < m.table.beyond
}

// first is the rule as first committed: few neurons were part of it.
func (m ramps) first() claim.Finding {
	good := func(c logCurve) bool { return rampPart*c.neurons <= m.table.neurons && m.better(c) }
	found := m.judge()
	found.Verdict = asPrinted(good(m.printed), good(m.chosen))
	return found
}

// few asks whether the corrected ramps need at most 1/rampPart of the table's neurons.
func (m ramps) few() claim.Question {
	return claim.Question{
		Question: fmt.Sprintf("Are %s of the table's neurons enough for the corrected ramps? (our question: saving a "+
			"single neuron is hardly “more parameter-efficient”)", numerals.OneIn(rampPart)),
		Answer:   claim.AnswerIf(rampPart*m.chosen.neurons <= m.table.neurons),
		Obtained: fmt.Sprintf("%d of %d", m.chosen.neurons, m.table.neurons),
	}
}

func (m ramps) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: fmt.Sprintf("approximations of log(1+x) for x = 0 … %d, and beyond", rampCounts),
		Columns: []document.Column{
			{Heading: "method"},
			{Heading: "neurons"},
			{Heading: "largest error inside", Format: "%.2g"},
			{Heading: fmt.Sprintf("error at %d", rampBeyond), Format: "%.2g"},
		},
	}
	for _, of := range append([]logCurve{m.table, m.printed}, m.corrected...) {
		f.Row(of.name, of.neurons, of.inside, of.beyond)
	}
	c.Tables = append(c.Tables, f.Table())
}

// leastShown replaces smaller errors in the figure, whose axis is logarithmic, and in the
// data file.
const leastShown = 1e-16

func (m ramps) draw(out *claim.Output) {
	inside, beyond := figure.Series{Name: "inside"}, figure.Series{Name: "at 2047"}
	f := document.Frame{Columns: document.Named("neurons", "error_inside", "error_at_2047")}
	for _, c := range m.corrected {
		least := max(c.inside, leastShown)
		inside.Add(float64(c.neurons), least)
		beyond.Add(float64(c.neurons), c.beyond)
		f.Row(c.neurons, least, c.beyond)
	}
	chart := figure.Chart{
		X: figure.Axis{Label: "neurons", Log: true}, Y: figure.Axis{Label: "error of log(1+x)", Log: true},
		Series: []figure.Series{inside, beyond},
		Refs: []figure.Ref{
			{Label: "table at 2047", Value: m.table.beyond},
			{Label: "table's neurons", Value: float64(m.table.neurons), Vertical: true},
		},
	}
	out.Figure("ramps", figure.Single("Ramps that approximate a logarithm",
		"Two curves on logarithmic axes: the error inside the table's range falls with the square of the number of "+
			"ramps; the error at 2047 hardly falls.", chart))
	out.CSV("ramps", f)
}
