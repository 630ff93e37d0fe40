package figure

import "testing"

// TestGraphLabelsKeepClear holds that in the graph of Mess3, each state of which goes
// to each by three tokens, no label covers another, a disc or an arrow.
func TestGraphLabelsKeepClear(t *testing.T) {
	g := Graph{Nodes: []Node{{Label: "0"}, {Label: "1"}, {Label: "2"}}}
	for from := range 3 {
		for to := range 3 {
			g.Edges = append(g.Edges, Edge{From: from, To: to, Labels: []string{"0:0.14", "1:0.14", "2:0.42"}})
		}
	}
	width := g.NaturalWidth()
	x, y, outward := g.place(rect{0, 0, width, width})
	d := g.drawEdges(&svg{}, x, y, outward)
	for i, label := range d.taken[len(g.Nodes):] {
		for k, other := range d.taken[:len(g.Nodes)+i] {
			if overlap(label, other) > 0 {
				t.Errorf("label %d covers part of the disc or label %d", i, k)
			}
		}
		for _, p := range d.lines {
			if p[0] > label.x && p[0] < label.x+label.w && p[1] > label.y && p[1] < label.y+label.h {
				t.Errorf("label %d lies on an arrow at %.1f, %.1f", i, p[0], p[1])
			}
		}
	}
}
