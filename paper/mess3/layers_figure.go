package mess3

import (
	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
)

func (m deepModels) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, d := range m.models {
		panels = append(panels, d.chart())
		rows = append(rows, d.rows()...)
	}
	out.Figure("stages", "From left to right along the residual stream: MSE of the regression to the constrained and "+
		"to the full beliefs, after attention (mid) and after the MLP (post) of each layer. Filled and solid: "+
		"trained; open and dashed: the random initialisation.",
		&figure.Figure{
			Title: "Fit to both geometries by stage of a four-layer model",
			Desc: "Four charts, one a process: MSE on a logarithmic scale at eight stages, constrained and full " +
				"geometry, trained and random.",
			Panels: [][]figure.Panel{panels[:2], panels[2:]},
		})
	m.drawStages(out)
	out.CSV("stages", []string{
		"x", "alpha", "layer", "post", "mse_constrained", "mse_full", "mse_constrained_random", "mse_full_random",
		"r2_constrained", "r2_full",
	}, rows)
}

// drawStages is Fig. A5: every stage through its regression to the full beliefs.
func (m deepModels) drawStages(out *claim.Output) {
	f := &figure.Figure{
		Title: "Every stage of a four-layer model, regressed to the full beliefs",
		Desc: "Eight rows of four triangles: for each process the stages after attention and after the MLP of " +
			"layers 0 to 3.",
		Cols: []string{"layer 0", "layer 1", "layer 2", "layer 3"},
	}
	for _, d := range m.models {
		for after, name := range []string{"mid", "post"} {
			f.Rows = append(f.Rows, d.String()+", "+name)
			var row []figure.Panel
			for i := after; i < len(d.stages); i += 2 {
				row = append(row, triangle(d.shown.stages[i].full.regressed.Data, d.shown.Prefixes))
			}
			f.Panels = append(f.Panels, row)
		}
	}
	out.Figure("layers", "All panels show regressions to the full beliefs, whose colours they have, so that a stage "+
		"which carries them shows the belief geometry. The claim to look for: top left of each pair of rows, after "+
		"the first attention, the best linear reading of the beliefs still has the shape of the constrained "+
		"geometry.", f)
}

// rows are the stages, for the file of data.
func (m deepModel) rows() (rows [][]float64) {
	for i, st := range m.stages {
		rows = append(rows, []float64{
			m.X, m.A, float64(i / 2), float64(i % 2),
			st.constrained.trained.heldOut.MSE, st.full.trained.heldOut.MSE,
			st.constrained.random.heldOut.MSE, st.full.random.heldOut.MSE,
			st.constrained.trained.heldOut.R2, st.full.trained.heldOut.R2,
		})
	}
	return rows
}

// chart shows the errors of both fits along the residual stream.
func (m deepModel) chart() figure.Panel {
	chart := figure.Chart{
		Title: m.String(), Y: figure.Axis{Label: "held-out MSE", Log: true},
		Series: []figure.Series{
			{Name: "constrained beliefs", Color: 3},
			{Name: "full beliefs", Color: 2},
			{Name: "constrained, random initialisation", Color: 3, Open: true},
			{Name: "full, random initialisation", Color: 2, Open: true},
		},
	}
	for i, st := range m.stages {
		chart.X.Names = append(chart.X.Names, trained.StageName(i))
		for j, s := range []scores{st.constrained.trained, st.full.trained, st.constrained.random, st.full.random} {
			series := &chart.Series[j]
			series.X, series.Y = append(series.X, float64(i)), append(series.Y, s.heldOut.MSE)
		}
	}
	return chart
}
