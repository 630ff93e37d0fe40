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

// coinPriors are those of C5 and C6.
var coinPriors = [][2]float64{{1, 1}, {0.5, 0.5}, {2, 5}}

// testExactCoin is C5.
func testExactCoin(s *Study, c *Claim) error {
	const nCtx, most = 1024, 1e-6
	result := Table{
		Title:   "one head and an MLP, contexts of 1024 tokens, asked for an error of 1e-6",
		Columns: []string{"prior", "neurons", "parameters", "largest error", "at", "shuffles change it by"},
	}
	worst, moved := 0.0, 0.0
	for _, prior := range coinPriors {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.report(fmt.Sprintf("counting to 1023 with the prior Beta(%g, %g)", prior[0], prior[1]))
		m, err := craft.Coin{A: prior[0], B: prior[1], NCtx: nCtx, Error: most}.Transformer()
		if err != nil {
			return err
		}
		w := craft.WorstCount(m, prior[0], prior[1])
		change := orderError(m)
		worst, moved = max(worst, w.Error), max(moved, change)
		result.Rows = append(result.Rows, []string{
			fmt.Sprintf("Beta(%g, %g)", prior[0], prior[1]), fmt.Sprint(m.Config.DMLP), fmt.Sprint(m.Config.Parameters()),
			fmt.Sprintf("%.3e", w.Error), fmt.Sprintf("%d heads, %d tails", w.Heads, w.Tails), fmt.Sprintf("%.1e", change),
		})
	}
	c.Tables = append(c.Tables, result)
	c.Verdict = Fails
	if worst <= most && moved <= 1e-12 {
		c.Verdict = Holds
	}
	c.Obtained = fmt.Sprintf("largest error %.6e over all 524,800 counts and three priors, by the ordinary forward pass; the order of the flips changes it by at most %.1e", worst, moved)
	c.Notes = append(c.Notes,
		"Attention gives BOS the weight a+b and each flip 1, so that the head's output is the posterior mean (a+H)/(a+b+N) itself: the softmax's normaliser is the posterior's. The MLP takes its log-odds, piecewise linear between σ⁻¹(P−ε) and σ⁻¹(P+ε); the last softmax turns them back. Proof in the documentation of craft.Coin.",
		"The error that was asked for is reached nearly everywhere: that is what makes the MLP as narrow as it can be for its kind.",
		"A second answer, craft:coin-attention, has no MLP: its heads are sigmoids of shifted log-odds, whose sum is the trapezoid rule for the log-odds, and its cost grows with (log error)² instead of error^(−1/2).")
	f, rows, err := coinCost()
	if err != nil {
		return err
	}
	if err := s.addFigure(c, "cost", "Parameters that an error takes, for contexts of 1024 tokens: one head and an MLP (solid), and heads alone (dashed), for three priors.", f); err != nil {
		return err
	}
	return s.addCSV(c, "cost", []string{"a", "b", "error", "neurons", "parameters_mlp", "heads", "parameters_heads"}, rows)
}

// orderError is the largest change of a prediction by shuffling the flips.
func orderError(m *model.Transformer[float64]) float64 {
	stream, worst := random.New(1, "paper/order"), 0.0
	w := model.NewWorkspace[float64](m.Config, 1)
	for range 20 {
		tokens := make([]int32, 2+stream.IntN(m.Config.NCtx-1))
		for i := range tokens {
			tokens[i] = int32(stream.IntN(2))
		}
		tokens[0] = process.BOS
		heads := func() float64 { return model.Probabilities(m.ForwardLast(w, tokens, 1))[1] }
		before := heads()
		for range 20 {
			flips := tokens[1:]
			stream.Shuffle(len(flips), func(i, j int) { flips[i], flips[j] = flips[j], flips[i] })
			worst = max(worst, math.Abs(heads()-before))
		}
	}
	return worst
}

// coinCost builds both answers for a range of errors.
func coinCost() (*figure.Figure, [][]float64, error) {
	chart := figure.Chart{X: figure.Axis{Label: "error of the probability", Log: true}, Y: figure.Axis{Label: "parameters", Log: true}}
	var rows [][]float64
	for i, prior := range coinPriors {
		mlp := figure.Series{Name: fmt.Sprintf("Beta(%g, %g)", prior[0], prior[1]), Color: i + 1}
		heads := figure.Series{Color: i + 1, Open: true}
		for _, e := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8} {
			coin := craft.Coin{A: prior[0], B: prior[1], NCtx: 1024, Error: e}
			one, err := coin.Transformer()
			if err != nil {
				return nil, nil, err
			}
			other, err := coin.AttentionOnly()
			if err != nil {
				return nil, nil, err
			}
			mlp.X, mlp.Y = append(mlp.X, e), append(mlp.Y, float64(one.Config.Parameters()))
			heads.X, heads.Y = append(heads.X, e), append(heads.Y, float64(other.Config.Parameters()))
			rows = append(rows, []float64{
				prior[0], prior[1], e, float64(one.Config.DMLP), float64(one.Config.Parameters()), float64(other.Config.NHeads[0]), float64(other.Config.Parameters()),
			})
		}
		chart.Series = append(chart.Series, mlp, heads)
	}
	return &figure.Figure{
		Title:  "What an exact coin costs",
		Desc:   "Parameters against error on logarithmic axes: with an MLP a straight rise by a factor of ten for every two decades of error, with heads alone a slow one.",
		Panels: [][]figure.Panel{{chart}},
	}, rows, nil
}
