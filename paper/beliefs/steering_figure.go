package beliefs

import (
	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m interventions) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Steering along a probed belief",
		Desc: "Two charts, one a process: divergence from the target's prediction by stage, without a change, moved " +
			"the likeliest way, as far at random, and the shortest way.",
	}
	var rows [][]float64
	for i, p := range m.processes {
		f.Panels = append(f.Panels, []figure.Panel{p.chart()})
		rows = append(rows, p.rows(i, m.seeds)...)
	}
	out.Figure("steering", "Each stage of the residual stream in turn is moved until the regression reads the belief "+
		"of another word: how far the model's prediction then is from the optimal one of that belief. Mean over "+
		"seeds, error bars: their range. Lower is better steered.", f)
	out.CSV("steering", []string{
		"mess3", "seed", "stage", "kl_unchanged", "kl_likeliest", "kl_likeliest_random", "likeliest_length",
		"kl_shortest", "kl_shortest_random", "shortest_length",
	}, rows)
}

// rows are what was found at each stage and seed of a process, by its number, for the
// file of data.
func (p steered) rows(process int, seedList []uint64) (rows [][]float64) {
	for i, st := range p.stages {
		for k, seed := range seedList {
			row := []float64{float64(process), float64(seed), float64(i), st.unchanged[k]}
			for _, m := range []moved{st.likeliest, st.shortest} {
				row = append(row, m.along[k], m.random[k], m.length[k])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// chart draws the divergence by the stage that is moved.
func (p steered) chart() figure.Panel {
	none := figure.Series{Name: "no change", Color: 1, Open: true}
	likeliest := figure.Series{Name: "likeliest change", Color: 2}
	random := figure.Series{Name: "as long, random direction", Color: 3, Open: true}
	shortest := figure.Series{Name: "shortest change", Color: 4}
	chart := figure.Chart{Title: p.name, Y: figure.Axis{Label: "KL to the target (nats)", Include: []float64{0}}}
	for i, st := range p.stages {
		at := float64(i)
		chart.X.Names = append(chart.X.Names, st.name)
		none = seeds.Point(none, at, st.unchanged)
		likeliest = seeds.Point(likeliest, at, st.likeliest.along)
		random = seeds.Point(random, at, st.likeliest.random)
		shortest = seeds.Point(shortest, at, st.shortest.along)
	}
	chart.Series = []figure.Series{none, likeliest, random, shortest}
	return chart
}
