package figure

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

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

// A tree keeps its rings, a chain does not, and no arrow of either crosses the disc of
// another node.
func TestGraphPlacesNodes(t *testing.T) {
	chain, tree := Graph{Rings: true}, Graph{Rings: true}
	for k := range 15 {
		chain.Nodes, tree.Nodes = append(chain.Nodes, Node{Label: "c"}), append(tree.Nodes, Node{Label: "t"})
		if k > 0 {
			chain.Edges = append(chain.Edges, Edge{From: k - 1, To: k})
			tree.Edges = append(tree.Edges, Edge{From: (k - 1) / 2, To: k})
		}
	}
	for _, c := range []struct {
		graph Graph
		rings int
	}{{chain, 1}, {tree, 4}} {
		if rings := len(counts(c.graph.depths())); rings != c.rings {
			t.Errorf("%d rings, want %d", rings, c.rings)
		}
		width := c.graph.NaturalWidth()
		x, y, outward := c.graph.place(rect{0, 0, width, width})
		d := c.graph.drawEdges(&svg{}, x, y, outward)
		for _, e := range c.graph.Edges {
			curve := d.curve(e, x, y)
			for k := range x {
				if k != e.From && k != e.To && d.crossed(curve, x[k], y[k]) > 0 {
					t.Errorf("%d rings: the arrow from %d to %d crosses %d", c.rings, e.From, e.To, k)
				}
			}
		}
	}
}

// Each edge of a graph with classes has the label of one; two nodes have an arrow for
// each class between them, and a node a loop for each.
func TestGraphClasses(t *testing.T) {
	edges := []Edge{{0, 1, []string{"a"}}, {0, 1, []string{"b"}}, {1, 1, []string{"a"}}, {1, 1, []string{"b"}}}
	g := Graph{Nodes: []Node{{Label: "0"}, {Label: "1"}}, Edges: edges, Classes: []string{"a", "b"}}
	if err := g.check(); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []Edge{{0, 1, []string{"a"}}, {1, 0, nil}, {1, 0, []string{"c"}}, {1, 0, []string{"a", "b"}}} {
		bad := g
		bad.Edges = append(slices.Clone(edges), wrong)
		if bad.check() == nil {
			t.Errorf("%v is accepted", wrong)
		}
	}
	f := Single("classes", "two", g)
	data, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	picture := string(data)
	paths := regexp.MustCompile(`d="(M[^"]*[QC][^"]*)"`).FindAllStringSubmatch(picture, -1)
	seen := map[string]bool{}
	for _, p := range paths {
		seen[p[1]] = true
	}
	if len(paths) != 4 || len(seen) != 4 || strings.Count(picture, ">a<") != 1 || !strings.Contains(picture, "stroke-dasharray") {
		t.Errorf("%d arrows, %d of them different:\n%s", len(paths), len(seen), picture)
	}
}

// A heading is broken between words, and a word that is too long within.
func TestHeadingIsBroken(t *testing.T) {
	lines, height := arrangeHeading("A heading of words", []string{"and aVeryLongWordWithoutAnySpace"}, 60)
	if len(lines) < 5 || height < 5*tickSize*lead {
		t.Errorf("%d lines, %g points", len(lines), height)
	}
	all := ""
	for _, l := range lines {
		all += strings.ReplaceAll(l.text, " ", "")
		if textWidth(l.text, l.size) > 60 {
			t.Errorf("%q is wider than the figure", l.text)
		}
	}
	if all != "Aheadingofwords"+"andaVeryLongWordWithoutAnySpace" {
		t.Errorf("texts %q", all)
	}
	if lines, height := arrangeHeading("", nil, 60); lines != nil || height != 0 {
		t.Errorf("without a heading %v, %g points", lines, height)
	}
}
