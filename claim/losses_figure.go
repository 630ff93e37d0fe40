package claim

import (
	"fmt"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/train"
)

const (
	lossWidth  = 680.0 // width of a figure, in points
	titleWidth = 6.6   // largest width of a letter in a panel's title, in points
	fewPoints  = 12    // curves with at most this many evaluations have markers
	mostPanels = 12    // largest number of panels in a figure

	lossTitle = "How the models learned"
)

// Figures draws loss against training step, in one panel for each group of models that
// differ only in their seed. Each panel marks the floor, the loss of the optimal
// predictor, and chance, the loss of the best constant guess. For several models the line
// is their median and the band holds all of them. A figure has as many panels as fit on a
// page, at most twelve.
func (l *Losses) Figures() []*figure.Figure {
	names := l.titles()
	columns := l.columns(names)
	each := columns * min(mostPanels/columns, 2*columns) // more panels in a row make each panel lower, so more rows fit
	count := (len(l.curves) + each - 1) / each
	var figures []*figure.Figure
	for first := 0; first < len(l.curves); first += each {
		end := min(first+each, len(l.curves))
		part := Losses{l.curves[first:end]}
		title := lossTitle
		if count > 1 {
			title = fmt.Sprintf("%s, %d of %d", lossTitle, len(figures)+1, count)
		}
		figures = append(figures, &figure.Figure{
			Title: title, Desc: part.describe(), Width: lossWidth, Panels: part.panels(names[first:end], columns),
		})
	}
	return figures
}

// panels arranges the panels of the curves in rows of the given number of columns.
func (l *Losses) panels(names []string, columns int) (rows [][]figure.Panel) {
	for i, c := range l.curves {
		if i%columns == 0 {
			rows = append(rows, nil)
		}
		panel := c.panel(names[i])
		if i%columns == 0 {
			panel.Y.Label = "loss, nats"
		}
		if i+columns >= len(l.curves) {
			panel.X.Label = "step"
		}
		if i%columns < columns-1 && i < len(l.curves)-1 {
			panel.Refs[0].Label, panel.Refs[1].Label = "", ""
		}
		row := &rows[len(rows)-1]
		*row = append(*row, panel)
	}
	return rows
}

// columns returns the number of panels in a row: few enough that their titles do not
// overlap.
func (l *Losses) columns(names []string) int {
	longest := 20
	for _, name := range names {
		longest = max(longest, len([]rune(name)))
	}
	return max(1, min(len(names), 4, int(lossWidth/(titleWidth*float64(longest)))))
}

func (c lossCurve) panel(title string) figure.Chart {
	s := figure.Series{X: c.steps, Y: c.median, Color: 1}
	if c.models > 1 {
		s.Lo, s.Hi, s.Style = c.low, c.high, figure.BandedLine
	}
	if len(c.steps) > fewPoints {
		s.Style = figure.Curve
	}
	return figure.Chart{
		Title: title, X: figure.Axis{Include: []float64{0}}, Series: []figure.Series{s}, Aspect: 0.5,
		Refs: []figure.Ref{{Label: "floor", Value: c.floor}, {Label: "chance", Value: c.chance}},
	}
}

// titles returns the curves' names without their common prefix, each followed by its
// number of models if there are several.
func (l *Losses) titles() []string {
	common := l.curves[0].name
	for _, c := range l.curves {
		for !strings.HasPrefix(c.name, common) {
			common = common[:strings.LastIndex("-"+common[:len(common)-1], "-")]
		}
	}
	if len(l.curves) == 1 {
		common = ""
	}
	names := make([]string, len(l.curves))
	for i, c := range l.curves {
		names[i] = strings.TrimPrefix(c.name, common)
		if c.models > 1 {
			names[i] += fmt.Sprintf(" (%d)", c.models)
		}
	}
	return names
}

// describe returns a description of the figure in words: where each curve ends.
func (l *Losses) describe() string {
	var parts []string
	for _, c := range l.curves {
		last := len(c.steps) - 1
		parts = append(parts, fmt.Sprintf("%s: after step %.0f loss %.5f, floor %.5f, chance %.5f nats",
			c.name, c.steps[last], c.median[last], c.floor, c.chance))
	}
	return strings.Join(parts, ". ") + "."
}

// Caption describes the figures.
func (l *Losses) Caption() string {
	exact := 0
	for _, c := range l.curves {
		exact += c.exact
	}
	text := "Loss by step, " + train.MeanOver(exact, l.Models()) +
		", between the loss of the optimal predictor (floor) and the loss of the best constant guess (chance). " +
		"A curve starts at the first evaluation whose loss is above chance by at most the difference between " +
		"chance and floor. "
	if l.Models() > len(l.curves) {
		text += "Models that differ only in their random seed share a panel, whose title gives their number: " +
			"the line is their median, and the band holds all of them. "
	}
	return text + "Titles are the names of folders in `runs`."
}

// CSV returns the numbers in the figures as a table, and a description of its columns.
// The argument is the path of the table's file, relative to the output folder.
func (l *Losses) CSV(file string) ([]byte, Content, error) {
	f := document.Frame{Columns: []document.Column{
		{Name: "group", Meaning: "the group of models, by the name of their folders"},
		{Name: "models", Meaning: "number of models"},
		{Name: "step", Meaning: "training step"},
		{Name: "loss", Meaning: "cross-entropy, nats"},
		{Name: "loss_lowest", Meaning: "smallest loss among the models, nats"},
		{Name: "loss_highest", Meaning: "largest loss among the models, nats"},
		{Name: "floor", Meaning: "loss of the optimal predictor, nats"},
		{Name: "chance", Meaning: "loss of the best constant guess, nats"},
	}}
	for k, c := range l.curves {
		f.Columns[0].Codes = append(f.Columns[0].Codes, c.name)
		for i, step := range c.steps {
			f.Row(k, c.models, step, c.median[i], c.low[i], c.high[i], c.floor, c.chance)
		}
	}
	return newTable(file, f, Glossary{})
}
