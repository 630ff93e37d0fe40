package beliefs

import (
	"fmt"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m spread) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Beliefs of RRXOR by stage of the residual stream",
		Desc: "Two charts, one a split: R² by stage for trained models, random initialisations and shuffled beliefs, " +
			"with two reference lines.",
	}
	for _, r := range m.readings {
		f.Panels = append(f.Panels, []figure.Panel{r.chart()})
	}
	out.Figure("stages", "R² of the beliefs along the residual stream, after attention (mid) and after the MLP (post) "+
		"of each layer, and from all stages together; mean over seeds, error bars: their range. Lines across: what "+
		"the optimal next-token distribution alone, and the last tokens alone, tell of the belief.", f)
	m.shown.draw(out)
	out.CSV("stages", []string{"by_word", "seed", "features", "r2", "r2_random", "r2_shuffled"}, m.rows())
}

// rows are the R² of each split, stage and seed, for the file of data.
func (m spread) rows() (rows [][]float64) {
	for split, r := range m.readings {
		for i, st := range r.stages {
			for k, seed := range m.seeds {
				rows = append(rows, []float64{
					float64(split), float64(seed), float64(i), st.trained[k], st.random[k], st.shuffled[k],
				})
			}
		}
	}
	return rows
}

// chart draws R² by stage; what is side by side stands apart.
func (r reading) chart() figure.Panel {
	chart := figure.Chart{
		Title: r.split, Y: figure.Axis{Label: "R² of the beliefs"},
		Refs: []figure.Ref{
			{Label: "next token", Value: r.nextToken},
			{Label: fmt.Sprintf("last %d tokens", lastTokens), Value: r.lastTokens},
		},
	}
	for _, st := range r.stages {
		chart.X.Names = append(chart.X.Names, st.name)
	}
	chart.Series = append(chart.Series,
		r.lines(figure.Series{Name: "trained", Color: 2}, func(st stage) []float64 { return st.trained })...)
	chart.Series = append(chart.Series,
		r.lines(figure.Series{Name: "random initialisation", Color: 3, Open: true},
			func(st stage) []float64 { return st.random })...)
	chart.Series = append(chart.Series,
		r.lines(figure.Series{Name: "shuffled beliefs", Color: 4, Open: true},
			func(st stage) []float64 { return st.shuffled })...)
	return chart
}

// lines are a series along the residual stream, and a point apart for all stages side
// by side.
func (r reading) lines(along figure.Series, of func(stage) []float64) []figure.Series {
	apart := figure.Series{Color: along.Color, Open: along.Open, Dots: true}
	last := len(r.stages) - 1
	for i, st := range r.stages[:last] {
		along = seeds.Point(along, float64(i), of(st))
	}
	return []figure.Series{along, seeds.Point(apart, float64(last), of(r.stages[last]))}
}
