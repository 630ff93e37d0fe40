package paper

import (
	"fmt"
	"math"

	"foretell/craft"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// The residual stream of the printed model.
const (
	onTails, onHeads, onBOS, onPosition = 0, 1, 2, 3
	printedWidth                        = 4
)

// eachPosition runs m over BOS and every sequence of flips of a length, or over
// some sampled ones if there are more than that, and calls f for each position:
// the flips so far, the last token, and the row of an activation there.
func eachPosition(m *model.Transformer[float64], hook string, flips, sampled int, f func(heads, tails int, last int32, row []float64)) error {
	sequences := 1 << min(flips, 20)
	exhaustive := flips <= 12
	if !exhaustive {
		sequences = sampled
	}
	stream, T := random.New(1, "paper/flips"), flips+1
	w := model.NewWorkspace[float64](m.Config, 1)
	var data []float64
	w.HookNames = []string{hook}
	w.Hook = func(t model.Tensor[float64]) { data = t.Data }
	tokens := make([]int32, T)
	for s := range sequences {
		tokens[0] = process.BOS
		for i := 1; i < T; i++ {
			tokens[i] = int32(s >> (i - 1) & 1)
			if !exhaustive {
				tokens[i] = int32(stream.IntN(2))
			}
		}
		m.Forward(w, tokens, 1)
		heads := 0
		for i, token := range tokens {
			if i > 0 {
				heads += int(token)
			}
			f(heads, i-heads, token, data[i*printedWidth:(i+1)*printedWidth])
		}
	}
	return nil
}

// testPrintedHead is C1.
func testPrintedHead(s *Study, c *Claim) error {
	m, err := craft.PrintedCoin(1024)
	if err != nil {
		return err
	}
	const long = 1023
	worst, positions := 0.0, 0
	var shown [][]float64 // the first long sequence: N, heads, what the head writes on e_H and e_T, what Eq. 13 says
	check := func(heads, tails int, _ int32, out []float64) {
		n := float64(heads + tails + 1)
		want := [printedWidth]float64{onTails: float64(tails) / n, onHeads: float64(heads) / n}
		for k, x := range out {
			worst = max(worst, math.Abs(x-want[k]))
		}
		if len(shown) <= long {
			shown = append(shown, []float64{n - 1, float64(heads), out[onHeads], out[onTails], want[onHeads], want[onTails]})
		}
		positions++
	}
	if err := eachPosition(m, "blocks.0.hook_attn_out", long, 20, check); err != nil {
		return err
	}
	if err := eachPosition(m, "blocks.0.hook_attn_out", 12, 0, check); err != nil {
		return err
	}
	c.Verdict = Fails
	if worst <= equal {
		c.Verdict = Holds
	}
	c.Obtained = fmt.Sprintf("largest difference %.1e over %d positions", worst, positions)
	c.Notes = append(c.Notes, "Two matrix expressions around Eq. 13 do not fit their shapes, while the matrices are right: [e_T e_H]ᵀW'_V of Eq. 8 should be [e_T e_H]W'_V, and W_Oᵀz before Eq. 12 should be W_O·z.")
	if err := s.addFigure(c, "head", "What the printed head writes after N of 1023 sampled flips, as marks, and Eq. 13, as lines: the share of heads and of tails among N + 1 tokens.", headFigure(shown)); err != nil {
		return err
	}
	return s.addCSV(c, "head", []string{"flips", "heads", "out_heads", "out_tails", "eq13_heads", "eq13_tails"}, shown)
}

// headFigure draws the rows of C1's table at positions that grow by a fifth.
func headFigure(rows [][]float64) *figure.Figure {
	chart := figure.Chart{X: figure.Axis{Label: "flips + 1", Log: true}, Y: figure.Axis{Label: "head's output"}}
	for k, name := range []string{"e_H", "e_T"} {
		measured := figure.Series{Name: "on " + name, Color: k + 1, Dots: true}
		stated := figure.Series{Name: "Eq. 13", Color: k + 1, Open: true}
		for at := 1.0; at <= float64(len(rows)); at *= 1.2 {
			row := rows[int(at)-1]
			measured.X, measured.Y = append(measured.X, row[0]+1), append(measured.Y, row[2+k])
		}
		for _, row := range rows {
			stated.X, stated.Y = append(stated.X, row[0]+1), append(stated.Y, row[4+k])
		}
		chart.Series = append(chart.Series, measured, stated)
	}
	return figure.Single("The printed head counts", "Two curves over the number of flips, which begin at 0 and settle near a half, with marks on them.", chart)
}

// testPrintedBullets is C2.
func testPrintedBullets(s *Study, c *Claim) error {
	m, err := craft.PrintedCoin(13)
	if err != nil {
		return err
	}
	names := [3]string{"e_N carries N", "e_H carries H/(N+1)", "e_T carries T/(N+1)"}
	directions := [3]int{onPosition, onHeads, onTails}
	var worst, corrected [3]float64
	var wrong [3]int
	positions := 0
	var shown [][]float64 // one sequence: N, and for e_H and e_T what is there, the bullet, and Eq. 15
	const flips, sequence = 12, 0b101100111010
	err = eachPosition(m, "blocks.0.hook_resid_mid", flips, 0, func(heads, tails int, last int32, row []float64) {
		n := float64(heads + tails)
		stated := [3]float64{n, float64(heads) / (n + 1), float64(tails) / (n + 1)}
		own := [3]float64{0, 0, 0}
		if n > 0 {
			own[2-int(last)] = 1 // tails is token 0, heads 1
		}
		for k, direction := range directions {
			e := math.Abs(row[direction] - stated[k])
			worst[k], corrected[k] = max(worst[k], e), max(corrected[k], math.Abs(row[direction]-stated[k]-own[k]))
			if e > equal {
				wrong[k]++
			}
		}
		if positions/(flips+1) == sequence {
			shown = append(shown, []float64{n, row[onHeads], stated[1], stated[1] + own[1], row[onTails], stated[2], stated[2] + own[2]})
		}
		positions++
	})
	if err != nil {
		return err
	}
	table := Table{Title: "the bullets, over all positions of all sequences of 12 flips", Columns: []string{"bullet", "positions where it is wrong", "largest error", "largest error with the last token's own embedding"}}
	failing, allCorrected := 0, true
	for k, name := range names {
		table.Rows = append(table.Rows, []string{name, fmt.Sprintf("%d of %d", wrong[k], positions), fmt.Sprintf("%.2g", worst[k]), fmt.Sprintf("%.1e", corrected[k])})
		if worst[k] > equal {
			failing++
		}
		allCorrected = allCorrected && corrected[k] <= equal
	}
	c.Tables = append(c.Tables, table)
	switch {
	case failing == 0:
		c.Verdict, c.Obtained = Holds, "each bullet holds"
	case allCorrected:
		c.Verdict = Corrected
		c.Obtained = fmt.Sprintf("%d of the three bullets leave out the last token's own embedding, which Eq. 15 has: e_H carries H/(N+1) + [t_N = heads], e_T carries T/(N+1) + [t_N = tails]. After BOS, heads, e_H carries 3/2 instead of 1/2", failing)
	default:
		c.Verdict, c.Obtained = Fails, "neither the bullets nor Eq. 15 describe the residual stream"
	}
	c.Tables = append(c.Tables, errata("what else is misprinted up to Sec. 6 (each with its test in craft/coin_printed_test.go)",
		[]string{"Eq. 8", "[e_T e_H]ᵀW'_V", "[e_T e_H]W'_V", "the shapes; the matrix itself is right"},
		[]string{"before Eq. 12", "W_Oᵀz", "W_O·z", "the shapes; Eq. 13 then holds (C1)"},
		[]string{"Sec. 6", "mlp_out = l·(e_H − e_T)", "½·l·(e_H − e_T)", "the logits differ by 2l, and the odds are ((1+H)/(1+T))²"},
		[]string{"Sec. 6", "W_U = W_Eᵀ reads mlp_out alone", "it adds what resid_mid has on e_H and e_T", "after BOS, heads the log-odds are 2·log 2 + 3/2 instead of log 2"},
		[]string{"Sec. 6", "two outcomes", "BOS keeps the logit 0, a probability that is not 0", "after BOS, heads it is 1/(1 + exp(3/2 + log 2) + 1/2)"},
		[]string{"Sec. 6", "by a factor", "by an amount", "logits are compared by their difference"},
	))
	c.Notes = append(c.Notes, "Sec. 6 takes H = H_scaled·(N+1) from the second bullet: after BOS, heads that is 3 heads instead of 1. What the head writes needs a direction of its own.")
	if err := s.addFigure(c, "bullets", "The residual stream after attention along one sequence of 12 flips, on e_H and e_T: as marks what is there, dashed what the bullets say, solid Eq. 15, which adds 1 where the last token is the direction's own.", bulletsFigure(shown)); err != nil {
		return err
	}
	return s.addCSV(c, "bullets", []string{"flips", "on_heads", "bullet_heads", "eq15_heads", "on_tails", "bullet_tails", "eq15_tails"}, shown)
}

// bulletsFigure draws the rows of C2's table.
func bulletsFigure(rows [][]float64) *figure.Figure {
	var panels []figure.Panel
	for k, name := range []string{"on e_H", "on e_T"} {
		chart := figure.Chart{Title: name, X: figure.Axis{Label: "flips"}, Y: figure.Axis{Label: "residual stream"}}
		there := figure.Series{Name: "there", Color: 1, Dots: true}
		bullet, equation := figure.Series{Name: "bullet", Color: 2, Open: true}, figure.Series{Name: "Eq. 15", Color: 3}
		for _, row := range rows {
			for i, to := range []*figure.Series{&there, &bullet, &equation} {
				to.X, to.Y = append(to.X, row[0]), append(to.Y, row[1+3*k+i])
			}
		}
		chart.Series = []figure.Series{there, bullet, equation}
		panels = append(panels, chart)
	}
	return figure.Row("What the bullets leave out", "Two charts over twelve flips; the marks jump by one where the last flip is the direction's own, and the dashed line does not.", panels...)
}
