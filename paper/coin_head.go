package paper

import (
	"fmt"
	"math"

	"foretell/craft"
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
	worst, positions := 0.0, 0
	check := func(heads, tails int, _ int32, out []float64) {
		n := float64(heads + tails + 1)
		want := [printedWidth]float64{onTails: float64(tails) / n, onHeads: float64(heads) / n}
		for k, x := range out {
			worst = max(worst, math.Abs(x-want[k]))
		}
		positions++
	}
	for flips, sampled := range map[int]int{12: 0, 1023: 20} {
		if err := eachPosition(m, "blocks.0.hook_attn_out", flips, sampled, check); err != nil {
			return err
		}
	}
	c.Verdict = Fails
	if worst <= equal {
		c.Verdict = Holds
	}
	c.Obtained = fmt.Sprintf("largest difference %.1e over %d positions", worst, positions)
	c.Notes = append(c.Notes, "Two matrix expressions around Eq. 13 do not fit their shapes, while the matrices are right: [e_T e_H]ᵀW'_V of Eq. 8 should be [e_T e_H]W'_V, and W_Oᵀz before Eq. 12 should be W_O·z.")
	return nil
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
	err = eachPosition(m, "blocks.0.hook_resid_mid", 12, 0, func(heads, tails int, last int32, row []float64) {
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
	c.Tables = append(c.Tables, Table{
		Title:   "what else is misprinted up to Sec. 6 (each with its test in craft/coin_printed_test.go)",
		Columns: []string{"where", "printed", "true", "check"},
		Rows: [][]string{
			{"Eq. 8", "[e_T e_H]ᵀW'_V", "[e_T e_H]W'_V", "the shapes; the matrix itself is right"},
			{"before Eq. 12", "W_Oᵀz", "W_O·z", "the shapes; Eq. 13 then holds (C1)"},
			{"Sec. 6", "mlp_out = l·(e_H − e_T)", "½·l·(e_H − e_T)", "the logits differ by 2l, and the odds are ((1+H)/(1+T))²"},
			{"Sec. 6", "W_U = W_Eᵀ reads mlp_out alone", "it adds what resid_mid has on e_H and e_T", "after BOS, heads the log-odds are 2·log 2 + 3/2 instead of log 2"},
			{"Sec. 6", "two outcomes", "BOS keeps the logit 0, a probability that is not 0", "after BOS, heads it is 1/(1 + exp(3/2 + log 2) + 1/2)"},
			{"Sec. 6", "by a factor", "by an amount", "logits are compared by their difference"},
		},
	})
	c.Notes = append(c.Notes, "Sec. 6 takes H = H_scaled·(N+1) from the second bullet: after BOS, heads that is 3 heads instead of 1. What the head writes needs a direction of its own.")
	return nil
}
