package mess3

import (
	"foretell/claim"
	"foretell/figure"
)

func (m learnings) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, l := range m.models {
		panels = append(panels, l.chart())
		for _, point := range l.curve {
			rows = append(rows, []float64{l.X, l.A, float64(point.step), point.mid, point.final})
		}
	}
	out.Figure("curves", "MSE of the two fits, each relative to that at the random initialisation (the line at 1), "+
		"at steps that double, on logarithmic scales. The legend names the two: the constrained geometry after "+
		"attention, and the beliefs after the MLP.",
		&figure.Figure{
			Title: "Both fits during training",
			Desc: "Four charts, one a process: MSE relative to the random initialisation against the training " +
				"step, both on logarithmic scales.",
			Panels: [][]figure.Panel{panels[:2], panels[2:]},
		})
	out.Figure("ends", "Absolute MSE of the same fits over all words: filled, the trained model; open, its random "+
		"initialisation. Lower is better; the scale is logarithmic.",
		figure.Single("Fits at the end and at the beginning of training", "Bars on a logarithmic scale: four "+
			"conditions, two fits each, trained beside untrained.", m.bars()))
	out.CSV("curves", []string{"x", "alpha", "step", "mse_intermediate_constrained", "mse_final_beliefs"}, rows)
}

// chart shows the errors during training relative to those at its beginning, which is
// left out: it is 1.
func (l learning) chart() figure.Panel {
	chart := figure.Chart{
		Title: l.String(), X: figure.Axis{Label: "training step", Log: true},
		Y:    figure.Axis{Label: "MSE / initial MSE", Log: true},
		Refs: []figure.Ref{{Label: "start", Value: 1}},
	}
	mid := figure.Series{Name: "after attention → constrained beliefs"}
	final := figure.Series{Name: "after the MLP → beliefs"}
	for _, point := range l.curve[1:] {
		step := float64(point.step)
		mid.X, mid.Y = append(mid.X, step), append(mid.Y, point.mid/l.curve[0].mid)
		final.X, final.Y = append(final.X, step), append(final.Y, point.final/l.curve[0].final)
	}
	chart.Series = []figure.Series{mid, final}
	return chart
}

// bars shows the errors at the end of training beside those at its beginning.
func (m learnings) bars() figure.Bars {
	bars := figure.Bars{Y: figure.Axis{Label: "held-out MSE", Log: true}, Series: []figure.BarSeries{
		{Name: "after attention → constrained beliefs", Color: 1},
		{Name: "the same, random initialisation", Color: 1, Open: true},
		{Name: "after the MLP → beliefs", Color: 2},
		{Name: "the same, random initialisation", Color: 2, Open: true},
	}}
	for _, l := range m.models {
		bars.Groups = append(bars.Groups, l.String())
		for i, s := range []scores{l.mid.trained, l.mid.random, l.final.trained, l.final.random} {
			bars.Series[i].Y = append(bars.Series[i].Y, s.heldOut.MSE)
		}
	}
	return bars
}
