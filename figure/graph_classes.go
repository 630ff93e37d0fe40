package figure

import (
	"fmt"
	"slices"
)

// class returns the class of an edge, 0 if the graph has no classes, or -1 if the edge
// does not have the label of exactly one class.
func (g Graph) class(e Edge) int {
	switch {
	case g.Classes == nil:
		return 0
	case len(e.Labels) != 1:
		return -1
	}
	return slices.Index(g.Classes, e.Labels[0])
}

func (g Graph) keys() (list []key) {
	for i, name := range g.Classes {
		list = append(list, key{name: name, kind: strokeKey, class: i + 1, dash: dashes[i%len(dashes)]})
	}
	return list
}

// bends lists how far an edge may bend, as multiples of the usual bend, in order of
// preference.
func (d *graphDrawing) bends() []float64 {
	switch {
	case !d.classes:
		return []float64{1, 1.6, 0.5, 2.3, 0.2}
	case d.class%2 == 1: // bends that avoid the arrow of another class between the same nodes
		return []float64{0.9, 0.6, 1.3, 1.8, -0.4, -0.8, 2.4, -1.4, 3, -2}
	}
	return []float64{0.3, 0.1, 0.5, 0.8, -0.2, 1.2, -0.6, 1.7, -1, 2.2, -1.6}
}

// line draws the line of an edge, with the dashes of its class.
func (d *graphDrawing) line(format string, values ...any) {
	d.stroke(dashes[d.class%len(dashes)], fmt.Sprintf(format, values...))
}

// stroke draws a path in the style of the edge: the colour of its class with the given
// dashes, or, in a graph without classes, a solid line like an axis.
func (d *graphDrawing) stroke(dash, path string) {
	style := `class="axis"`
	if d.classes {
		style = fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.1"`, hex6(hue(d.class+1)))
		if dash != "" {
			style += fmt.Sprintf(` stroke-dasharray="%s"`, dash)
		}
	}
	d.put(`<path %s d="%s"/>`, style, path)
}
