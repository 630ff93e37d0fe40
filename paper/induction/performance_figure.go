package induction

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m panels) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "divergence of models in nats, minus BMA's divergence or minus the divergence of the construction " +
			"with the same number of heads; means over seeds",
		Columns: []string{
			"model", "seeds", fmt.Sprintf("minus BMA, positions %d to T", judgedFrom), "minus BMA, last eighth",
			"minus the construction, last eighth", fmt.Sprintf("minus the construction, %d to T", judgedFrom),
			"converged",
		},
	}
	for _, p := range m.list {
		for _, t := range p.trained {
			if len(t.Models) > 0 {
				table.Rows = append(table.Rows, t.row())
			}
		}
	}
	c.Tables = append(c.Tables, table, m.writtenTable())
	c.Setting = m.setting
	c.Notes = append(c.Notes, chosenBefore)
}

// writtenTable returns the table of the constructions.
func (m panels) writtenTable() document.Table {
	table := document.Table{
		Title:   "divergence of constructions minus ML's, in nats",
		Columns: []string{"lags", "heads", "last eighth", fmt.Sprintf("positions %d to T", judgedFrom)},
	}
	for _, p := range m.list {
		for _, w := range p.written {
			table.Rows = append(table.Rows, []string{
				p.task.String(), fmt.Sprint(w.heads),
				fmt.Sprintf("%+.4f", w.aboveML), fmt.Sprintf("%+.4f", w.aboveMLFrom),
			})
		}
	}
	return table
}

func (t panelTrained) row() []string {
	mean := func(of func(panelModel) float64) float64 { return seeds.Mean(t.All(of)) }
	return []string{
		t.String(), fmt.Sprint(len(t.Models)),
		fmt.Sprintf("%.4f", mean(func(m panelModel) float64 { return m.above })),
		fmt.Sprintf("%.4f", mean(func(m panelModel) float64 { return m.aboveAtEnd })),
		fmt.Sprintf("%+.4f", mean(func(m panelModel) float64 { return m.atEnd })),
		fmt.Sprintf("%+.4f", mean(func(m panelModel) float64 { return m.difference })),
		fmt.Sprintf("%d of %d", len(t.Converged()), len(t.Models)),
	}
}

func (m panels) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Divergence along the sequence",
		Desc: "Four panels, one for each set of lags: lines against position for BMA, ML, constructions and trained " +
			"models.",
	}
	var rows [][]float64
	for i, p := range m.list {
		if i%2 == 0 {
			f.Panels = append(f.Panels, nil)
		}
		last := len(f.Panels) - 1
		f.Panels[last] = append(f.Panels[last], p.chart())
		rows = append(rows, p.rows(float64(i+1))...)
	}
	out.Captioned("panels", "D_KL of the true next-token distribution from the predicted one, averaged over held-out "+
		"sequences: the Bayesian model average, maximum likelihood, the construction with one head in its second "+
		"layer and with enough heads to keep transitions apart, and trained transformers; bands are the range over "+
		"seeds. The quick profile trains disentangled transformers on shorter sequences.", f)
	out.CSV("panels", document.Numbers([]string{"panel", "curve", "heads", "seed", "position", "kl"}, rows))
}

// chart returns the chart of the panel.
func (p panel) chart() figure.Chart {
	chart := alongChart("lags " + p.task.String())
	ml := band("ML", [][]float64{p.ml}, figure.Grey)
	ml.Open = true
	chart.Series = append(chart.Series, band("BMA", [][]float64{p.bma}, figure.Grey), ml)
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

// rows returns the curves for the data file, numbered: 1 is BMA, 2 ML, 3 constructed, 4
// standard, 5 disentangled.
func (p panel) rows(number float64) (rows [][]float64) {
	add := func(curve, heads, seed int, along []float64) {
		for t, x := range along {
			rows = append(rows, []float64{number, float64(curve), float64(heads), float64(seed), float64(t + 1), x})
		}
	}
	add(1, 0, 0, p.bma)
	add(2, 0, 0, p.ml)
	for _, w := range p.written {
		add(3, w.heads, 0, w.along)
	}
	for _, t := range p.trained {
		kind := 4
		if t.disentangled {
			kind = 5
		}
		for seed, m := range t.Models {
			add(kind, t.heads, seed+1, m.Found.along)
		}
	}
	return rows
}
