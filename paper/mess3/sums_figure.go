package mess3

import (
	"fmt"

	"foretell/claim"
	"foretell/figure"
)

func (m sums) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, a := range m.prefixes {
		panels = append(panels, a.panel())
		rows = append(rows, a.rows()...)
	}
	out.Figure("sums", fmt.Sprintf("From left to right the words 0, 01, 011, 0112, 01120. Arrows follow each other "+
		"from the first token to the last, coloured by token; the grey step is the last token's own embedding. They "+
		"end at the model's representation of the word; the hollow dot is the constrained belief. By Eq. 13 each "+
		"new token shrinks all earlier arrows by ζ = %.2f and adds its own. Grey dots: all words of that length.",
		m.zeta),
		&figure.Figure{
			Title: "How attention adds up the word 01120",
			Desc: "Five panels, one for each prefix: arrows for each token's contribution, head to tail, end at the " +
				"representation; grey dots show all words of the same length.",
			Panels: [][]figure.Panel{panels}, Cols: []string{"0", "01", "011", "0112", "01120"},
		})
	out.CSV("sums", []string{"length", "step", "from_x", "from_y", "to_x", "to_y"}, rows)
}

// rows are the steps from the start to the end, for the file of data.
func (a attentionSum) rows() (rows [][]float64) {
	at := a.start
	for i, step := range append(a.steps[:len(a.steps):len(a.steps)], a.embedding) {
		to := at.plus(step)
		rows = append(rows, []float64{float64(len(a.word)), float64(i + 1), at[0], at[1], to[0], to[1]})
		at = to
	}
	return rows
}

// panel draws the steps head to tail, over the simplex and the words of the same length.
func (a attentionSum) panel() figure.Panel {
	p := figure.Plane{Layers: []figure.Layer{outline(), grey(a.sameLength)}}
	at := a.start
	arrow := func(name string, color int, step point) {
		to := at.plus(step)
		p.Layers = append(p.Layers, figure.Arrows{
			Name: name, Color: color,
			FromX: []float64{at[0]}, FromY: []float64{at[1]}, X: []float64{to[0]}, Y: []float64{to[1]},
		})
		at = to
	}
	for i, z := range a.word {
		arrow(fmt.Sprintf("token %d", z), int(z)+1, a.steps[i])
	}
	arrow("own embedding", figure.Grey, a.embedding)
	p.Layers = append(p.Layers, figure.Points{
		Name: "constrained belief", Color: 4, Open: true, X: a.constrained[:1], Y: a.constrained[1:],
	})
	return p
}

// outline is that of the simplex.
func outline() figure.Path {
	path := figure.Path{Closed: true}
	for _, corner := range [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		at := project(corner)
		path.X, path.Y = append(path.X, at[0]), append(path.Y, at[1])
	}
	return path
}

// grey draws points that others are seen against.
func grey(points []point) figure.Points {
	layer := figure.Points{Color: figure.Grey, Radius: []float64{1}}
	for _, at := range points {
		layer.X, layer.Y = append(layer.X, at[0]), append(layer.Y, at[1])
	}
	return layer
}
