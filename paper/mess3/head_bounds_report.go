package mess3

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m boundedHeads) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "constrained beliefs after attention, mean over seeds ± standard deviation",
		Columns: []string{
			"process", "heads", "R*_H", "upper limit of R*_H", "R², mean patterns", "R², as trained", "R², random init",
			"attention that depends on tokens", "missed",
		},
	}
	for _, p := range m.processes {
		for _, cell := range p.cells {
			table.Rows = append(table.Rows, []string{
				p.String(), fmt.Sprint(cell.heads), fmt.Sprintf("%.4f", p.bounds[cell.heads]),
				fmt.Sprintf("%.4f", p.certain[cell.heads]), seeds.Text("%.4f", cell.mean),
				seeds.Text("%.4f", cell.asTrained), seeds.Text("%.4f", cell.random),
				fmt.Sprintf("%.0f %%", 100*seeds.Mean(cell.dependence)),
				fmt.Sprintf("%.1f %%", 100*seeds.Mean(cell.missed)),
			})
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, boundNotes...)
}

var boundNotes = []string{
	"R*_H is the largest R² of the constrained beliefs that H heads can reach if their attention is non-negative and " +
		"the same for all sequences, with free values. It is found by an alternating non-negative least-squares " +
		"search in the covariance of the tokens. The upper limit holds even if the search missed the maximum.",
	"If attention is its mean Ā times a factor that depends on the source token, A(d, s | z) ≈ Ā(d, s)(1 + " +
		"κ_d·e(z_s)), it adds a term of rank one and of either sign to a token's contribution, proportional to the " +
		"part of the OV vector that all tokens share. Corrections of a process with two tokens have rank one, those " +
		"for Mess3 have rank two.",
	"Known before the rule: the models of an earlier version of this row (three seeds, heads of width d_model " +
		"divided by their number, KL and mean attention by lag). One of three one-head models of the alternation " +
		"was then close to models with two heads, because its attention depended on tokens. Processes, seeds, the " +
		"width of heads and P1 to P3 were fixed before any model of this row was trained; the number of training " +
		"steps was chosen by KL alone, at seed 101.",
	"P2, like P1, is about mean patterns. It is about two heads or more, because the use of a single head shows " +
		"nothing about signs. A model with fewer heads than theory requires misses information however long it is " +
		"trained, so it is counted against P2 only if it has converged by the rule of all rows. P2 is not tested for " +
		"four heads on the cycle of four, or five heads on the cycle of five, because the bounds for one head fewer " +
		"are 0.991 and 0.997. That these cells would otherwise have left the row open was seen when results were " +
		"known for two processes of the quick profile and for none of the cycles.",
	"R² is in sample, because a bound is about the best affine map of all sequences; held out by sequence it is " +
		"the same to three digits. The quick profile has three seeds, which cannot show nine of ten: P2 and the " +
		"second half of P3 stay open there.",
}

func (m boundedHeads) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for i, p := range m.processes {
		panels = append(panels, p.chart())
		for _, c := range p.cells {
			for seed := range c.mean {
				rows = append(rows, []float64{
					float64(i), float64(c.heads), float64(seed + 1), p.bounds[c.heads], p.certain[c.heads],
					c.mean[seed], c.asTrained[seed], c.random[seed], c.dependence[seed], c.missed[seed],
				})
			}
		}
	}
	f := &figure.Figure{
		Title: "The effect of one more head: bound and models",
		Desc: "One chart for each process: R² of the constrained beliefs after attention by number of heads, with " +
			"mean patterns, as trained and at random initialisation, with the bound.",
	}
	f.Panels = inPairs(panels)
	out.Captioned("bounds", "Dashed: R*_H, the largest R² of the constrained beliefs for H heads whose attention does "+
		"not depend on tokens. Models with each pattern replaced by its mean must stay on or below it. As trained, "+
		"a head of the alternation can exceed it, because the corrections of a two-token process have a single "+
		"direction; on Mess3 none can. Each mark is a seed.", f)
	out.CSV("bounds", document.Numbers([]string{
		"process", "heads", "seed", "bound", "bound_at_most", "r2_mean_patterns", "r2_as_trained", "r2_random",
		"token_dependence", "missed",
	}, rows))
}

// chart draws R² of the models and the bound R*_H by number of heads.
func (p boundedProcess) chart() figure.Panel {
	chart := figure.Chart{
		Title: p.String(), X: figure.Axis{Label: "heads"}, Y: figure.Axis{Label: "R² of the constrained beliefs"},
		Series: []figure.Series{
			{Name: "bound R*_H", Color: figure.Grey, Open: true},
			{Name: "mean patterns", Color: 1, Dots: true},
			{Name: "as trained", Color: 2, Dots: true},
			{Name: "random initialisation", Color: 3, Open: true, Dots: true},
		},
	}
	for i, c := range p.cells {
		chart.X.Names = append(chart.X.Names, fmt.Sprint(c.heads))
		bound := &chart.Series[0]
		bound.X = append(bound.X, float64(i))
		bound.Y = append(bound.Y, p.bounds[c.heads])
		for j, bySeed := range [][]float64{c.mean, c.asTrained, c.random} {
			series := &chart.Series[j+1]
			for _, r2 := range bySeed { // separate marks, because some seeds leave a plateau and others do not
				series.X = append(series.X, float64(i)+besideBy(j, 3))
				series.Y = append(series.Y, r2)
			}
		}
	}
	return chart
}

// intervalPoint adds a point to a series: the mean over seeds and its 95 % interval. For
// a single seed the interval has zero length.
func intervalPoint(s figure.Series, x float64, bySeed []float64) figure.Series {
	mean, interval := claim.Mean(bySeed)
	if interval == nil {
		interval = &claim.Interval{Low: mean, High: mean}
	}
	s.X = append(s.X, x)
	s.Y = append(s.Y, mean)
	s.Lo = append(s.Lo, interval.Low)
	s.Hi = append(s.Hi, interval.High)
	return s
}
