package paper

import (
	"fmt"
	"math"

	"foretell/craft"
	"foretell/figure"
	"foretell/model"
)

// testTableMethod is C3.
func testTableMethod(s *Study, c *Claim) error {
	const n = 63
	indicator := func(curve func(h int) craft.Curve) float64 {
		worst := 0.0
		for h := range n + 1 {
			at := curve(h)
			for x := range n + 1 {
				want := 0.0
				if x == h {
					want = 1
				}
				worst = max(worst, math.Abs(at.At(float64(x))-want))
			}
		}
		return worst
	}
	printedPair := indicator(craft.PrintedIndicator)
	bump := indicator(func(h int) craft.Curve { return craft.Bump(float64(h), 1) })
	printed, err := methodError(craft.PrintedTable(n), n)
	if err != nil {
		return err
	}
	corrected, err := methodError(craft.LogTable(n), n)
	if err != nil {
		return err
	}
	c.Tables = append(c.Tables, Table{
		Title:   "for counts up to 63, on the seed's simplified input",
		Columns: []string{"", "as an indicator: largest error", "log(1+x) by the table: largest error", "neurons", "probability of heads: largest error"},
		Rows: [][]string{
			{"as printed", fmt.Sprintf("%.2g", printedPair), fmt.Sprintf("%.2g", curveError(craft.PrintedTable(n), 0, n)), fmt.Sprint(len(craft.PrintedTable(n).Ramps)), fmt.Sprintf("%.2g", printed)},
			{"corrected", fmt.Sprintf("%.1e", bump), fmt.Sprintf("%.1e", curveError(craft.LogTable(n), 0, n)), fmt.Sprint(len(craft.LogTable(n).Ramps)), fmt.Sprintf("%.1e", corrected)},
		},
	})
	c.Tables = append(c.Tables, errata("what is misprinted in Sec. 7 and 7.1 (each with its test in craft/coin_printed_test.go)",
		[]string{"Sec. 7", "the MLP's input is H·e_H + T·e_T + N·e_N", "it is Eq. 15, with fractions and the last token", "H is a product of two activations, H/(N+1) and N+1; from Eq. 15 the corrected table reads 3/2 after BOS, heads and gives the log-odds ½·log 6 instead of log 2"},
		[]string{"Sec. 7.1.1", "the pair is about 1 if H = h and 0 otherwise", "½ if H = h, 1 if H > h", "the difference of two ramps half a unit before and after h is a step"},
		[]string{"Sec. 7.1.1–2", "the hidden layer is one-hot, and “the indicator neuron” has one row of W_out", "an indicator takes three neurons, h−1, h and h+1, and three rows", "second differences 1, −2, 1; those of a ramp have one sign"},
		[]string{"Sec. 7.1.2", "only two neurons are active, so that BOS has the logit −2C", "by the pairs as printed −(H+T+1)·C", "each pair below the count is 1, the pair of the count ½"},
		[]string{"Eq. 16–17", "W_out is d_mlp × d_vocab", "d_mlp × d_model, and logits need directions of their own", "e_T, e_H and e_BOS hold the last token (Eq. 15), and W_U = W_Eᵀ adds it; CoinMethod has d_model 7"},
	))
	switch {
	case printedPair <= equal && printed <= 1e-6:
		c.Verdict, c.Obtained = Holds, fmt.Sprintf("the printed table's predictions are within %.1e", printed)
	case bump <= equal && corrected <= 1e-6:
		c.Verdict = Corrected
		c.Obtained = fmt.Sprintf("the printed pair ReLU(x−h+½) − ReLU(x−h−½) is a step, 0 below h, ½ at h and 1 above, so that the table is off by up to %.2g and the probability by up to %.2g; "+
			"with three neurons an indicator is exact, and the table of %d neurons predicts to %.1e", curveError(craft.PrintedTable(n), 0, n), printed, len(craft.LogTable(n).Ramps), corrected)
	default:
		c.Verdict, c.Obtained = Fails, fmt.Sprintf("off by %.2g as printed, %.2g corrected", printed, corrected)
	}
	c.Notes = append(c.Notes, "The seed simplifies the MLP's input to H·e_H + T·e_T + N·e_N, which its head cannot make (a product of two activations). This row puts that input there; C5 needs no such help.")
	var x, pair, right []float64 // at the vertices and between
	for at := 16.0; at <= 24; at += 0.5 {
		x, pair, right = append(x, at), append(pair, craft.PrintedIndicator(20).At(at)), append(right, craft.Bump(20, 1).At(at))
	}
	var rows [][]float64
	for count := range n + 1 {
		at := float64(count)
		rows = append(rows, []float64{at, craft.PrintedIndicator(20).At(at), craft.Bump(20, 1).At(at), craft.PrintedTable(n).At(at), craft.LogTable(n).At(at), math.Log1p(at)})
	}
	if err := s.addCSV(c, "table", []string{"count", "printed_indicator_of_20", "indicator_of_20", "printed_table", "table", "log_1_plus_count"}, rows); err != nil {
		return err
	}
	return s.addFigure(c, "indicator", "The printed pair of neurons for h = 20, and an indicator of three neurons: at whole numbers it is 1 at 20 and 0 elsewhere.", &figure.Figure{
		Title: "An indicator that is a step",
		Desc:  "Two curves over 16 to 24: the printed one rises from 0 to 1 and stays there, the other is a triangle at 20.",
		Panels: [][]figure.Panel{{figure.Chart{
			X: figure.Axis{Label: "count"}, Y: figure.Axis{Label: "output"},
			Series: []figure.Series{{Name: "as printed", X: x, Y: pair}, {Name: "corrected", X: x, Y: right}},
		}}},
	})
}

// methodError is the largest error of the probability of heads, for all H, T ≤ n,
// of a model whose MLP takes log for log(1+x).
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

// curveError is the largest error of a curve that stands for log(1+x) over whole
// numbers from … to.
func curveError(curve craft.Curve, from, to int) float64 {
	worst := 0.0
	for x := from; x <= to; x++ {
		worst = max(worst, math.Abs(curve.At(float64(x))-math.Log1p(float64(x))))
	}
	return worst
}

// testRampMethod is C4.
func testRampMethod(s *Study, c *Claim) error {
	const n = 1023
	table := craft.LogTable(n)
	printed := craft.PrintedRamps(n)
	result := Table{Title: "log(1+x) for x = 0 … 1023, and beyond", Columns: []string{"method", "neurons", "largest error inside", "error at 2047"}}
	row := func(name string, curve craft.Curve) (neurons int, inside, beyond float64) {
		neurons, inside, beyond = len(curve.Ramps), curveError(curve, 0, n), curveError(curve, 2*n+1, 2*n+1)
		result.Rows = append(result.Rows, []string{name, fmt.Sprint(neurons), fmt.Sprintf("%.2g", inside), fmt.Sprintf("%.2g", beyond)})
		return
	}
	tableNeurons, _, tableBeyond := row("1, corrected: table", table)
	_, printedInside, printedBeyond := row("2, as printed: a ramp each half integer", printed)
	var x, inside, beyond []float64
	chosen, chosenInside, chosenBeyond := 0, math.Inf(1), math.Inf(1)
	for _, target := range []float64{0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6} {
		neurons, in, out := row(fmt.Sprintf("2, corrected: error ≤ %g", target), craft.LogRamps(n, target))
		x, inside, beyond = append(x, float64(neurons)), append(inside, max(in, 1e-16)), append(beyond, out)
		if target == 0.01 {
			chosen, chosenInside, chosenBeyond = neurons, in, out
		}
	}
	c.Tables = append(c.Tables, result)
	c.Obtained = fmt.Sprintf("as printed: error %.1g inside, %.2g at 2047 with %d ramps; corrected: %d ramps, %.2g inside, %.2g at 2047; the table: %d neurons, %.2g at 2047",
		printedInside, printedBeyond, len(printed.Ramps), chosen, chosenInside, chosenBeyond, tableNeurons, tableBeyond)
	fits := func(neurons int, in, out float64) bool {
		return 4*neurons <= tableNeurons && in <= 0.01+equal && out < tableBeyond
	}
	switch {
	case fits(len(printed.Ramps), printedInside, printedBeyond):
		c.Verdict = Holds
	case fits(chosen, chosenInside, chosenBeyond):
		c.Verdict = Corrected
	default:
		c.Verdict = Fails
	}
	c.Tables = append(c.Tables, errata("what is misprinted in Sec. 7.2 (each with its test in craft/coin_printed_test.go)",
		[]string{"Sec. 7.2.1", "with biases −½, −1½, … each ramp starts at a different integer", "half way between two", "ReLU(H − ½) starts at ½"},
		[]string{"Sec. 7.2.2", "an approximation, with fewer parameters", "with those biases exact at the counts, with as many neurons as counts", "the slopes that it takes"},
	))
	c.Notes = append(c.Notes,
		"The biases are printed as an example (“e.g.”): “as printed” is the one reading that takes all of them, and has too many neurons for the rule whatever its coefficients; the statement by itself leaves room for the corrected ramps.",
		"The table's error at 2047 is that of 0, to which it falls beyond its range; one that stayed at its last value would be off by log 2.",
		"The printed biases −½, −1½, … put a ramp at every half integer: no fewer neurons than counts. There are coefficients without error at the whole numbers, but they alternate in sign and do not fade (Wallis's product), so that the curve leaves log(1+x) at once beyond the last ramp.",
		"Corrected: as few ramps as an error allows, with vertices where log(1+x) bends. Beyond the last, the curve goes on as a straight line, which a logarithm leaves: generalising is a matter of degree.")
	err := s.addFigure(c, "ramps", "Error of corrected ramps against their number, inside 0 … 1023 and at 2047. The lines are the table's neurons and its error at 2047, where it has nothing to say.", &figure.Figure{
		Title: "Ramps for a logarithm",
		Desc:  "Two curves on logarithmic axes: the error inside falls with the square of the number of ramps, the error at twice the length hardly falls.",
		Panels: [][]figure.Panel{{figure.Chart{
			X: figure.Axis{Label: "neurons", Log: true}, Y: figure.Axis{Label: "error of log(1+x)", Log: true},
			Series: []figure.Series{{Name: "inside", X: x, Y: inside}, {Name: "at 2047", X: x, Y: beyond}},
			Refs:   []figure.Ref{{Label: "table at 2047", Value: tableBeyond}, {Label: "table's neurons", Value: float64(tableNeurons), Vertical: true}},
		}}},
	})
	if err != nil {
		return err
	}
	var rows [][]float64
	for i := range x {
		rows = append(rows, []float64{x[i], inside[i], beyond[i]})
	}
	return s.addCSV(c, "ramps", []string{"neurons", "error_inside", "error_at_2047"}, rows)
}
