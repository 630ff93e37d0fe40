package coin

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
)

const (
	tableCounts = 63   // the largest count in the table of C3
	tableError  = 1e-6 // bound on the error of the probability of heads
	shownCount  = 20   // the figure shows the neurons that indicate this count
)

// tableMethod is C3: Gemini 2025, Sec. 7.1.
func tableMethod() claim.Row {
	return texts.Fill(claim.Row{
		ID: "C3", Kind: claim.Number, Severity: claim.Consequential,
		RuleCommit: "079810e", ChangedAfterResult: true, Work: 1_500,
		First: claim.FirstBy("205eab8", tables.judge),
		Test: claim.Steps[tables]{
			Measure: measureTables, Judge: tables.judge, Tabulate: tables.tabulate, Draw: tables.draw,
		}.Test,
	}, map[string]any{
		"equal": numerals.Scientific(equal), "error": numerals.Scientific(tableError), "counts": tableCounts,
		"shown": shownCount,
	})
}

// tables holds the lookup table as printed and as corrected.
type tables struct{ printed, corrected lookup }

// lookup is the size and the errors of a table.
type lookup struct {
	neurons     int
	indicator   float64 // largest error of the neurons that indicate a count
	curve       float64 // largest error of the table as an approximation of log(1+x)
	probability float64 // largest error of the probability of heads
}

// good reports whether a table does what the document claims.
func (l lookup) good() bool { return l.indicator <= equal && l.probability <= tableError }

func bump(count int) craft.Curve { return craft.Bump(float64(count), 1) }

func measureTables(context.Context, *claim.Study) (m tables, err error) {
	if m.printed, err = measureLookup(craft.PrintedTable(tableCounts), craft.PrintedIndicator); err != nil {
		return m, err
	}
	m.corrected, err = measureLookup(craft.LogTable(tableCounts), bump)
	return m, err
}

func measureLookup(table craft.Curve, indicator func(count int) craft.Curve) (lookup, error) {
	off, err := methodError(table, tableCounts)
	return lookup{
		neurons: len(table.Ramps), indicator: indicatorError(indicator),
		curve: curveError(table, 0, tableCounts), probability: off,
	}, err
}

// indicatorError returns the largest error, over all counts in the table, of the curves
// that should be 1 at their own count and 0 at other counts.
func indicatorError(indicator func(count int) craft.Curve) float64 {
	worst := 0.0
	for count := range tableCounts + 1 {
		curve := indicator(count)
		for x := range tableCounts + 1 {
			want := 0.0
			if x == count {
				want = 1
			}
			worst = max(worst, math.Abs(curve.At(float64(x))-want))
		}
	}
	return worst
}

// methodError returns the largest error of the probability of heads, over all H, T ≤ n,
// of a model whose MLP uses the given curve for log(1+x).
func methodError(log craft.Curve, n int) (float64, error) {
	m, err := craft.CoinMethod(log, 2*n+1)
	if err != nil {
		return 0, err
	}
	worst := 0.0
	for heads := range n + 1 {
		for tails := range n + 1 {
			p := model.Probabilities(craft.SimplifiedLogits(m, heads, tails))[1]
			worst = max(worst, math.Abs(p-float64(1+heads)/float64(2+heads+tails)))
		}
	}
	return worst, nil
}

// curveError returns the largest error of a curve that approximates log(1+x), over the
// whole numbers x with from ≤ x ≤ to.
func curveError(curve craft.Curve, from, to int) float64 {
	worst := 0.0
	for x := from; x <= to; x++ {
		worst = max(worst, math.Abs(curve.At(float64(x))-math.Log1p(float64(x))))
	}
	return worst
}

func (m tables) judge() claim.Finding {
	found := claim.Finding{
		Verdict: asPrinted(m.printed.good(), m.corrected.good()),
		Obtained: fmt.Sprintf("largest error of the probability of heads: %.2g as printed, %.2g corrected",
			m.printed.probability, m.corrected.probability),
		Effect: claim.Exactly("largest error of the probability of heads, as printed", "", m.printed.probability).
			Against("corrected", m.corrected.probability),
		Conditions: []claim.Condition{
			tableCondition("a pair of neurons indicates a count", m.printed.indicator, m.corrected.indicator, equal),
			tableCondition("the table predicts", m.printed.probability, m.corrected.probability, tableError),
		},
	}
	switch found.Verdict {
	case claim.Holds:
		found.Obtained = fmt.Sprintf("the printed table's predictions are within %.1e of the posterior's",
			m.printed.probability)
	case claim.Corrected:
		found.Obtained = fmt.Sprintf("the printed pair ReLU(x−h+½) − ReLU(x−h−½) is a step: 0 below h, ½ at h and 1 "+
			"above. The table is therefore off by up to %.2g, and the probability by up to %.2g. With three neurons "+
			"an indicator is exact, and the table of %d neurons predicts within %.1e",
			m.printed.curve, m.printed.probability, m.corrected.neurons, m.corrected.probability)
	}
	return found
}

// tableCondition returns the verdict on one of the two things that the table should do.
// It takes the largest errors as printed and as corrected, and the largest error allowed.
func tableCondition(name string, printed, corrected, bound float64) claim.Condition {
	return claim.Condition{
		Name: name, Verdict: asPrinted(printed <= bound, corrected <= bound), Converged: true,
		Obtained: fmt.Sprintf("largest error %.2g as printed, %.1e corrected", printed, corrected),
		Effect:   claim.Exactly("largest error, as printed", "", printed).Against("corrected", corrected),
	}
}

func (m tables) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: fmt.Sprintf("for counts up to %d, on the document's simplified input", tableCounts),
		Columns: document.Headed("", "", "largest error as an indicator", "largest error of the table's log(1+x)",
			"neurons", "largest error of the probability of heads"),
	}
	m.printed.addTo(&f, "as printed", "%.2g")
	m.corrected.addTo(&f, "corrected", "%.1e")
	c.Tables = append(c.Tables, f.Table())
}

// addTo adds the table's row to a frame, with errors in the given format.
func (l lookup) addTo(f *document.Frame, name, format string) {
	cell := func(x float64) document.Formatted { return document.Formatted{Format: format, Value: x} }
	f.Row(name, cell(l.indicator), cell(l.curve), l.neurons, cell(l.probability))
}

// draw shows the curves that should be 1 at shownCount and 0 at other counts: at whole
// and half numbers up to 4 from it in the figure, and at all counts in the data file.
func (m tables) draw(out *claim.Output) {
	printed, corrected := craft.PrintedIndicator(shownCount), bump(shownCount)
	out.CSV("table", atCounts(printed, corrected))
	pair, indicator := figure.Series{Name: "as printed"}, figure.Series{Name: "corrected"}
	for at := shownCount - 4.0; at <= shownCount+4; at += 0.5 {
		pair.Add(at, printed.At(at))
		indicator.Add(at, corrected.At(at))
	}
	out.Figure("indicator", figure.Single("An indicator that is a step",
		"Two curves from 16 to 24: the printed one rises from 0 to 1 and stays there; the other is a triangle at 20.",
		figure.Chart{
			X: figure.Axis{Label: "count"}, Y: figure.Axis{Label: "output"},
			Series: []figure.Series{pair, indicator},
		}))
}

// atCounts returns both indicators of shownCount, both tables and what they approximate,
// at each count.
func atCounts(printed, corrected craft.Curve) document.Frame {
	f := document.Frame{Columns: document.Named(
		"count", "printed_indicator_of_20", "indicator_of_20", "printed_table", "table", "log_1_plus_count",
	)}
	printedTable, table := craft.PrintedTable(tableCounts), craft.LogTable(tableCounts)
	for count := range tableCounts + 1 {
		at := float64(count)
		f.Row(count, printed.At(at), corrected.At(at), printedTable.At(at), table.At(at), math.Log1p(at))
	}
	return f
}
