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
	return claim.Row{
		ID: "C3", Kind: claim.Number, Source: cite + "Sec. 7.1",
		Quote: "“The activity ReLU(H − h + 0.5) − ReLU(H − h − 0.5) is approximately 1 if H = h and 0 otherwise for " +
			"integer H.” (Sec. 7.1.1) “The final logits are a linear combination of the rows of W_out, which " +
			"effectively selects and sums the appropriate log values, yielding the desired output [log(1 + T), " +
			"log(1 + H), −2C].” (Sec. 7.1.2; " + derived + ").",
		Statement: "Method 1: pairs of neurons that indicate a count, and a lookup table, give log(1+H) and " +
			"log(1+T), and from these the posterior predictive.",
		Expected: fmt.Sprintf("each printed pair of neurons is 1 at its count and 0 at other counts within %s, and "+
			"the table's probability of heads is within %s of the posterior's for all H, T ≤ %d, given the "+
			"simplified input H·e_H + T·e_T + N·e_N of the document; corrected if the printed table fails and the "+
			"corrected one passes",
			numerals.Scientific(equal), numerals.Scientific(tableError), tableCounts),
		RuleCommit: "079810e", ChangedAfterResult: true, Work: 1_500,
		Test: claim.Steps[tables]{
			Measure: measureTables, Judge: tables.judge, Tabulate: tables.tabulate, Draw: tables.draw,
		}.Test,
	}
}

// tables holds the lookup table as printed and as corrected.
type tables struct {
	printed, corrected lookup

	counts  [][]float64 // (counts, 6): see atCounts; for the data file
	between indicators  // the curves near shownCount, for the figure
}

// lookup is the size and the errors of a table.
type lookup struct {
	neurons     int
	indicator   float64 // largest error of the neurons that indicate a count
	curve       float64 // largest error of the table as an approximation of log(1+x)
	probability float64 // largest error of the probability of heads
}

// good reports whether a table does what the document claims.
func (l lookup) good() bool { return l.indicator <= equal && l.probability <= tableError }

// indicators holds the printed and the corrected curve that should be 1 at shownCount and
// 0 at other counts, at the points x.
type indicators struct{ x, printed, corrected []float64 }

func bump(count int) craft.Curve { return craft.Bump(float64(count), 1) }

func measureTables(context.Context, *claim.Study) (m tables, err error) {
	m.counts, m.between = atCounts(), betweenCounts()
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

// atCounts returns a row for each count: the count, the printed and the corrected
// indicator of shownCount, the printed and the corrected table, and log(1 + count).
func atCounts() (rows [][]float64) {
	pair, right := craft.PrintedIndicator(shownCount), bump(shownCount)
	printed, table := craft.PrintedTable(tableCounts), craft.LogTable(tableCounts)
	for count := range tableCounts + 1 {
		at := float64(count)
		rows = append(rows, []float64{at, pair.At(at), right.At(at), printed.At(at), table.At(at), math.Log1p(at)})
	}
	return rows
}

// betweenCounts returns the printed and the corrected indicator of shownCount, at whole
// and half numbers up to 4 from it.
func betweenCounts() (c indicators) {
	pair, right := craft.PrintedIndicator(shownCount), bump(shownCount)
	for at := shownCount - 4.0; at <= shownCount+4; at += 0.5 {
		c.x = append(c.x, at)
		c.printed = append(c.printed, pair.At(at))
		c.corrected = append(c.corrected, right.At(at))
	}
	return c
}

func (m tables) judge() claim.Finding {
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("largest error of the probability of heads: %.2g as printed, %.2g corrected",
			m.printed.probability, m.corrected.probability),
		Effect: claim.Exactly("largest error of the probability of heads, as printed", "", m.printed.probability).
			Against("corrected", m.corrected.probability),
		Conditions: []claim.Condition{
			tableCondition("a pair of neurons indicates a count", m.printed.indicator, m.corrected.indicator, equal),
			tableCondition("the table predicts", m.printed.probability, m.corrected.probability, tableError),
		},
	}
	switch {
	case m.printed.good():
		found.Verdict = claim.Holds
		found.Obtained = fmt.Sprintf("the printed table's predictions are within %.1e of the "+
			"posterior's", m.printed.probability)
	case m.corrected.good():
		found.Verdict = claim.Corrected
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
	c := claim.Condition{
		Name: name, Verdict: claim.Fails, Converged: true,
		Obtained: fmt.Sprintf("largest error %.2g as printed, %.1e corrected", printed, corrected),
		Effect:   claim.Exactly("largest error, as printed", "", printed).Against("corrected", corrected),
	}
	switch {
	case printed <= bound:
		c.Verdict = claim.Holds
	case corrected <= bound:
		c.Verdict = claim.Corrected
	}
	return c
}

func (m tables) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: fmt.Sprintf("for counts up to %d, on the document's simplified input", tableCounts),
		Columns: []string{
			"", "largest error as an indicator", "largest error of the table's log(1+x)", "neurons",
			"largest error of the probability of heads",
		},
		Rows: [][]string{m.printed.row("as printed", "%.2g"), m.corrected.row("corrected", "%.1e")},
	}
	c.Tables = append(c.Tables, table, misprintsOfTable())
	c.Notes = append(c.Notes, "The document simplifies the MLP's input to H·e_H + T·e_T + N·e_N, which its head "+
		"cannot compute (a product of two activations). This row supplies that input directly; C5 does not need it.")
}

// row returns the cells of a table's row, with errors in the given format.
func (l lookup) row(name, format string) []string {
	return []string{
		name, fmt.Sprintf(format, l.indicator), fmt.Sprintf(format, l.curve), fmt.Sprint(l.neurons),
		fmt.Sprintf(format, l.probability),
	}
}

func misprintsOfTable() document.Table {
	return claim.Errata("misprints in Sec. 7 and 7.1 (each has a test in craft/coin_printed_test.go)",
		[]string{
			"Sec. 7", "the MLP's input is H·e_H + T·e_T + N·e_N", "it is Eq. 15, with fractions and the last token",
			"H is a product of two activations, H/(N+1) and N+1; from Eq. 15, the corrected table reads 3/2 after " +
				"“BOS, heads” and gives the log-odds ½·log 6 instead of log 2",
		},
		[]string{
			"Sec. 7.1.1", "the pair is about 1 if H = h and 0 otherwise", "½ if H = h, 1 if H > h",
			"the difference of two ramps half a unit before and after h is a step",
		},
		[]string{
			"Sec. 7.1.1–2", "the hidden layer is one-hot, and “the indicator neuron” has one row of W_out",
			"an indicator takes three neurons, h−1, h and h+1, and three rows",
			"an indicator has the second differences 1, −2, 1; a ramp's have one sign",
		},
		[]string{
			"Sec. 7.1.2", "only two neurons are active, so BOS has the logit −2C",
			"with the pairs as printed, it is −(H+T+1)·C",
			"each pair below the count is 1, and the pair at the count is ½",
		},
		[]string{
			"Eq. 16–17", "W_out is d_mlp × d_vocab", "d_mlp × d_model, and the logits need separate directions",
			"e_T, e_H and e_BOS hold the last token (Eq. 15), and W_U = W_Eᵀ adds it; CoinMethod has d_model 7",
		})
}

func (m tables) draw(out *claim.Output) {
	out.CSV("table", document.Numbers([]string{
		"count", "printed_indicator_of_20", "indicator_of_20", "printed_table", "table", "log_1_plus_count",
	}, m.counts))
	chart := figure.Chart{
		X: figure.Axis{Label: "count"}, Y: figure.Axis{Label: "output"},
		Series: []figure.Series{
			{Name: "as printed", X: m.between.x, Y: m.between.printed},
			{Name: "corrected", X: m.between.x, Y: m.between.corrected},
		},
	}
	out.Captioned("indicator", "The printed pair of neurons for h = 20, and an indicator with three neurons, which "+
		"among whole numbers is 1 at 20 and 0 elsewhere.",
		figure.Single("An indicator that is a step",
			"Two curves from 16 to 24: the printed one rises from 0 to 1 and stays there; the other is a triangle at "+
				"20.", chart))
}
