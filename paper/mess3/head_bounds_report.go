package mess3

import (
	"fmt"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m boundedHeads) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "constrained beliefs after attention, mean over seeds ± standard deviation",
		Columns: []string{
			"process", "heads", "R*_H", "R*_H at most", "R², mean patterns", "R², as trained", "R², random init",
			"attention that tokens move", "missed",
		},
	}
	for _, p := range m.processes {
		for _, cell := range p.cells {
			table.Rows = append(table.Rows, []string{
				p.String(), fmt.Sprint(cell.heads), fmt.Sprintf("%.4f", p.bounds[cell.heads]),
				fmt.Sprintf("%.4f", p.certain[cell.heads]), seeds.Text("%.4f", cell.mean),
				seeds.Text("%.4f", cell.asTrained), seeds.Text("%.4f", cell.random),
				fmt.Sprintf("%.0f %%", 100*seeds.Mean(cell.dependence)), fmt.Sprintf("%.1f %%", 100*seeds.Mean(cell.missed)),
			})
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, boundNotes...)
}

var boundNotes = []string{
	"R*_H is the largest R² of the constrained beliefs that H heads can reach whose attention is non-negative and the " +
		"same for all words, values being free: an alternating non-negative least squares in the covariance of the " +
		"tokens. “At most” is what it cannot exceed even if the search has missed the highest summit.",
	"A(d, s | z) ≈ Ā(d, s)(1 + κ_d·e(z_s)): attention that looks at tokens adds to what a token hands on a term of rank " +
		"one and of either sign, times the part of the OV vector that all tokens share. Corrections of a process of " +
		"two tokens have rank one, those of Mess3 rank two.",
	"Known before the rule: the models of an earlier version of this row (three seeds, heads as wide as d_model over " +
		"their number, KL and mean attention by lag). One of three one-head models of the alternation then came near " +
		"those with two heads, by attention that looks at tokens. Processes, seeds, the width of heads and P1 to P3 " +
		"were set before any model of this row was trained; their steps by KL alone, at seed 101.",
	"P2 is about mean patterns, as P1 is, and about every number of heads from two on: that one head is used says " +
		"nothing of signs. A model with fewer heads than theory asks for misses information however long it is trained, " +
		"so that it is counted against P2 only if it has converged by the common rule. Four heads on the cycle of four and " +
		"five on that of five are not asked, since one fewer comes to 0.991 and 0.997; that these cells would else have " +
		"left the row open was seen when two processes of the quick profile were known, and none of the cycles.",
	"R² is in sample, since a bound is about the best affine map of all words; held out by sequence it is the same to " +
		"three digits. The quick profile has three seeds, with which nine of ten cannot be shown: P2 and the second " +
		"half of P3 stay open there.",
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
		Title: "What one head more can do, and does",
		Desc: "One chart a process: R² of the constrained beliefs after attention by the number of heads, with mean " +
			"patterns, as trained and before training, beside the bound.",
	}
	f.Panels = inPairs(panels)
	out.Figure("bounds", "Dashed: R*_H, the most that H heads can make of the constrained beliefs while their attention "+
		"does not look at tokens. Models with each pattern replaced by its mean have to stay on or below it; as "+
		"trained, a head of the alternation can rise above it, since tokens of a two-token process have one direction, "+
		"and on Mess3 none can. Each seed is a mark.", f)
	out.CSV("bounds", []string{
		"process", "heads", "seed", "bound", "bound_at_most", "r2_mean_patterns", "r2_as_trained", "r2_random",
		"token_dependence", "missed",
	}, rows)
}

// chart shows R² by the number of heads.
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
			for _, r2 := range bySeed { // each its own, since some leave a plateau and others do not
				series.X = append(series.X, float64(i)+besideBy(j, 3))
				series.Y = append(series.Y, r2)
			}
		}
	}
	return chart
}

// intervalPoint adds a point to a series: the mean over seeds and its 95 % interval,
// which one seed has not.
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
