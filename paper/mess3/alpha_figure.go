package mess3

import (
	"fmt"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m alphas) draw(out *claim.Output) {
	out.Figure("alpha", "Left: what the intermediate stage lacks of the constrained and of the full geometry (1 − "+
		"R²), beside a random initialisation, and, in grey, how far the full geometry is from a linear image of the "+
		"constrained one: the gap that theory itself predicts. Right: the share of the intermediate stage's variance "+
		"that constrained beliefs explain. Error bars: the range over seeds. Vertical lines: the range in which the "+
		"paper finds agreement.",
		figure.Row("Theory against the informativeness of tokens", "Two charts against α: deviation from the "+
			"geometries on a logarithmic scale, and explained variance.",
			m.deviationChart(), m.varianceChart()))
	header := []string{"alpha", "seed", "theory_gap"}
	for _, column := range alphaColumns {
		header = append(header, column.name)
	}
	out.CSV("alpha", header, m.rows())
}

// deviationChart shows what the stage lacks of both geometries.
func (m alphas) deviationChart() figure.Panel {
	theory := figure.Series{Name: "theory: full from constrained", Color: figure.Grey}
	for _, p := range m.theory {
		theory.X, theory.Y = append(theory.X, p.a), append(theory.Y, p.gap)
	}
	chart := alphaChart(figure.Axis{Label: "1 − R²", Log: true})
	chart.Series = []figure.Series{
		m.series(figure.Series{Name: "from the constrained geometry", Color: 1}, deviationConstrained),
		m.series(figure.Series{Name: "the same, random initialisation", Color: 1, Open: true},
			deviationConstrainedRandom),
		m.series(figure.Series{Name: "from the full geometry", Color: 2}, deviationFull),
		theory,
	}
	return chart
}

// varianceChart shows what the constrained beliefs explain of the stage.
func (m alphas) varianceChart() figure.Panel {
	chart := alphaChart(figure.Axis{Label: "share of the variance", Include: []float64{0, 1}})
	chart.Series = []figure.Series{
		m.series(figure.Series{Name: "explained by constrained beliefs", Color: 3}, varianceExplained),
		m.series(figure.Series{Name: "explained, random initialisation", Color: 3, Open: true},
			varianceExplainedRandom),
	}
	return chart
}

// alphaChart is a chart against α, with the range in which the paper finds agreement.
func alphaChart(y figure.Axis) figure.Chart {
	chart := figure.Chart{X: figure.Axis{Label: "α", Include: []float64{0, 1}}, Y: y}
	for _, a := range []float64{centralFrom, centralTo} {
		chart.Refs = append(chart.Refs, figure.Ref{Label: fmt.Sprint(a), Value: a, Vertical: true})
	}
	return chart
}

// series fills in a measure against α.
func (m alphas) series(s figure.Series, measure int) figure.Series {
	for _, p := range m.points {
		s = seeds.Point(s, p.a, p.found[measure])
	}
	return s
}

// rows are the models, for the file of data.
func (m alphas) rows() (rows [][]float64) {
	for _, p := range m.points {
		for i, seed := range m.seeds {
			row := []float64{p.a, float64(seed), p.gap}
			for _, bySeed := range p.found {
				row = append(row, bySeed[i])
			}
			rows = append(rows, row)
		}
	}
	return rows
}
