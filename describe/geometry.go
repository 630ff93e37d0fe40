package describe

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"

	"foretell/figure"
	"foretell/internal/limit"
	"foretell/internal/text"
	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

const (
	picturedWords  = 100_000 // largest number of sequences in a picture of beliefs
	picturedLength = 64      // largest length of a sequence; an alphabet of one token has only one of each length
	fewPoints      = 12      // largest number of points that shows no shape; titles then give the number
)

// Geometry draws, after all sequences up to the length that a picture can hold: the
// beliefs; the constrained beliefs, which one layer of attention can build; and, if the
// process has them, the linear beliefs, the best sums of functions of position and token.
// Beliefs over three states are drawn in the triangle, beliefs over more states in the
// plane in which they vary most. Of a belief over two states, the probability of the
// first is drawn against the length of the sequence. Geometry returns an error if the
// process has no hidden states ([ErrNoHMM]).
func Geometry(ctx context.Context, p process.Process) (*figure.Figure, error) {
	o, ok := p.(process.Observer)
	if !ok {
		return nil, noHMM(ctx, p)
	}
	states, points := o.States(), picturedWords
	if len(states) == 2 {
		points = stripPoints
	}
	words, err := drawnWords(ctx, p, points)
	if err != nil {
		return nil, err
	}
	if words.States == 0 {
		return nil, noHMM(ctx, p)
	}
	linear, err := linearOf(ctx, p, words)
	if err != nil {
		return nil, err
	}
	f := &figure.Figure{Title: p.Name() + ": beliefs and constrained beliefs"}
	if linear != nil {
		f.Title = p.Name() + ": beliefs, constrained beliefs and linear beliefs"
	}
	if len(states) == 2 {
		return f, addStrips(ctx, f, p, words, linear)
	}
	clouds := []cloud{
		newCloud("beliefs", words, words.Beliefs),
		newCloud("constrained beliefs", words, words.Constrained),
	}
	f.Desc = fmt.Sprintf("Left: the beliefs after every sequence of up to %d tokens, %d points. "+
		"Right: their constrained beliefs, which one layer of attention can build, %d points.",
		words.Length, len(clouds[0].rows), len(clouds[1].rows))
	if linear != nil {
		clouds = append(clouds, newCloud("linear beliefs", words, linear))
		f.Desc = fmt.Sprintf("From left to right: the beliefs after every sequence of up to %d tokens, %d points; "+
			"their constrained beliefs, which one layer of attention can build, %d points; and their linear beliefs, "+
			"the best sums of functions of position and token, %d points.",
			words.Length, len(clouds[0].rows), len(clouds[1].rows), len(clouds[2].rows))
	}
	var panels []figure.Panel
	if m, ok := p.(process.Machine); len(states) == 3 && !(ok && m.Generalised()) {
		panels = triangles(clouds, [3]string(states))
	} else if panels, err = planes(clouds); err != nil {
		return nil, err
	}
	f.Panels = [][]figure.Panel{panels}
	return f, nil
}

// stripPoints is the largest number of sequences for which [addStrips] draws a mark each.
const stripPoints = 1100

// addStrips draws the probability of the first of two states under the beliefs, the
// constrained beliefs and, unless linear is nil, the linear beliefs, against the number
// of tokens seen.
func addStrips(
	ctx context.Context, f *figure.Figure, p process.Process, words *process.Prefixes, linear []float64,
) error {
	start, err := Beliefs(ctx, Subject{Process: p}, nil)
	if err != nil {
		return err
	}
	state := start.States[0]
	f.Desc = fmt.Sprintf("The belief in state %s, one of two, after every sequence of up to %d tokens, by its "+
		"length. Below: the constrained beliefs, which one layer of attention can build.", state, words.Length)
	f.Width = pictureWidth
	panels := []figure.Chart{
		strip("beliefs", start.Beliefs, words, words.Beliefs),
		strip("constrained beliefs", start.Constrained, words, words.Constrained),
	}
	if linear != nil {
		f.Desc += " Last: the linear beliefs, the best sums of functions of position and token."
		panels = append(panels, strip("linear beliefs", start.Linear, words, linear))
	}
	f.Panels = stacked(panels, "belief in state "+state)
	return nil
}

// strip draws a dot for each sequence in words: the first of the two entries of its row
// in data, against its length. start has one row, for the empty sequence, or is nil if
// that row is not known.
func strip(title string, start [][]float64, words *process.Prefixes, data []float64) figure.Chart {
	dots := figure.Series{Style: figure.Scatter, Color: 1, Radius: 1.6}
	if start != nil {
		dots.Add(start[0][0], 0)
	}
	seen := map[[2]float64]bool{}
	for row, prob := range words.Prob {
		position, _ := words.Position(row)
		x, y := data[row*words.States], float64(position)
		key := [2]float64{math.Round(x * 1e4), y}
		if prob > 0 && !seen[key] {
			seen[key] = true
			dots.Add(x, y)
		}
	}
	return figure.Chart{
		Title: title, Y: figure.Axis{Label: "tokens seen", Include: []float64{0}},
		Series: []figure.Series{dots}, Aspect: 0.3,
	}
}

// stacked arranges charts of one quantity below each other. They share the range of the
// horizontal axis, which has the given label, and have lines at the probabilities 0 and
// 1.
func stacked(strips []figure.Chart, label string) (rows [][]figure.Panel) {
	lo, hi := 0.0, 1.0
	for _, s := range strips {
		lo, hi = min(lo, slices.Min(s.Series[0].X)), max(hi, slices.Max(s.Series[0].X))
	}
	for _, s := range strips {
		s.X = figure.Axis{Label: label, Include: []float64{lo, hi}}
		s.Refs = []figure.Ref{{Value: 0, Vertical: true}, {Value: 1, Vertical: true}}
		rows = append(rows, []figure.Panel{s})
	}
	return rows
}

// cloud is a set of sequences whose points in a picture are distinct.
type cloud struct {
	name  string
	words *process.Prefixes
	data  []float64 // the points of all sequences in words: [sequence][state], flattened
	// rows are the indices in words of the sequences in the cloud.
	rows []int
}

// newCloud returns a cloud of sequences of positive probability: for each distinct row of
// data, the first sequence that has it.
func newCloud(name string, words *process.Prefixes, data []float64) cloud {
	seen, c := map[string]bool{}, cloud{name: name, words: words, data: data}
	for row, prob := range words.Prob {
		key := fmt.Sprintf("%.9f", data[row*words.States:(row+1)*words.States])
		if prob > 0 && !seen[key] {
			seen[key], c.rows = true, append(c.rows, row)
		}
	}
	return c
}

// of returns the rows of a table that belong to the sequences of the cloud: of its data,
// or of the beliefs that colour its points.
func (c cloud) of(data []float64) [][]float64 {
	list, n := make([][]float64, len(c.rows)), c.words.States
	for i, row := range c.rows {
		list[i] = data[row*n : (row+1)*n]
	}
	return list
}

// title returns a panel's title, with the number of points if they are too few to show a
// shape.
func (c cloud) title() string {
	switch n := len(c.rows); {
	case n == 1:
		return c.name + ": one point"
	case n <= fewPoints:
		return fmt.Sprintf("%s: %d points", c.name, n)
	}
	return c.name
}

// triangles draws clouds of beliefs over three states in the triangle of probabilities,
// coloured by the belief.
func triangles(clouds []cloud, states [3]string) (panels []figure.Panel) {
	for i, c := range clouds {
		panel := figure.Simplex{Title: c.title(), P: c.of(c.data), Vertices: states}
		if i > 0 {
			panel.Belief = c.of(c.words.Beliefs)
		}
		panels = append(panels, panel)
	}
	return panels
}

// planes draws clouds along the first two principal components of the beliefs, on common
// axes.
func planes(clouds []cloud) ([]figure.Panel, error) {
	all := table(clouds[0].of(clouds[0].data))
	components, err := probe.PrincipalComponents(all, nil)
	if err != nil {
		return nil, err
	}
	colour := Colours(components, all)
	layers := make([]figure.Points, len(clouds))
	var xs, ys []float64
	for i, c := range clouds {
		at := components.Project(table(c.of(c.data)), min(2, all.Width))
		for j, belief := range c.of(c.words.Beliefs) {
			xy := append(slices.Clone(at.Row(j)), 0) // with one state there is only one component
			layers[i].X = append(layers[i].X, xy[0])
			layers[i].Y = append(layers[i].Y, xy[1])
			layers[i].Colors = append(layers[i].Colors, colour(belief))
		}
		xs = append(xs, layers[i].X...)
		ys = append(ys, layers[i].Y...)
	}
	var panels []figure.Panel
	for i, layer := range layers {
		panels = append(panels, figure.Plane{
			Title: clouds[i].title(), X: axisOf(components, 0), Y: axisOf(components, 1), Layers: []figure.Layer{layer},
			IncludeX: []float64{slices.Min(xs), slices.Max(xs)}, IncludeY: []float64{slices.Min(ys), slices.Max(ys)},
		})
	}
	return panels, nil
}

// axisOf returns the name of principal component i + 1, with its share of the variance if
// the variance is not zero. It is zero if there is only one state or one belief.
func axisOf(components *probe.Principal, i int) string {
	name := fmt.Sprintf("principal component %d", i+1)
	if total := floats.Sum(components.Variance); i < len(components.Variance) && total > 0 {
		name += fmt.Sprintf(", %.0f %%", 100*components.Variance[i]/total)
	}
	return name
}

// table converts rows of equal length to a table.
func table(rows [][]float64) probe.Table {
	return probe.Table{Data: slices.Concat(rows...), Width: len(rows[0])}
}

// Colours returns a function that colours a belief by its coordinates along the first
// three principal components.
func Colours(components *probe.Principal, beliefs probe.Table) func(belief []float64) color.NRGBA {
	at := components.Project(beliefs, min(3, beliefs.Width))
	lowest, highest := slices.Clone(at.Row(0)), slices.Clone(at.Row(0))
	for i := range at.Rows() {
		for j, v := range at.Row(i) {
			lowest[j], highest[j] = min(lowest[j], v), max(highest[j], v)
		}
	}
	return func(belief []float64) color.NRGBA {
		share := [3]float64{0.5, 0.5, 0.5}
		for j, v := range components.Project(probe.Table{Data: belief, Width: beliefs.Width}, at.Width).Data {
			if highest[j]-lowest[j] > 1e-9 {
				share[j] = (v - lowest[j]) / (highest[j] - lowest[j])
			}
		}
		return figure.RGB(share[0], share[1], share[2])
	}
}

// drawnWords returns all sequences up to the greatest length at which their number does
// not exceed the given number of points. It returns an error if even the table of
// sequences of one token is too large to draw.
func drawnWords(ctx context.Context, p process.Process, points int) (*process.Prefixes, error) {
	length := max(1, probe.LongestWords(p, points, picturedLength))
	if size := process.WordsSize(p, length); size > mostDrawnBytes {
		return nil, fmt.Errorf("%s: %s are too many to draw: a table of next-token probabilities needs %s",
			p.Name(), text.Count(p.Alphabet(), "token"), limit.Size(size))
	}
	return process.Words(ctx, p, length)
}

// mostDrawnBytes is the largest size in bytes of a table of sequences made for a picture.
const mostDrawnBytes = 1 << 29
