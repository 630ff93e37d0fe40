package inspect

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/curves"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/probe"

	"gonum.org/v1/gonum/floats"
)

// stageColumns is the number of stages in a row.
const stageColumns = 3

// dashes are the colour classes of the dashed lines for heads predicted by theory.
var dashes = []int{7, 6, 5, 4}

// figure returns the figure of the stages, or an error if there is nothing to read.
func (p *Portrait) figure() (*figure.Figure, error) {
	if p.seen == nil {
		return nil, fmt.Errorf("%s: %w", p.Process, errors.New(p.Unread))
	}
	return p.stages(), nil
}

// stages draws the target as a regression reads it from each stage of the residual
// stream, next to its true value. Three probabilities are drawn in the triangle, more in
// the plane in which the true values vary most, and a single number against its true
// value. Each sequence has the colour of its true value.
func (p *Portrait) stages() *figure.Figure {
	s := p.seen
	f := &figure.Figure{
		Title: fmt.Sprintf("%s of %s, read from %s", p.target.Title, p.Process, p.Model), Desc: p.describeStages(),
		Width: curves.Width,
	}
	var truths, stages []figure.Panel
	for _, t := range s.truths {
		truths = append(truths, s.panel(s.titled(t), t.data))
	}
	for i, stage := range p.Stages {
		title := fmt.Sprintf("%s, R² = %.3f", stageTitle(p.config, stage.Stage), stage.R2.Mean)
		stages = append(stages, s.panel(title, s.reads[i]))
	}
	switch {
	case s.linear():
		f.Panels = inRows(stages)
	case len(truths) == 1:
		f.Panels = inRows(append(truths, stages...))
	default:
		f.Panels = append(inRows(truths), inRows(stages)...)
	}
	return f
}

// titled returns the title of the panel of a true quantity. It adds "one point" if all
// sequences have the same value.
func (s *pictured) titled(t truth) string {
	at, _, _ := s.coordinates(t.data)
	if first, _ := s.places(at); len(first) == 1 {
		return t.name + ": one point"
	}
	return t.name
}

// inRows divides panels into rows.
func inRows(panels []figure.Panel) [][]figure.Panel {
	return slices.Collect(slices.Chunk(panels, stageColumns))
}

// describeStages describes the figure of the stages in words.
func (p *Portrait) describeStages() string {
	var parts []string
	for _, s := range p.Stages {
		parts = append(parts, fmt.Sprintf("%s %.3f", p.stage(s.Stage), s.R2.Mean))
	}
	return fmt.Sprintf("The %s as a linear regression reads them from each stage of the residual stream, over %d "+
		"sequences, compared with %s. R² by stage: %s.", p.target.Title, len(p.seen.rows), known(p.target),
		strings.Join(parts, ", "))
}

// panel draws a table of true or probed values. It has the columns of the true values
// and a row for each sequence.
func (s *pictured) panel(title string, t probe.Table) figure.Panel {
	at, x, y := s.coordinates(t)
	first, truth := s.places(at)
	if s.triangular() {
		simplex := figure.Simplex{Title: title, Vertices: [3]string(s.names)}
		for i, row := range first {
			simplex.P = append(simplex.P, t.Row(row))
			simplex.Belief = append(simplex.Belief, truth[i])
		}
		return simplex
	}
	points := s.points(at)
	if s.linear() {
		lo, hi := slices.Min(points.X), slices.Max(points.X)
		line := figure.Path{X: []float64{lo, hi}, Y: []float64{lo, hi}}
		return figure.Plane{
			Title: title, X: ofWords(s.target) + " " + x, Y: y, Layers: []figure.Layer{line, points},
		}
	}
	xs, ys := s.extent()
	return figure.Plane{
		Title: title, X: x, Y: y, Layers: []figure.Layer{points}, IncludeX: xs, IncludeY: ys,
	}
}

// points draws each sequence at its two coordinates, in the colour of its true value.
func (s *pictured) points(at probe.Table) (p figure.Points) {
	first, truth := s.places(at)
	for i, row := range first {
		p.X = append(p.X, at.Row(row)[0])
		p.Y = append(p.Y, at.Row(row)[1])
		p.Colors = append(p.Colors, s.colour(truth[i]))
	}
	return p
}

const (
	fewPlaces = 1500 // up to this number of distinct points, sequences at the same point are drawn as one
	placeSize = 2000 // cells along a side of the grid in which points of a cell count as the same
)

// places returns the rows that are drawn, and the value that colours each. If the rows
// are at no more than 1500 distinct points, it returns the first row at each point, with
// the mean value of all rows there. Otherwise it returns all rows, each with its own
// value.
func (s *pictured) places(at probe.Table) (first []int, truth [][]float64) {
	xs, ys := extentOf(at)
	unit := max(xs[1]-xs[0], ys[1]-ys[0], 1e-300) / placeSize
	index, count := map[[2]int]int{}, []float64{}
	for row := range at.Rows() {
		place := [2]int{int(math.Round(at.Row(row)[0] / unit)), int(math.Round(at.Row(row)[1] / unit))}
		i, seen := index[place]
		if !seen {
			if i = len(first); i == fewPlaces {
				return s.all()
			}
			index[place] = i
			first = append(first, row)
			truth = append(truth, make([]float64, s.tint.Width))
			count = append(count, 0)
		}
		floats.Add(truth[i], s.tint.Row(row))
		count[i]++
	}
	for i := range truth {
		floats.Scale(1/count[i], truth[i])
	}
	return first, truth
}

// all returns every row with the value that colours it.
func (s *pictured) all() (rows []int, truth [][]float64) {
	for row := range s.truth.Rows() {
		rows = append(rows, row)
		truth = append(truth, s.tint.Row(row))
	}
	return rows, truth
}

// extent returns the range of the true values in the plane, which all panels include.
func (s *pictured) extent() (xs, ys []float64) { return extentOf(onto(s.principal, s.truth, 2)) }

// extentOf returns the ranges of x and y in a table with two columns.
func extentOf(at probe.Table) (xs, ys []float64) {
	xs, ys = []float64{at.Row(0)[0], at.Row(0)[0]}, []float64{at.Row(0)[1], at.Row(0)[1]}
	for i := range at.Rows() {
		x, y := at.Row(i)[0], at.Row(i)[1]
		xs[0], xs[1], ys[0], ys[1] = min(xs[0], x), max(xs[1], x), min(ys[0], y), max(ys[1], y)
	}
	return xs, ys
}

// components draws each stage along its own first two principal components.
func (p *Portrait) components() *figure.Figure {
	f := &figure.Figure{
		Title: "Principal components of the residual stream of " + p.Model,
		Desc: "The activations of each stage along their first two principal components. The colour of a point is " +
			held(p.seen.tinted) + " after its sequence.",
		Width: curves.Width,
	}
	var panels []figure.Panel
	for i, stage := range p.Stages {
		shares := p.seen.shares[i]
		panels = append(panels, figure.Plane{
			Title: stageTitle(p.config, stage.Stage), Layers: []figure.Layer{p.seen.points(p.seen.components[i])},
			X: fmt.Sprintf("PC 1, %.0f %%", 100*shares[0]), Y: fmt.Sprintf("PC 2, %.0f %%", 100*shares[1]),
		})
	}
	f.Panels = inRows(panels)
	return f
}

// scores draws R² by stage with its controls.
func (p *Portrait) scores() *figure.Figure {
	d := figure.Dots{X: figure.Axis{Label: "R²", Include: []float64{0, 1}}}
	trained := figure.DotSeries{Name: "this model", Color: 1}
	random := figure.DotSeries{Name: "untrained", Color: 2, Open: true}
	shuffled := figure.DotSeries{Name: "shuffled", Color: 7, Open: true}
	add := func(s *figure.DotSeries, x, lo, hi float64) {
		s.X = append(s.X, x)
		s.Lo = append(s.Lo, lo)
		s.Hi = append(s.Hi, hi)
	}
	for _, s := range p.Stages {
		d.Groups = append(d.Groups, p.stage(s.Stage))
		add(&trained, s.R2.Mean, s.R2.Mean-2*s.R2.Error, s.R2.Mean+2*s.R2.Error)
		add(&shuffled, s.Shuffled.Mean, s.Shuffled.Mean-2*s.Shuffled.Error, s.Shuffled.Mean+2*s.Shuffled.Error)
		if len(s.Random) > 0 {
			add(&random, s.Random[0], slices.Min(s.Random), slices.Max(s.Random))
		}
	}
	d.Series = []figure.DotSeries{trained, random, shuffled}
	if len(random.X) == 0 {
		d.Series = []figure.DotSeries{trained, shuffled}
	}
	if p.NextToken != nil {
		d.Refs = []figure.Ref{{Label: "optimal next token", Value: p.NextToken.Mean, Vertical: true}}
	}
	return figure.Single("R² of the "+p.target.Title+" by stage, "+p.Model, p.describeStages(), d)
}

// mostLines is the largest number of heads drawn as lines; more are drawn as a heat map.
const mostLines = 6

// attention draws each head's attention from the last position, by lag.
func (p *Portrait) attention() *figure.Figure {
	title := "Attention by lag, " + p.Model
	desc := fmt.Sprintf("The mean attention of %s at the last of %d positions, by lag.",
		text.Count(len(p.Attention), "head"), p.Length)
	if len(p.Attention) > mostLines {
		m := figure.HeatMap{X: "lag", Y: "head", Label: "attention", Range: [2]float64{0, 1}}
		for _, h := range p.Attention {
			m.Z = append(m.Z, h.Mean)
			m.Rows = append(m.Rows, h.name())
		}
		return figure.Single(title, desc, m)
	}
	c := figure.Chart{
		X: figure.Axis{Label: "lag", Whole: true}, Y: figure.Axis{Label: "attention", Include: []float64{0}},
	}
	for i, h := range p.Attention {
		s := figure.Series{Name: "head " + h.name(), Color: i + 1}
		for lag, mean := range h.Mean {
			s.AddInterval(float64(lag), mean, max(0, mean-h.SD[lag]), min(1, mean+h.SD[lag]))
		}
		c.Series = append(c.Series, s)
	}
	for i, h := range p.Theory {
		c.Series = append(c.Series, figure.Series{
			Name: fmt.Sprintf("theory, head %d of %d", i+1, len(p.Theory)), Color: dashes[i], Open: true,
			X: figure.Numbers(0, len(h.Mean)), Y: h.Mean,
		})
	}
	return figure.Single(title, desc, c)
}

// name returns a head's layer and number, as in 0.1.
func (h HeadByLag) name() string { return fmt.Sprintf("%d.%d", h.Layer, h.Head) }

// positions draws the KL by position.
func (p *Portrait) positions() *figure.Figure {
	s := figure.Series{X: figure.Numbers(1, len(p.KL)), Color: 1}
	for _, e := range p.KL {
		s.Y = append(s.Y, e.Mean)
		if p.Sequences > 0 {
			s.Lo = append(s.Lo, e.Mean-2*e.Error)
			s.Hi = append(s.Hi, e.Mean+2*e.Error)
		}
	}
	list := []figure.Series{s}
	return figure.Single("KL to the optimum by position, "+p.Model,
		fmt.Sprintf("The KL from the optimal prediction to the model's after sequences of 1 to %d tokens.", p.Length),
		figure.Chart{X: curves.TokensSeen, Y: curves.KLAxis(list), Series: list})
}
