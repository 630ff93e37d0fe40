package mess3

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m boundedHeads) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "constrained beliefs after attention, mean over seeds ± standard deviation",
		Columns: slices.Concat(document.Headed("", "process", "heads"),
			document.Headed("%.4f", "R*_H", "upper limit of R*_H", "R², mean patterns", "R², as trained", "R², random init"),
			document.Headed("%.0f %%", "attention that depends on tokens"), document.Headed("%.1f %%", "missed")),
	}
	for _, p := range m {
		for _, cell := range p.cells {
			f.Row(p, cell.heads, p.bounds[cell.heads], p.certain[cell.heads], seeds.Spread(cell.All(boundedModel.meanR2)),
				seeds.Spread(cell.All(boundedModel.trainedR2)), seeds.Spread(cell.AllRandom(boundedModel.meanR2)),
				seeds.Mean(cell.All(func(m boundedModel) float64 { return m.dependence })),
				seeds.Mean(cell.All(func(m boundedModel) float64 { return m.missed })))
		}
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m boundedHeads) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, p := range m {
		panels = append(panels, p.chart())
	}
	out.Figure("bounds", figure.Grid(2, "The effect of one more head: bound and models",
		"One chart for each process: R² of the constrained beliefs after attention by number of heads, with "+
			"mean patterns, as trained and at random initialisation, with the bound.", panels...))
	out.CSV("bounds", m.bySeed())
}

// bySeed returns the measurements on each model.
func (m boundedHeads) bySeed() document.Frame {
	f := document.Frame{Columns: document.Named("process", "heads", "seed", "bound", "bound_at_most", "r2_mean_patterns",
		"r2_as_trained", "r2_random", "token_dependence", "missed")}
	for i, p := range m {
		for _, c := range p.cells {
			for _, m := range c.Models {
				f.Row(i, c.heads, m.Seed, p.bounds[c.heads], p.certain[c.heads],
					m.Found.mean, m.Found.asTrained, m.Random.mean, m.Found.dependence, m.Found.missed)
			}
		}
	}
	return f
}

// chart draws R² of the models and the bound R*_H by number of heads.
func (p boundedProcess) chart() figure.Panel {
	chart := figure.Chart{
		Title: p.String(), X: figure.Axis{Label: "heads"}, Y: figure.Axis{Label: "R² of the constrained beliefs"},
		Series: []figure.Series{
			{Name: "bound R*_H", Color: figure.Grey, Open: true},
			{Name: "mean patterns", Color: 1, Style: figure.Scatter},
			{Name: "as trained", Color: 2, Style: figure.Scatter},
			{Name: "random initialisation", Color: 3, Open: true, Style: figure.Scatter},
		},
	}
	for i, c := range p.cells {
		asTrained, random := c.All(boundedModel.trainedR2), c.AllRandom(boundedModel.meanR2)
		chart.X.Names = append(chart.X.Names, fmt.Sprint(c.heads))
		chart.Series[0].Add(float64(i), p.bounds[c.heads])
		for j, bySeed := range [][]float64{c.All(boundedModel.meanR2), asTrained, random} {
			for _, r2 := range bySeed { // separate marks, because some seeds leave a plateau and others do not
				chart.Series[j+1].Add(float64(i)+besideBy(j, 3), r2)
			}
		}
	}
	return chart
}

// addMean adds a point to a series: the mean over seeds and its 95 % interval. For a
// single seed the interval has zero length.
func addMean(s *figure.Series, x float64, bySeed []float64) {
	mean, interval := claim.Mean(bySeed)
	if interval == nil {
		interval = &claim.Interval{Low: mean, High: mean}
	}
	s.AddInterval(x, mean, interval.Low, interval.High)
}
