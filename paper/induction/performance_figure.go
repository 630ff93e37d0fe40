package induction

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m panels) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "divergence of models in nats, minus BMA's divergence or minus the divergence of the construction " +
			"with the same number of heads; means over seeds",
		Columns: slices.Concat(
			document.Headed("", "model", "seeds"),
			document.Headed("%.4f", fmt.Sprintf("minus BMA, positions %d to T", judgedFrom), "minus BMA, last eighth"),
			document.Headed("%+.4f", "minus the construction, last eighth",
				fmt.Sprintf("minus the construction, %d to T", judgedFrom)),
			document.Headed("", "converged"),
		),
	}
	for _, p := range m {
		for _, t := range p.trained {
			if len(t.Models) > 0 {
				table.Row(t.row()...)
			}
		}
	}
	c.Tables = append(c.Tables, table.Table(), m.writtenTable())
}

// writtenTable returns the table of the constructions.
func (m panels) writtenTable() document.Table {
	table := document.Frame{Title: "divergence of constructions minus ML's, in nats", Columns: slices.Concat(
		document.Headed("", "lags", "heads"),
		document.Headed("%+.4f", "last eighth", fmt.Sprintf("positions %d to T", judgedFrom)),
	)}
	for _, p := range m {
		for _, w := range p.written {
			table.Row(p.task, w.heads, w.aboveML, w.aboveMLFrom)
		}
	}
	return table.Table()
}

func (t panelTrained) row() []any {
	mean := func(of func(panelModel) float64) float64 { return seeds.Mean(t.All(of)) }
	return []any{
		t.cell, len(t.Models),
		mean(func(m panelModel) float64 { return m.above }),
		mean(func(m panelModel) float64 { return m.aboveAtEnd }),
		mean(func(m panelModel) float64 { return m.atEnd }),
		mean(func(m panelModel) float64 { return m.difference }),
		fmt.Sprintf("%d of %d", len(t.Converged()), len(t.Models)),
	}
}

func (m panels) draw(out *claim.Output) {
	var charts []figure.Panel
	curves := document.Frame{Columns: []document.Column{
		{Name: "panel", Meaning: "the panel of Fig. 3, from 1"},
		{Name: "curve", Meaning: "1 BMA, 2 ML, 3 constructed, 4 standard, 5 disentangled, 6 (k̂+1)-gram"},
		{Name: "heads", Meaning: "number of heads in the second layer; 0 without attention"},
		{Name: "seed", Meaning: "random seed of the training run; 0 if no model is trained"},
		{Name: "position"},
		{Name: "kl"},
	}}
	for i, p := range m {
		charts = append(charts, p.chart())
		p.add(&curves, i+1)
	}
	out.Figure("panels", figure.Grid(2, "Divergence along the sequence",
		"Four panels, one for each set of lags: lines against position for BMA, ML, constructions and trained "+
			"models.", charts...))
	out.CSV("panels", curves)
}

// chart returns the chart of the panel.
func (p panel) chart() figure.Chart {
	chart := alongChart("lags " + p.task.String())
	ml := band("ML", [][]float64{p.ml}, figure.Grey)
	ml.Open = true
	gram := band("(k̂+1)-gram, learned in context", [][]float64{p.gram}, figure.Grey)
	gram.Dash = 3
	chart.Series = append(chart.Series, band("BMA", [][]float64{p.bma}, figure.Grey), ml, gram)
	for _, w := range p.written {
		name, color := inLegend("constructed", w.heads, 1)
		series := band(name, [][]float64{w.along}, color)
		series.Open = true
		chart.Series = append(chart.Series, series)
	}
	for _, t := range p.trained {
		if len(t.Models) == 0 {
			continue
		}
		var along [][]float64
		for _, m := range t.Models {
			along = append(along, m.Found.along)
		}
		first := 3
		if t.disentangled {
			first = 5
		}
		name, color := inLegend(t.kind(), t.heads, first)
		chart.Series = append(chart.Series, band(name, along, color))
	}
	return chart
}

// inLegend returns a curve's name, which is the same in all panels, and its colour:
// first for one head, the colour after it for more heads.
func inLegend(kind string, heads, first int) (name string, color int) {
	if heads == 1 {
		return kind + ", one head", first
	}
	return kind + ", enough heads", first + 1
}

// add adds the panel's curves to a frame.
func (p panel) add(curves *document.Frame, number int) {
	add := func(curve, heads, seed int, along []float64) {
		for t, x := range along {
			curves.Row(number, curve, heads, seed, t+1, x)
		}
	}
	add(1, 0, 0, p.bma)
	add(2, 0, 0, p.ml)
	add(6, 0, 0, p.gram)
	for _, w := range p.written {
		add(3, w.heads, 0, w.along)
	}
	for _, t := range p.trained {
		kind := 4
		if t.disentangled {
			kind = 5
		}
		for _, m := range t.Models {
			add(kind, t.heads, m.Seed, m.Found.along)
		}
	}
}
