package mess3

import (
	_ "embed"
	"slices"

	"foretell/claim"
	"foretell/document"
)

//go:embed rows_b.md
var rowsMarkdownB string

// textsB holds the texts of M4, M7 to M10, M12, M15, M16, M17b, M17c, M18 and M19.
var textsB = claim.MustTexts(rowsMarkdownB)

// named returns columns of a data file.
func named(names ...string) []document.Column {
	columns := make([]document.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

// headed returns columns of a table whose numbers have one format.
func headed(format string, headings ...string) []document.Column {
	columns := make([]document.Column, len(headings))
	for i, heading := range headings {
		columns[i] = document.Column{Heading: heading, Format: format}
	}
	return columns
}

// seedFrame returns a frame with a row for each model: the model, whether it has
// converged, and the cells of the given columns.
func seedFrame[M any](
	title string, conditions []replicates[M], columns []document.Column, cells func(m seeded[M]) []any,
) document.Frame {
	f := document.Frame{Title: title, Columns: slices.Concat(named("x", "alpha"), headed("", "model"),
		[]document.Column{{Name: "seed", Heading: "seed"}}, named("converged"), headed("", "converged"), columns)}
	for _, g := range conditions {
		for _, m := range g.models {
			model := []any{g.X, g.A, m.Label(), m.Seed, m.unconverged == "", yesOr(m.unconverged)}
			f.Row(append(model, cells(m)...)...)
		}
	}
	return f
}

// judgeEach judges each condition by the same rule; see [replicates.judged].
func judgeEach[M any](
	list []replicates[M], effect func(M) float64, rule func(found, random []M) claim.Condition,
) claim.Finding {
	conditions := make([]claim.Condition, len(list))
	for i, g := range list {
		conditions[i] = g.judged(effect, rule)
	}
	return claim.NewFinding(conditions)
}
