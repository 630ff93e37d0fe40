package signals

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

func (m quantised) tabulate(c *claim.Claim) {
	for _, s := range m.sources {
		c.Tables = append(c.Tables, m.distortions(s))
	}
	for _, split := range m.splits {
		c.Tables = append(c.Tables, split.table())
	}
	c.Setting = fmt.Sprintf("quantisers are fitted on %d samples, and measured on the same number of other samples",
		len(m.sources[0].train))
	uniform, _ := m.at(gaussianSource, uniformCoder, highestRate)
	c.Notes = append(c.Notes, fmt.Sprintf("The slides name the methods but no rates, blocks or signals; the "+
		"laboratory chose these. A rate is log₂ of the size of the alphabets. If tokens were coded by their "+
		"frequencies, uniform tokens of %d bits on the Gaussian would take %.2f bits.", highestRate, uniform.entropy),
		m.accuracyNote())
}

// accuracyNote returns the note on how often the recurrence of Mackey–Glass, applied to
// decoded samples, predicts the next token.
func (m quantised) accuracyNote() string {
	for _, e := range m.split(glassSource, uniformCoder) {
		if e.levels == lectureLevels {
			return fmt.Sprintf("With %d uniform levels, the recurrence of Mackey–Glass predicts %s %% of the next "+
				"tokens correctly: without the exact samples, the equation does not determine the token. The "+
				"lecture's predictors predict 37.5 (linear), 44.1 (MLP) and 54.0 %% (GPT) on its recording.",
				e.levels, percent(e.accuracy))
		}
	}
	return ""
}

// distortions returns the table of a source, with one row for each coder.
func (m quantised) distortions(s source) document.Table {
	table := document.Table{Title: "distortion/σ², " + s.name, Columns: []string{"bits a sample"}}
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

// table returns the table of a forecaster's errors, with one row for each number of
// levels.
func (c splitCurve) table() document.Table {
	table := document.Table{
		Title: fmt.Sprintf("squared error of forecasts/σ², %s, %s", c.source, c.coder),
		Columns: []string{
			"levels", "total", "quantisation", "prediction", "cross", "total in theory", "token predicted, %",
		},
	}
	for _, e := range c.errors {
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(e.levels), fmt.Sprintf("%.3g", e.total), fmt.Sprintf("%.3g", e.quantisation),
			fmt.Sprintf("%.3g", e.prediction), fmt.Sprintf("%.2g", e.cross), fmt.Sprintf("%.3g", e.known),
			percent(e.accuracy),
		})
	}
	return table
}

func (m quantised) draw(out *claim.Output) {
	out.Figure("gaussian", m.gaussianFigure())
	for family, f := range families {
		out.Figure(f.file, m.familyFigure(family))
	}
	out.Figure("events", figure.Row("Events and samples",
		"On the step signal, the curve of events is below the curves of the quantisers. On independent samples, "+
			"it is far to their right.",
		m.eventChart(stepSource), m.eventChart(gaussianSource)))
	out.Figure("prediction", m.predictionFigure())
	m.write(out)
}

// write writes the numbers behind the figures. Sources and coders are numbered from 0 in
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
	out.CSV("rate-distortion", document.Numbers([]string{
		"source", "quantiser", "rate", "entropy_rate", "distortion", "tokens_returned",
	}, rows))
	rows = nil
	for i, c := range m.events {
		for _, p := range c.points {
			rows = append(rows, []float64{float64(i), p.rate, p.distortion})
		}
	}
	out.CSV("events", document.Numbers([]string{"source", "rate", "distortion"}, rows))
	rows = nil
	for i, c := range m.splits {
		for _, e := range c.errors {
			rows = append(rows, []float64{
				float64(i), float64(e.levels), e.total, e.quantisation, e.prediction, e.cross, e.known, e.accuracy,
			})
		}
	}
	out.CSV("prediction", document.Numbers([]string{
		"table", "levels", "total", "quantisation", "prediction", "cross", "known", "accuracy",
	}, rows))
}

// timesBound returns a distortion divided by Shannon's bound for independent Gaussian
// samples.
func timesBound(p ratePoint) float64 { return p.distortion / shannonBound(p.rate) }

// familyFigure returns a figure of the coders in a family: first their distortions on the
// Gaussian, then, for each source, their distortions divided by Shannon's bound.
func (m quantised) familyFigure(family int) *figure.Figure {
	first := m.rateChart(m.sources[0], family, "D/σ²", func(p ratePoint) float64 { return p.distortion })
	first.Series = append(first.Series, boundSeries(m.sources[0], func(float64) float64 { return 1 }))
	panels := []figure.Panel{first}
	for _, s := range m.sources {
		chart := m.rateChart(s, family, "D/(σ²·2^(−2R))", timesBound)
		if s.bound != nil {
			chart.Series = append(chart.Series, boundSeries(s, shannonBound))
		}
		if s.name == gaussianSource {
			chart.Refs = []figure.Ref{{Label: "√3π/2", Value: math.Sqrt(3) * math.Pi / 2}}
		}
		panels = append(panels, chart)
	}
	return &figure.Figure{
		Title: "Rate and distortion: " + families[family].name, Width: wide, Desc: families[family].seen,
		Panels: [][]figure.Panel{panels[:3], panels[3:]},
	}
}

// gaussianFigure returns a figure with all families on the Gaussian. Each quantiser has a
// different style.
func (m quantised) gaussianFigure() *figure.Figure {
	const hues = 6
	var panels []figure.Panel
	drawn := 0
	for family, f := range families {
		chart := m.rateChart(m.sources[0], family, "D/σ²", func(p ratePoint) float64 { return p.distortion })
		chart.Title = f.name
		for i := range chart.Series {
			if s := &chart.Series[i]; s.Name != lloydMaxCoder {
				drawn++
				s.Color, s.Open = drawn%hues+1, drawn >= hues
			}
		}
		chart.Series = append(chart.Series, boundSeries(m.sources[0], func(float64) float64 { return 1 }))
		panels = append(panels, chart)
	}
	return &figure.Figure{
		Title: "Rate and distortion on a Gaussian", Width: wide, Panels: [][]figure.Panel{panels},
		Desc: "All curves are above Shannon's bound. Vectors are nearest to it, uniform and companding quantisers " +
			"farthest.",
	}
}

// boundSeries returns Shannon's bound for a source as a series. At each rate, the bound
// is divided by the result of unit.
func boundSeries(s source, unit func(rate float64) float64) figure.Series {
	bound := figure.Series{Name: "Shannon's bound", Color: figure.Grey}
	for _, rate := range rates {
		bound.X = append(bound.X, rate)
		bound.Y = append(bound.Y, s.bound(rate)/unit(rate))
	}
	return bound
}

// wide is the width of figures with three columns.
const wide = 760

// rateChart draws a value by rate, on one source, for Lloyd–Max and for each coder in a
// family.
func (m quantised) rateChart(s source, family int, label string, value func(ratePoint) float64) figure.Chart {
	chart := figure.Chart{
		Title: s.name,
		X:     figure.Axis{Label: "bits a sample", Include: []float64{0}},
		Y:     figure.Axis{Label: label, Log: true, Include: []float64{1}},
	}
	add := func(coder string) {
		series := figure.Series{Name: coder, Open: coder == aLawCoder} // hollow, so that the µ-law remains visible
		for _, p := range m.curve(s.name, coder) {
			series.X = append(series.X, p.rate)
			series.Y = append(series.Y, value(p))
		}
		chart.Series = append(chart.Series, series)
	}
	add(lloydMaxCoder)
	for _, c := range m.coders {
		if c.family == family && c.name != lloydMaxCoder {
			add(c.name)
		}
	}
	return chart
}

// curve returns the measurements of a coder on a source, by rate.
func (m quantised) curve(source, coder string) []ratePoint {
	at := slices.IndexFunc(m.curves, func(c rateCurve) bool { return c.source == source && c.coder == coder })
	return m.curves[at].points
}

// bests returns, for each rate, the measurements of the quantiser with the least
// distortion.
func (m quantised) bests(source string) (list []ratePoint) {
	for _, rate := range rates {
		best := ratePoint{distortion: math.Inf(1)}
		for _, c := range m.coders {
			if p, ok := m.at(source, c.name, rate); ok && p.distortion < best.distortion {
				best = p
			}
		}
		list = append(list, best)
	}
	return list
}

// eventChart draws distortion by rate on one source: for the event codes, for Lloyd–Max,
// and for the best quantiser at each rate.
func (m quantised) eventChart(source string) figure.Chart {
	chart := figure.Chart{
		Title: source, X: figure.Axis{Label: "bits a sample", Log: true}, Y: figure.Axis{Label: "D/σ²", Log: true},
	}
	at := slices.IndexFunc(m.events, func(c rateCurve) bool { return c.source == source })
	for i, points := range [][]ratePoint{m.events[at].points, m.curve(source, lloydMaxCoder), m.bests(source)} {
		series := figure.Series{Name: []string{"events", lloydMaxCoder, "best of all quantisers"}[i], Open: i == 2}
		for _, p := range points {
			series.X = append(series.X, p.rate)
			series.Y = append(series.Y, p.distortion)
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}

// predictionFigure returns a figure of the forecasts' errors and their terms: as shares
// of the variance in the first row, in units of the quantisation error in the second.
func (m quantised) predictionFigure() *figure.Figure {
	f := &figure.Figure{
		Title: "Quantisation and prediction",
		Desc:  "Errors fall with the square of the number of levels. On AR(1) the total falls only to a lower limit.",
		Cols:  []string{arSource, glassSource},
	}
	for i, label := range []string{"squared error/σ²", "in units of quantisation"} {
		unit := func(e predictionError) float64 {
			if i == 0 {
				return 1
			}
			return e.quantisation
		}
		f.Panels = append(f.Panels, []figure.Panel{
			splitChart(label, unit, m.split(arSource, uniformCoder)),
			splitChart(label, unit, m.split(glassSource, uniformCoder)),
		})
	}
	return f
}

func splitChart(label string, unit func(e predictionError) float64, errors []predictionError) figure.Chart {
	parts := []struct {
		name string
		of   func(e predictionError) float64
	}{
		{"total", func(e predictionError) float64 { return e.total }},
		{"quantisation", func(e predictionError) float64 { return e.quantisation }},
		{"prediction", func(e predictionError) float64 { return e.prediction }},
		{"size of the cross term", func(e predictionError) float64 { return math.Abs(e.cross) }},
		{"total in theory", func(e predictionError) float64 { return e.known }},
	}
	chart := figure.Chart{X: figure.Axis{Label: "levels", Log: true}, Y: figure.Axis{Label: label, Log: true}}
	for i, part := range parts {
		series := figure.Series{Name: part.name, Color: i + 1, Open: i > 2}
		for _, e := range errors {
			series.X = append(series.X, float64(e.levels))
			series.Y = append(series.Y, part.of(e)/unit(e))
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}
