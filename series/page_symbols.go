package series

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
)

// mostBars is the largest number of symbols that the figure of their probabilities shows.
const mostBars = 24

// unit names what the series has: values or symbols.
func (r *Report) unit() string {
	if r.series.Symbols != nil {
		return "symbol"
	}
	return "value"
}

// symbols names the symbols, or some of many.
func (r *Report) symbols() string {
	const most = 12
	all := r.series.Symbols
	if len(all) <= most {
		return text.And(all)
	}
	return fmt.Sprintf("%d, such as %s", len(all), text.And(all[:most]))
}

// ofCells says that a model is about the cells of numbers.
func (r *Report) ofCells() string {
	if r.series.Symbols != nil {
		return ""
	}
	return fmt.Sprintf(", on %d cells,", r.cells.Levels()[0])
}

// odds returns the probabilities of the symbols, a row for each step.
func (r *Report) odds() document.Frame {
	f := document.Frame{
		Title: "the forecast", Columns: document.Plain(append([]string{"time"}, r.series.Symbols...)...),
	}
	for j := range f.Columns[1:] {
		f.Columns[1+j].Format = "%.4f"
	}
	for _, a := range r.Forecast {
		cells := []any{a.Time}
		for _, p := range a.Probabilities {
			cells = append(cells, p)
		}
		f.Row(cells...)
	}
	return f
}

// next draws the probabilities of the next symbol, and the shares of all symbols.
func (r *Report) next() *figure.Figure {
	chart := figure.Dots{X: figure.Axis{Label: "probability", Include: []float64{0}}}
	series := figure.DotSeries{Name: "in the series", Open: true}
	forecast := figure.DotSeries{Name: "comes next"}
	for _, k := range r.likely() {
		chart.Groups = append(chart.Groups, r.series.Symbols[k])
		series.X = append(series.X, float64(r.Facts.Counts[k])/float64(r.N-r.Missing))
		forecast.X = append(forecast.X, r.Forecast[0].Probabilities[k])
	}
	chart.Series = []figure.DotSeries{forecast, series}
	f := figure.Single(r.title(), r.nextCaption(), chart)
	f.Heading = f.Title
	return f
}

func (r *Report) nextCaption() string {
	what := "each symbol"
	if n := len(r.series.Symbols); n > mostBars {
		what = fmt.Sprintf("the %d most probable of %s", mostBars, text.Count(n, "symbol"))
	}
	return fmt.Sprintf("Probability that %s comes next, by %s, and its share of the series.", what, r.Best)
}

// likely returns the numbers of the most probable next symbols, in their order.
func (r *Report) likely() []int {
	if len(r.Forecast) == 0 {
		return nil
	}
	p := r.Forecast[0].Probabilities
	order := make([]int, len(p))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	order = order[:min(mostBars, len(order))]
	slices.Sort(order)
	return order
}
