package mess3

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
)

// seedChart draws a number for each model of a condition, by seed, and the same number
// for its random initialisation. Marks of models that have not converged are hollow. On
// the left is the mean over the converged models with its interval, which decides the
// verdict. The lines show what the number is compared with.
func seedChart[M any](g replicates[M], label string, number func(M) float64, lines ...figure.Ref) figure.Chart {
	mean := figure.Series{Name: "mean, 95 %", Color: 1, Style: figure.Scatter}
	trained := figure.Series{Name: "trained", Color: 2, Style: figure.Scatter}
	resting := figure.Series{Name: "not converged", Color: 2, Style: figure.Scatter, Open: true}
	random := figure.Series{Name: "random initialisation", Color: figure.Grey, Style: figure.Scatter}
	places := []string{"mean"}
	for i, m := range g.Models {
		places = append(places, fmt.Sprint(m.Seed))
		to := &trained
		if m.Unconverged != "" {
			to = &resting
		}
		to.Add(float64(i+1), number(m.Found))
		random.Add(float64(i+1), number(m.Random))
	}
	if found, _ := g.converged(); len(found) > 0 {
		m, interval := claim.Mean(numbers(found, number))
		if interval != nil {
			mean.AddInterval(0, m, interval.Low, interval.High)
		} else {
			mean.Add(0, m)
		}
	}
	chart := figure.Chart{
		Title: g.String(), X: figure.Axis{Label: "seed", Names: places},
		Y: figure.Axis{Label: label}, Refs: lines,
	}
	for _, series := range []figure.Series{mean, trained, resting, random} {
		if len(series.X) > 0 {
			chart.Series = append(chart.Series, series)
		}
	}
	return chart
}

// trainedOnly returns the conditions that have models.
func trainedOnly[M any](conditions []replicates[M]) []replicates[M] {
	return slices.DeleteFunc(slices.Clone(conditions), func(g replicates[M]) bool { return len(g.Models) == 0 })
}

// seedFrame returns a frame with a row for each model: the model, whether it has
// converged, and the cells of the given columns.
func seedFrame[M any](
	title string, conditions []replicates[M], columns []document.Column,
	cells func(on trained.Source, found, random M) []any,
) document.Frame {
	f := document.Frame{Title: title, Columns: slices.Concat(document.Named("x", "alpha"), document.Headed("", "model"),
		[]document.Column{{Name: "seed", Heading: "seed"}}, document.Named("converged"),
		document.Headed("", "converged"), columns)}
	for _, g := range conditions {
		for _, m := range g.Models {
			model := []any{g.X, g.A, g.Label(), m.Seed, m.Unconverged == "", claim.IfConverged(m.Unconverged)}
			f.Row(append(model, cells(g.Source, m.Found, m.Random)...)...)
		}
	}
	return f
}

// seedNumbers returns a [seedFrame] for a data file: numbers of each model and, in
// columns whose names end in _random_init, of its random initialisation.
func seedNumbers[M any](conditions []replicates[M], names []string, of ...func(M) float64) document.Frame {
	var columns []document.Column
	for _, name := range names {
		columns = append(columns, document.Named(name, name+"_random_init")...)
	}
	return seedFrame("", conditions, columns, func(_ trained.Source, found, random M) (cells []any) {
		for _, number := range of {
			cells = append(cells, number(found), number(random))
		}
		return cells
	})
}
