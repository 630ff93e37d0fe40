package signals

import (
	"fmt"
	"math"

	"foretell/claim"
	"foretell/figure"
)

func (m quantised) tabulate(c *claim.Claim) {
	for _, s := range m.sources {
		c.Tables = append(c.Tables, m.distortions(s))
	}
	for _, split := range m.splits {
		c.Tables = append(c.Tables, split.table())
	}
	c.Setting = fmt.Sprintf("quantisers are fitted on %d samples and measured on as many others", sourceSamples)
	c.Notes = append(c.Notes,
		"The slides name the methods and no rates, blocks or signals; those here are ours. A rate is log₂ of the alphabets, "+
			"all of one size: coding tokens by their frequencies would take less, at 5 bits on the Gaussian "+
			fmt.Sprintf("%.2f bits for uniform tokens.", m.entropyOfUniform()),
		fmt.Sprintf("The sine has a period of %g samples. Of the lecture's, of period 16, 9 values are all there is, so "+
			"that 9 "+
			"levels have no error.", sinePeriod),
		"Shannon's bound stands in the figures of the sine and of Mackey–Glass, too, as the dashed line of a Gaussian of "+
			"the "+
			"same variance: it is the most that any signal of this variance needs, and both are below it where blocks are "+
			"quantised.",
		"Learned: "+m.beatsMeans().Obtained+". With one code a block it could be no better than k-means at its best.",
		"The forecaster of Mackey–Glass is the recurrence itself on what tokens stand for; that of AR(1) is ρ times the "+
			"last "+
			"sample's point. Both are the best where samples are not quantised; from tokens, older ones could help.")
}

func (m quantised) entropyOfUniform() float64 {
	p, _ := m.at(gaussianSource, uniformCoder, highestRate)
	return p.entropy
}

// distortions is the table of a source, a row a coder.
func (m quantised) distortions(s source) claim.Table {
	table := claim.Table{Title: "distortion/σ², " + s.name, Columns: []string{"bits a sample"}}
	for _, rate := range rates {
		table.Columns = append(table.Columns, fmt.Sprint(rate))
	}
	for _, c := range m.coders {
		row := []string{c.name}
		for _, rate := range rates {
			cell := ""
			if p, ok := m.at(s.name, c.name, rate); ok {
				cell = fmt.Sprintf("%.3g", p.distortion)
			}
			row = append(row, cell)
		}
		table.Rows = append(table.Rows, row)
	}
	if s.bound != nil {
		row := []string{"Shannon's bound"}
		for _, rate := range rates {
			row = append(row, fmt.Sprintf("%.3g", s.bound(rate)))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// table is that of a forecaster's errors, a row a number of levels.
func (c splitCurve) table() claim.Table {
	table := claim.Table{
		Title: fmt.Sprintf("error of forecasts/σ², %s, %s", c.source, c.coder),
		Columns: []string{
			"levels", "total", "quantisation", "prediction", "cross", "total as known", "token foretold, %",
		},
	}
	for _, e := range c.errors {
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(e.levels), fmt.Sprintf("%.3g", e.total), fmt.Sprintf("%.3g", e.quantisation),
			fmt.Sprintf("%.3g", e.prediction), fmt.Sprintf("%.2g", e.cross), fmt.Sprintf("%.3g", e.known), percent(e.accuracy),
		})
	}
	return table
}

func (m quantised) draw(out *claim.Output) {
	out.Figure("gaussian", "Distortion of every quantiser on independent Gaussian samples, by its rate, beside "+
		"Shannon's bound "+
		"D = σ²·2^(−2R) and the high-rate law of the best scalar one, √3π/2·σ²·2^(−2R), a quarter of a bit above it. "+
		"Blocks by "+
		"a codebook come nearer to the bound; transforms of independent samples gain nothing.",
		m.rateFigure("Rate and distortion on a Gaussian", m.sources[:1]))
	out.Figure("signals", "The same on a correlated source with its own bound (reverse water-filling), on a sine and on "+
		"Mackey–Glass, where the dashed line is that of a Gaussian of the same variance. What samples share is a gain for "+
		"blocks.", m.rateFigure("Rate and distortion on three signals", m.sources[1:]))
	out.Figure("prediction", "The squared error of a forecast from the last tokens, by the number of uniform levels, "+
		"and its parts: "+
		"what the quantisation of the target costs, what the forecast of its point costs, and the size of their cross term. "+
		"The AR(1) source keeps the error of its innovation; of the recurrence everything is due to quantisation.",
		figure.Row("Quantisation and prediction", "Errors fall with the square of the number of levels, of AR(1) to a floor.",
			splitChart(arSource, m.split(arSource, uniformCoder)),
			splitChart(glassSource, m.split(glassSource, uniformCoder))))
	m.write(out)
}

// write writes the numbers behind the figures: sources and coders are counted from 0 in
// the order of the tables.
func (m quantised) write(out *claim.Output) {
	var rows [][]float64
	for i, c := range m.curves {
		for _, p := range c.points {
			rows = append(rows, []float64{
				float64(i / len(m.coders)), float64(i % len(m.coders)), p.rate, p.entropy, p.distortion, p.returned,
			})
		}
	}
	out.CSV("rate-distortion", []string{
		"source", "quantiser", "rate", "entropy_rate", "distortion", "tokens_returned",
	}, rows)
	rows = nil
	for i, c := range m.splits {
		for _, e := range c.errors {
			rows = append(rows, []float64{
				float64(i), float64(e.levels), e.total, e.quantisation, e.prediction, e.cross, e.known, e.accuracy,
			})
		}
	}
	out.CSV("prediction", []string{
		"table", "levels", "total", "quantisation", "prediction", "cross", "known", "accuracy",
	}, rows)
}

// rateFigure has a row of panels for each source, one for each family of coders.
func (m quantised) rateFigure(title string, of []source) *figure.Figure {
	f := &figure.Figure{
		Title: title, Desc: "Distortion on a logarithmic axis falls in straight lines, along Shannon's " +
			"bound.", Cols: families,
	}
	for _, s := range of {
		var row []figure.Panel
		for family := range families {
			row = append(row, m.rateChart(s, family))
		}
		f.Panels = append(f.Panels, row)
		if len(of) > 1 {
			f.Rows = append(f.Rows, s.name)
		}
	}
	return f
}

// rateChart draws the coders of a family on a source, with Lloyd–Max in each.
func (m quantised) rateChart(s source, family int) figure.Chart {
	chart := figure.Chart{
		X:      figure.Axis{Label: "bits a sample", Include: []float64{0}},
		Y:      figure.Axis{Label: "D/σ²", Log: true, Include: []float64{1}},
		Series: []figure.Series{boundSeries(s)},
	}
	place := 0
	for _, c := range m.coders {
		if c.family != family && c.name != lloydMaxCoder {
			continue
		}
		place++
		series := figure.Series{Name: c.name, Color: (place-1)%(figure.Grey-1) + 1, Open: family > 0}
		if c.name == lloydMaxCoder {
			series.Color, series.Open = lloydMaxColor, false
		}
		for _, curve := range m.curves {
			if curve.source != s.name || curve.coder != c.name {
				continue
			}
			for _, p := range curve.points {
				if p.distortion > 0 {
					series.X, series.Y = append(series.X, p.rate), append(series.Y, p.distortion)
				}
			}
		}
		if len(series.X) > 0 {
			chart.Series = append(chart.Series, series)
		}
	}
	return chart
}

const lloydMaxColor = 5

// boundSeries is Shannon's bound of a source, or that of a Gaussian like it, dashed.
func boundSeries(s source) figure.Series {
	series := figure.Series{Name: "Shannon's bound", Color: figure.Grey}
	bound := s.bound
	if bound == nil {
		bound, series.Name, series.Open = shannonBound, "of a Gaussian", true
	}
	for rate := 0.0; rate <= rates[len(rates)-1]; rate += 0.5 {
		series.X, series.Y = append(series.X, rate), append(series.Y, bound(rate))
	}
	return series
}

func splitChart(title string, errors []predictionError) figure.Chart {
	parts := []struct {
		name string
		of   func(e predictionError) float64
	}{
		{"total", func(e predictionError) float64 { return e.total }},
		{"quantisation", func(e predictionError) float64 { return e.quantisation }},
		{"prediction", func(e predictionError) float64 { return e.prediction }},
		{"size of the cross term", func(e predictionError) float64 { return math.Abs(e.cross) }},
		{"total as known", func(e predictionError) float64 { return e.known }},
	}
	chart := figure.Chart{
		Title: title, X: figure.Axis{Label: "levels", Log: true}, Y: figure.Axis{Label: "squared error/σ²", Log: true},
	}
	for i, part := range parts {
		series := figure.Series{Name: part.name, Color: i + 1, Open: i > 2}
		for _, e := range errors {
			series.X, series.Y = append(series.X, float64(e.levels)), append(series.Y, part.of(e))
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}
