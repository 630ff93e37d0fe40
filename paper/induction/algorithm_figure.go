package induction

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

// onOthers and onP return the divergence of each model from a candidate.
func onOthers(candidate int) func(computing) float64 {
	return func(m computing) float64 { return m.others()[candidate] }
}

func onP(candidate int) func(computing) float64 {
	return func(m computing) float64 { return m.byMatrix[0].forward[candidate] }
}

func (m computed) tabulate(c *claim.Claim) {
	where := fmt.Sprintf("on %d other matrices", otherMatrices)
	others := m.table(where, 0, judgedCandidates, onOthers)
	own := m.table("on P", 0, judgedCandidates, onP)
	soft := m.table(where, judgedCandidates, len(m.candidates), onOthers)
	m.addControls(&others, 0, judgedCandidates)
	m.addControls(&soft, judgedCandidates, len(m.candidates))
	c.Tables = append(c.Tables, others.Table(), own.Table(), soft.Table(), m.fallTable())
}

// addControls adds the controls' divergences from the candidates from first to last−1.
func (m computed) addControls(table *document.Frame, first, last int) {
	for i, control := range controls {
		row := []any{"for comparison: " + m.candidates[control], "–"}
		for _, x := range m.scale[i][first:last] {
			row = append(row, x)
		}
		table.Row(append(row, m.candidates[control], "–")...)
	}
}

// table returns the divergences of all kinds of models from the candidates from first to
// last−1, averaged over positions and seeds.
func (m computed) table(where string, first, last int, of func(candidate int) func(computing) float64) document.Frame {
	table := document.Frame{
		Title: fmt.Sprintf("D_KL(observer ‖ model) in nats, %s; means over positions %d to T and seeds",
			where, judgedFrom),
		Columns: slices.Concat(document.Headed("", "model", "seeds"),
			document.Headed("%.3f", m.candidates[first:last]...),
			document.Headed("", "nearest of the eight on other matrices", "solve the task")),
	}
	for _, kind := range m.kinds {
		row := []any{kind.Name, len(kind.Models)}
		for r := first; r < last; r++ {
			row = append(row, seeds.Mean(kind.All(of(r))))
		}
		solve := within(kind.All(func(m computing) float64 { return m.atEnd }), solved)
		table.Row(append(row, m.nearestText(kind), fmt.Sprintf("%d of %d", solve.K, solve.N))...)
	}
	return table
}

// fallTable returns the table of the divergence above BMA along the sequence.
func (m computed) fallTable() document.Table {
	table := document.Frame{
		Title: fmt.Sprintf("divergence above BMA along the sequence on P, and fits to its logarithm over positions %d "+
			"to T; means over seeds", judgedFrom),
		Columns: slices.Concat(document.Headed("", "model"),
			document.Headed("%.4f", "nats in the last eighth"),
			document.Headed("%.2f", "residual of A·e^(−ct)", "residual of A/t"),
			document.Headed("%.1f", "falls by a factor of", "1/T falls by"),
			document.Headed("", "faster than 1/T", "final")),
	}
	for _, kind := range m.kinds {
		mean := func(of func(fall) float64) float64 {
			return seeds.Mean(kind.All(func(m computing) float64 { return of(m.fall()) }))
		}
		end := endIn(kind.context)
		n := len(kind.Models)
		table.Row(kind.Name, seeds.Mean(kind.All(func(m computing) float64 { return end.mean(m.along) })),
			mean(func(f fall) float64 { return f.exponential }), mean(func(f fall) float64 { return f.inverse }),
			mean(func(f fall) float64 { return f.factor }), mean(func(f fall) float64 { return f.factorInverse }),
			fmt.Sprintf("%d of %d", countOf(kind.Models, func(m computing) bool { return m.fall().faster() }), n),
			fmt.Sprintf("%d of %d", countOf(kind.Models, func(m computing) bool { return m.falls == "" }), n))
	}
	return table.Table()
}

// drawn returns the kinds of models that are drawn: all models of the first problem,
// which has models with two, three and four layers.
func (m computed) drawn() []computedKind {
	first := m.kinds[0].problem
	return slices.DeleteFunc(slices.Clone(m.kinds), func(k computedKind) bool { return k.problem != first })
}

func (m computed) draw(out *claim.Output) {
	out.Figure("nearest", figure.Row("What trained models compute",
		"Dots: divergence of models from each observer, on other matrices at the left and on P at the right.",
		m.dots(fmt.Sprintf("%d other matrices", otherMatrices), onOthers), m.dots("P of training", onP)))
	chart := alongChart("")
	chart.Y.Log, chart.Y.Include, chart.Y.Label = true, nil, "nats above BMA"
	for i, kind := range m.drawn() {
		var along [][]float64
		for _, one := range kind.Models {
			along = append(along, one.Found.along[judgedFrom-1:])
		}
		series := band(shortName(kind), along, i%(figure.Grey-1)+1)
		for j := range series.X {
			series.X[j] += judgedFrom - 1
		}
		series.Open = i >= figure.Grey-1
		chart.Series = append(chart.Series, series)
	}
	chart.Series = append(chart.Series, m.inverse())
	out.Figure("fall", figure.Single("Divergence along the sequence",
		"Divergence above BMA against position, a line for each kind of model, and a line that falls like 1/T.", chart))
	out.CSV("nearest", m.nearestFrame())
	out.CSV("fall", m.fallFrame())
}

// shortName is the name of a drawn kind without its lags, which all drawn kinds share.
func shortName(kind computedKind) string {
	return strings.TrimPrefix(kind.Name, fmt.Sprintf("lags %s, heads ", kind.task))
}

// inverse returns a line that falls like 1/T, from the divergence of the first drawn
// kind.
func (m computed) inverse() figure.Series {
	kind := m.kinds[0]
	s := figure.Series{Name: "∝ 1/T", Color: figure.Grey, Style: figure.Curve}
	start := kind.Models[0].Found.along[judgedFrom-1]
	for t := judgedFrom; t <= kind.context; t++ {
		s.Add(float64(t), start*judgedFrom/float64(t))
	}
	return s
}

// dots returns a panel with the divergences of the drawn kinds from each candidate.
func (m computed) dots(title string, of func(candidate int) func(computing) float64) figure.Dots {
	d := figure.Dots{Title: title, X: figure.Axis{Label: "D_KL(observer ‖ model), nats", Include: []float64{0}}}
	for _, kind := range m.drawn() {
		d.Groups = append(d.Groups, shortName(kind))
	}
	for r, name := range m.candidates[:judgedCandidates] {
		series := figure.DotSeries{Name: name, Color: r%figure.Grey + 1, Open: r >= figure.Grey}
		for _, kind := range m.drawn() {
			series = seeds.Dot(series, kind.All(of(r)))
		}
		d.Series = append(d.Series, series)
	}
	return d
}

// modelColumns are the columns that name a model in the data files of row I20.
var modelColumns = []document.Column{
	{Name: "model", Meaning: "the kind of model, by its row in the table, from 1"}, {Name: "seed"},
}

func (m computed) nearestFrame() document.Frame {
	f := document.Frame{Columns: slices.Concat(modelColumns, []document.Column{
		{Name: "of_matrix", Meaning: "0 for P, from 1 on for the other matrices"},
		{Name: "observer", Meaning: "the observer", Codes: m.candidates},
		{Name: "from_observer", Meaning: "D_KL(observer ‖ model), nats"},
		{Name: "from_model", Meaning: "D_KL(model ‖ observer), nats"},
	})}
	for i, kind := range m.kinds {
		for _, one := range kind.Models {
			for matrix, d := range one.Found.byMatrix {
				for r := range m.candidates {
					f.Row(i+1, one.Seed, matrix, r, d.forward[r], d.reverse[r])
				}
			}
		}
	}
	return f
}

func (m computed) fallFrame() document.Frame {
	f := document.Frame{Columns: slices.Concat(modelColumns, []document.Column{
		{Name: "position"}, {Name: "above_bma"},
	})}
	for i, kind := range m.kinds {
		for _, one := range kind.Models {
			for t, x := range one.Found.along {
				f.Row(i+1, one.Seed, t+1, x)
			}
		}
	}
	return f
}
