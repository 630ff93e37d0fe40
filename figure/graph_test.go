package figure

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
	for class, dashed := range []bool{false, true} {
		style := fmt.Sprintf(`<path fill="none" stroke="%s" stroke-width="1.1"`, hex6(hue(class+1)))
		if n := strings.Count(picture, style); n < 2 || dashed != strings.Contains(picture, style+" stroke-dasharray") {
			t.Errorf("%d arrows of class %d in its style:\n%s", n, class, picture)
		}
	}
}

// Nodes on rings with classes are placed so that a tree has no crossing edges, in
// whatever order the nodes of a ring are given.
func TestGraphWithClassesUncrosses(t *testing.T) {
	for _, leaves := range [][]int{{5, 6, 7, 8}, {8, 7, 6, 5}, {6, 8, 5, 7}, {7, 5, 8, 6}} {
		g := Graph{Rings: true, Classes: []string{"a"}, Nodes: make([]Node, 9)}
		for k, leaf := range leaves {
			g.Edges = append(g.Edges, Edge{0, k + 1, []string{"a"}}, Edge{k + 1, leaf, []string{"a"}})
		}
		x, y, _ := g.place(rect{0, 0, 300, 300})
		for i, e := range g.Edges {
			for _, f := range g.Edges[:i] {
				// e.From + u·(e.To − e.From) = f.From + v·(f.To − f.From)
				ex, ey, fx, fy := x[e.To]-x[e.From], y[e.To]-y[e.From], x[f.To]-x[f.From], y[f.To]-y[f.From]
				dx, dy, size := x[f.From]-x[e.From], y[f.From]-y[e.From], ex*fy-ey*fx
				u, v := (dx*fy-dy*fx)/size, (dx*ey-dy*ex)/size
				if u > 1e-6 && u < 1-1e-6 && v > 1e-6 && v < 1-1e-6 {
					t.Errorf("leaves %v: the edges from %d to %d and from %d to %d cross", leaves, e.From, e.To, f.From, f.To)
				}
			}
		}
	}
}

// A loop has the direction in which it meets the fewest discs and then the fewest lines,
// and of these the one with the least turn from outward.
func TestFreeDirection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(-60, 60)
		n := rapid.IntRange(1, 7).Draw(t, "nodes")
		x, y := rapid.SliceOfN(number, n, n).Draw(t, "x"), rapid.SliceOfN(number, n, n).Draw(t, "y")
		d := &graphDrawing{disc: rapid.Float64Range(5, 20).Draw(t, "disc")}
		for range rapid.IntRange(0, 9).Draw(t, "lines") {
			d.lines = append(d.lines, [2]float64{number.Draw(t, "line x"), number.Draw(t, "line y")})
		}
		outward := rapid.Float64Range(-4, 4).Draw(t, "outward")
		turn := func(direction float64) float64 { // in eighths, from −3 to 4
			return math.Round((direction - outward) / (math.Pi / 4))
		}
		meets := func(direction float64) [2]float64 {
			r := d.disc + loopReach/2 // of the loop's middle
			at := func(p, q float64) float64 {
				return math.Hypot(p-x[0]-r*math.Cos(direction), q-y[0]-r*math.Sin(direction))
			}
			var discs, lines float64
			for k := 1; k < n; k++ {
				if at(x[k], y[k]) < r {
					discs++
				}
			}
			for _, p := range d.lines {
				if at(p[0], p[1]) < loopReach/3 {
					lines++
				}
			}
			return [2]float64{10*discs + lines, math.Abs(turn(direction))}
		}
		found := d.free(0, x, y, outward)
		got := meets(found)
		for eighth := -3.0; eighth <= 4; eighth++ {
			other := meets(outward + eighth*math.Pi/4)
			if other[0] < got[0] || other[0] == got[0] && other[1] < got[1] {
				t.Errorf("turned by %v eighths it meets %v, by %v eighths only %v", turn(found), got, eighth, other)
			}
		}
	})
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
	want := 0.0
	for i, l := range lines {
		if math.Abs(l.y-want-l.size) > 1e-9 {
			t.Errorf("line %d is at %g, want %g", i, l.y, want+l.size)
		}
		want += l.size * lead
	}
	if math.Abs(height-want-5) > 1e-9 {
		t.Errorf("the heading takes %g points, want %g", height, want+5)
	}
	if lines, height := arrangeHeading("", nil, 60); lines != nil || height != 0 {
		t.Errorf("without a heading %v, %g points", lines, height)
	}
}
