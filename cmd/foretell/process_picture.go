package main

import (
	"fmt"
	"image/color"
	"slices"

	"foretell/figure"
	"foretell/probe"
	"foretell/process"
)

const (
	attendedPositions = 10      // of the attention that theory predicts
	mostAttended      = 16      // heads that are listed or drawn
	picturedWords     = 100_000 // at most, in a picture of beliefs
	picturedLength    = 64      // of them: with one token there is one word of each length
	fewPoints         = 12      // up to which points are no geometry
)

// geometry draws the beliefs and the constrained beliefs of all words up to the length
// that a picture can hold: in the triangle for three states, else in the plane where
// the beliefs vary most.
func geometry(h *process.HMM) (*figure.Figure, error) {
	length := max(1, probe.LongestWords(h, picturedWords, picturedLength))
	p := h.Prefixes(length)
	beliefs, constrained := distinct(p, p.Beliefs), distinct(p, p.Constrained)
	f := &figure.Figure{
		Title: h.Name() + ": beliefs and constrained beliefs",
		Desc:  fmt.Sprintf("Left the beliefs after every word of up to %d tokens, %d points; right their constrained beliefs, which one layer of attention can build, %d points.", length, len(beliefs.rows), len(constrained.rows)),
	}
	titles := []string{beliefs.title("beliefs"), constrained.title("constrained beliefs")}
	if h.NumStates() == 3 && !h.Generalised() {
		f.Panels = [][]figure.Panel{{
			figure.Simplex{Title: titles[0], P: beliefs.of(p.Beliefs), Vertices: [3]string(h.States())},
			figure.Simplex{Title: titles[1], P: constrained.of(p.Constrained), Belief: constrained.of(p.Beliefs), Vertices: [3]string(h.States())},
		}}
		return f, nil
	}
	all := probe.Table{Data: slices.Concat(beliefs.of(p.Beliefs)...), Width: p.States}
	components, err := probe.PrincipalComponents(all, nil)
	if err != nil {
		return nil, err
	}
	colour := colouring(components, all)
	var layers []figure.Points
	var xs, ys []float64
	for i, shown := range []points{beliefs, constrained} {
		places := shown.of([][]float64{p.Beliefs, p.Constrained}[i])
		at := components.Project(probe.Table{Data: slices.Concat(places...), Width: p.States}, min(2, p.States))
		layer := figure.Points{}
		for j, belief := range shown.of(p.Beliefs) {
			xy := append(slices.Clone(at.Row(j)), 0) // of one state there is no second direction
			layer.X, layer.Y = append(layer.X, xy[0]), append(layer.Y, xy[1])
			layer.Colors = append(layer.Colors, colour(belief))
		}
		layers, xs, ys = append(layers, layer), append(xs, layer.X...), append(ys, layer.Y...)
	}
	var panels []figure.Panel
	for i, layer := range layers {
		panels = append(panels, figure.Plane{
			Title: titles[i], X: "first principal component", Y: "second", Layers: []figure.Layer{layer},
			IncludeX: []float64{slices.Min(xs), slices.Max(xs)}, IncludeY: []float64{slices.Min(ys), slices.Max(ys)},
		})
	}
	f.Panels = [][]figure.Panel{panels}
	return f, nil
}

// points are the words, by their rows, that lead to different places.
type points struct {
	rows   []int
	states int
}

// distinct returns a word for each of the different rows of a table, among those that
// can occur.
func distinct(p *process.Prefixes, data []float64) points {
	seen, list := map[string]bool{}, points{states: p.States}
	for row, prob := range p.Prob {
		key := fmt.Sprintf("%.9f", data[row*p.States:(row+1)*p.States])
		if prob > 0 && !seen[key] {
			seen[key], list.rows = true, append(list.rows, row)
		}
	}
	return list
}

// of returns the rows of a table.
func (p points) of(data []float64) [][]float64 {
	list := make([][]float64, len(p.rows))
	for i, row := range p.rows {
		list[i] = data[row*p.states : (row+1)*p.states]
	}
	return list
}

// title names a panel, and says so where there is no geometry to see.
func (p points) title(name string) string {
	switch n := len(p.rows); {
	case n == 1:
		return name + ": one point"
	case n <= fewPoints:
		return fmt.Sprintf("%s: %d points", name, n)
	}
	return name
}

// colouring tells beliefs apart by their place along the first three principal
// components.
func colouring(components *probe.Principal, beliefs probe.Table) func(belief []float64) color.NRGBA {
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

// attentionPicture draws the heads that theory predicts.
func attentionPicture(h *process.HMM) (*figure.Figure, error) {
	spectrum, err := h.Spectrum()
	if err != nil {
		return nil, err
	}
	if n := spectrum.Heads().Belief; n > mostAttended {
		return nil, fmt.Errorf("%s: %d heads are too many for a picture, want at most %d", h.Name(), n, mostAttended)
	}
	a := spectrum.Attention(attendedPositions)
	if len(a.Heads) == 0 {
		return nil, fmt.Errorf("%s: theory asks for no attention, since no token tells of states more than one step later: there is nothing to draw", h.Name())
	}
	var names []string
	for t := range attendedPositions {
		names = append(names, fmt.Sprint(t+1))
	}
	f := &figure.Figure{
		Title: h.Name() + ": attention that builds the constrained beliefs",
		Desc:  fmt.Sprintf("A pattern of destinations by sources for each of %d heads, as the spectrum of the process asks for it.", len(a.Heads)),
	}
	var panels []figure.Panel
	for i, head := range a.Heads {
		panels = append(panels, figure.HeatMap{
			Title: fmt.Sprintf("head %d", i), Z: square(head.Pattern, attendedPositions), Rows: names, Cols: names,
			X: "source", Y: "destination", Label: "attention", Lower: true, Range: [2]float64{0, 1},
		})
	}
	for row := range slices.Chunk(panels, 3) {
		f.Panels = append(f.Panels, row)
	}
	return f, nil
}
