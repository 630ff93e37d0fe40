package mess3

import (
	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m grid) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, p := range m.processes {
		panels = append(panels, p.bars())
		for _, cell := range p.cells {
			rows = append(rows, []float64{
				p.X, p.A, float64(cell.Layers), float64(cell.Heads),
				seeds.Mean(cell.kl), seeds.StdDev(cell.kl), seeds.Mean(cell.missed), seeds.StdDev(cell.missed),
			})
		}
	}
	out.Figure("grid", "Exact KL from the optimal to the model's next-token distribution, mean over seeds and "+
		"positions; error bars: the range over seeds. The line is the KL of a model that ignores its context.",
		&figure.Figure{
			Title: "Divergence from the optimal predictor by architecture",
			Desc: "Four panels of bars, one a process: KL on a logarithmic scale for each number of layers and " +
				"heads, with error bars over seeds.",
			Panels: [][]figure.Panel{panels[:2], panels[2:]},
		})
	out.CSV("grid", []string{"x", "alpha", "layers", "heads", "kl", "kl_sd", "missed", "missed_sd"}, rows)
}

// bars shows the KL of each architecture, beside that of a model which ignores its
// context.
func (p gridProcess) bars() figure.Panel {
	bars := figure.Bars{Title: p.String(), Y: figure.Axis{Label: "KL (nats)", Log: true}, Label: "layers × heads"}
	series := figure.BarSeries{}
	for _, cell := range p.cells {
		bars.Groups = append(bars.Groups, shapeName(cell.Shape))
		series = seeds.Bar(series, cell.kl)
	}
	bars.Series = []figure.BarSeries{series}
	first := p.cells[0]
	bars.Refs = []figure.Ref{{Label: "no context", Value: first.kl[0] / first.missed[0]}}
	return bars
}
