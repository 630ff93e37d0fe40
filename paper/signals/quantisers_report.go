package signals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

func (m quantised) tabulate(c *claim.Claim) {
	for _, s := range m.sources {
		c.Tables = append(c.Tables, m.distortions(s).Table())
	}
	c.Tables = append(c.Tables, m.exactTable().Table(), m.levelTable().Table())
	for _, split := range m.splits {
		title := fmt.Sprintf("squared error of forecasts/σ², %s, %s", split.source, split.coder)
		c.Tables = append(c.Tables, forecasts(title, split).Table())
	}
	uniform, _ := m.at(gaussianSource, uniformCoder, highestRate)
	c.Notes = append(c.Notes, fmt.Sprintf("The slides name the methods but no rates, blocks or signals; the "+
		"laboratory chose these. A rate is log₂ of the size of the alphabets. If tokens were coded by their "+
		"frequencies, uniform tokens of %d bits on the Gaussian would take %.2f bits.", highestRate, uniform.entropy),
		m.accuracyNote(), m.worseNote())
}

// worseNote returns a note on quantisers that have more distortion with more bits.
func (m quantised) worseNote() string {
	var found []string
	for _, c := range m.curves {
		for i := range c.points[1:] {
			less, more := c.points[i], c.points[i+1]
			if more.distortion <= less.distortion {
				continue
			}
			blocks := fmt.Sprintf("blocks of %d", less.block)
			if more.block != less.block {
				blocks += fmt.Sprintf(" and of %d", more.block)
			}
			found = append(found, fmt.Sprintf("%s, %s, %g and %g bits, %s: %.3g and %.3g",
				c.source, c.coder, less.rate, more.rate, blocks, less.distortion, more.distortion))
		}
	}
	if len(found) == 0 {
		return "No quantiser has more distortion with more bits."
	}
	return "Some quantisers have more distortion with more bits, as vectors that have to be shorter do, since a " +
		"codebook has at most 256 codewords (" + strings.Join(found, "; ") + ")."
}

// accuracyNote returns the note on how often the recurrence of Mackey–Glass, applied to
// decoded samples, predicts the next token.
func (m quantised) accuracyNote() string {
	for _, e := range m.split(glassSource, uniformCoder) {
		if e.levels == lectureLevels {
			return fmt.Sprintf("With %d uniform levels, the recurrence of Mackey–Glass predicts %.1f %% of the next "+
				"tokens correctly: without the exact samples, the equation does not determine the token. The "+
				"lecture's predictors predict 37.5 (linear), 44.1 (MLP) and 54.0 %% (GPT) on its recording.",
				e.levels, 100*e.accuracy)
		}
	}
	return ""
}

// distortions returns the distortions on a source, with one row for each coder.
func (m quantised) distortions(s source) document.Frame {
	f := document.Frame{Title: "distortion/σ², " + s.name, Columns: document.Headed("", "bits a sample")}
	for _, rate := range rates {
		f.Columns = append(f.Columns, document.Headed("%.3g", fmt.Sprint(rate))...)
	}
	for _, c := range m.coders {
		cells := []any{c.name}
		for _, rate := range rates {
			if p, ok := m.at(s.name, c.name, rate); ok {
				cells = append(cells, p.distortion)
			} else {
				cells = append(cells, "")
			}
		}
		f.Row(cells...)
		if c.name == vectorCoder {
			f.Row(m.blocks(s)...)
		}
	}
	if s.bound != nil {
		cells := []any{"Shannon's bound"}
		for _, rate := range rates {
			cells = append(cells, s.bound(rate))
		}
		f.Row(cells...)
	}
	return f
}

// blocks returns a row with the number of samples in a vector at each rate.
func (m quantised) blocks(s source) []any {
	cells := []any{"samples a vector"}
	for _, rate := range rates {
		if p, ok := m.at(s.name, vectorCoder, rate); ok {
			cells = append(cells, p.block)
		} else {
			cells = append(cells, "")
		}
	}
	return cells
}

// forecasts returns the errors of forecasts, with one row for each number of levels, as a
// table and as data.
func forecasts(title string, curves ...splitCurve) document.Frame {
	f := document.Frame{Title: title, Columns: []document.Column{
		{Name: "table", Meaning: "the source and the quantiser"},
		{Name: "levels", Heading: "levels"},
		{Name: "total", Heading: "total", Format: "%.3g"},
		{Name: "quantisation", Heading: "quantisation", Format: "%.3g"},
		{Name: "prediction", Heading: "prediction", Format: "%.3g"},
		{Name: "cross", Heading: "cross", Format: "%.2g"},
		{
			Name: "known", Heading: "total in theory", Format: "%.3g",
			Meaning: "the total according to theory, as a share of the variance",
		},
		{Heading: "token predicted, %", Format: "%.1f"},
		{Name: "accuracy", Meaning: "how often the forecast has the next sample's token"},
	}}
	for i, c := range curves {
		f.Columns[0].Codes = append(f.Columns[0].Codes, c.source+", "+c.coder)
		for _, e := range c.errors {
			f.Row(i, e.levels, e.total, e.quantisation, e.prediction, e.cross, e.known, 100*e.accuracy, e.accuracy)
		}
	}
	return f
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
	out.Figure("exact", m.exactFigure())
	out.Figure("levels", m.levelFigure())
	m.write(out)
}

// write writes the numbers behind the figures. Sources and coders are numbered from 0 in
// the order of the tables.
func (m quantised) write(out *claim.Output) {
	sources := document.Column{Name: "source", Meaning: "the signal"}
	for _, s := range m.sources {
		sources.Codes = append(sources.Codes, s.name)
	}
	coders := document.Column{Name: "quantiser", Meaning: "the quantiser"}
	for _, c := range m.coders {
		coders.Codes = append(coders.Codes, c.name)
	}
	curves := document.Frame{Columns: slices.Concat([]document.Column{sources, coders},
		document.Named("rate", "entropy_rate", "distortion", "tokens_returned", "samples"))}
	for i, c := range m.curves {
		for _, p := range c.points {
			curves.Row(i/len(m.coders), i%len(m.coders), p.rate, p.entropy, p.distortion, p.returned, p.block)
		}
	}
	out.CSV("rate-distortion", curves)
	events := document.Frame{Columns: []document.Column{sources, {Name: "rate"}, {Name: "distortion"}}}
	for i, c := range m.events {
		for _, p := range c.points {
			events.Row(i, p.rate, p.distortion)
		}
	}
	out.CSV("events", events)
	out.CSV("prediction", forecasts("", m.splits...))
	out.CSV("exact", m.exactData())
	out.CSV("levels", m.levelTable())
}

// familyFigure returns a figure of the coders in a family: first their distortions on the
// Gaussian, then, for each source, their distortions divided by Shannon's bound.
func (m quantised) familyFigure(family int) *figure.Figure {
	timesBound := func(p ratePoint) float64 { return p.distortion / shannonBound(p.rate) }
	panels := []figure.Panel{
		m.rateChart(m.sources[0], family, "D/σ²", func(p ratePoint) float64 { return p.distortion }),
	}
	for _, s := range m.sources {
		chart := m.rateChart(s, family, "D/(σ²·2^(−2R))", timesBound)
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
		own := chart.Series[1 : len(chart.Series)-1] // between Lloyd–Max and the bound
		for i := range own {
			drawn++
			own[i].Color, own[i].Open = drawn%hues+1, drawn >= hues
		}
		panels = append(panels, chart)
	}
	return &figure.Figure{
		Title: "Rate and distortion on a Gaussian", Width: wide, Panels: [][]figure.Panel{panels},
		Desc: "All curves are above Shannon's bound. Vectors are nearest to it, uniform and companding quantisers " +
			"farthest.",
	}
}

// wide is the width of figures with three columns.
const wide = 760

// rateChart draws a value by rate, on one source, for Lloyd–Max, for each coder in a
// family, and for Shannon's bound if it is known.
func (m quantised) rateChart(s source, family int, label string, value func(ratePoint) float64) figure.Chart {
	chart := figure.Chart{
		Title: s.name,
		X:     figure.Axis{Label: "bits a sample", Include: []float64{0}},
		Y:     figure.Axis{Label: label, Log: true, Include: []float64{1}},
	}
	add := func(coder string) {
		series := figure.Series{Name: coder, Open: coder == aLawCoder} // hollow, so that the µ-law remains visible
		for _, p := range m.curve(s.name, coder) {
			series.Add(p.rate, value(p))
		}
		chart.Series = append(chart.Series, series)
	}
	add(lloydMaxCoder)
	for _, c := range m.coders {
		if c.family == family && c.name != lloydMaxCoder {
			add(c.name)
		}
	}
	if s.bound == nil {
		return chart
	}
	bound := figure.Series{Name: "Shannon's bound", Color: figure.Grey}
	for _, rate := range rates {
		bound.Add(rate, value(ratePoint{rate: rate, distortion: s.bound(rate)}))
	}
	chart.Series = append(chart.Series, bound)
	return chart
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
			series.Add(p.rate, p.distortion)
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
			series.Add(float64(e.levels), part.of(e)/unit(e))
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}
