package figure

import (
	"fmt"
	"math"
)

// A Graph draws the states of a process as discs, on a circle or on rings around the
// first state, and its edges as labelled arrows.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
	// Rings places nodes on rings around the first node, by their distance from it, if that
	// takes little more space than one circle. It suits graphs that are almost trees; a
	// chain of nodes has more space on a circle. With Rings, nodes on the same ring or
	// circle are swapped to shorten the edges.
	Rings bool
	// Classes are the labels that edges can have. If there are any, each edge has exactly
	// one label. The colour and the dashes of its arrow show the label, and the legend
	// explains them. Classes suit a graph with many edges.
	Classes []string
}

// A Node is a disc of a [Graph].
type Node struct {
	Label string
	// Open draws an outlined disc filled with the colour of the grid.
	Open bool
}

// An Edge is an arrow of a [Graph] from one node to another, or back to the same node.
// Each ordered pair of nodes has at most one edge, or one of each class.
type Edge struct {
	From, To int
	Labels   []string // the lines of text at the arrow
}

// hollowDisc is the markup of a disc without colour.
const hollowDisc = `class="hollow"`

const (
	leastDisc = 11.0 // radius
	loopReach = 34.0 // how far a loop extends beyond its node
	arrowHead = 6.0
	labelGap  = 2.0  // distance between an arrow and its label
	lineCost  = 30.0 // penalty, in square points, for each sampled point of an arrow under a label
	ringGap   = 62.0 // distance between nodes on a ring, and between rings
)

func (g Graph) check() error {
	in := panelName("graph", g.Title)
	if len(g.Nodes) == 0 {
		return fmt.Errorf("%s: no nodes", in)
	}
	seen := map[[3]int]bool{}
	for i, e := range g.Edges {
		for _, k := range []int{e.From, e.To} {
			if k < 0 || k >= len(g.Nodes) {
				return fmt.Errorf("%s: edge %d: node %d does not exist, want 0 to %d", in, i, k, len(g.Nodes)-1)
			}
		}
		class := g.class(e)
		if class < 0 {
			return fmt.Errorf("%s: edge %d: labels %q, want one of %q", in, i, e.Labels, g.Classes)
		}
		if seen[[3]int{e.From, e.To, class}] {
			return fmt.Errorf("%s: edge %d is a second edge from node %d to node %d, want at most one", in, i, e.From, e.To)
		}
		seen[[3]int{e.From, e.To, class}] = true
	}
	return nil
}

func (g Graph) height(w float64) float64 {
	if len(g.Nodes) == 1 {
		return min(w, 2*g.beyond())
	}
	return w
}

func (g Graph) margins(_, _ float64) margins {
	if g.Title == "" {
		return margins{}
	}
	return margins{top: titleSize*lead + 4}
}

// disc returns the radius of the discs. Every label fits.
func (g Graph) disc() float64 {
	r := leastDisc
	for _, node := range g.Nodes {
		r = max(r, textWidth(node.Label, tickSize)/2+3)
	}
	return r
}

// beyond returns the space that a node at the edge needs for its loop and label.
func (g Graph) beyond() float64 {
	room := 0.0
	for _, e := range g.Edges {
		if e.From == e.To {
			w, h := labelSizes(e.Labels)
			room = max(room, loopReach+6+max(w, h))
		}
	}
	return g.disc() + max(room, loopReach)
}

// NaturalWidth returns a width, in points, at which the graph's nodes fit. Its edge
// labels fit, too, unless that would need a much wider figure.
func (g Graph) NaturalWidth() float64 {
	const roomy, tries, wider = 7, 6, 1.1 // roomy: area of the nodes' circle divided by the total area of the labels
	labels := 0.0
	for _, e := range g.Edges {
		w, h := labelSizes(e.Labels)
		labels += w * h
	}
	radius := max(math.Sqrt(roomy*labels/math.Pi), g.radius(g.depths()))
	width := max(320, 2*(radius+g.beyond()))
	best, least := width, math.Inf(1)
	for range tries {
		x, y, outward := g.place(rect{0, 0, width, width})
		covered := g.drawEdges(&svg{}, x, y, outward).covered
		if covered < least {
			best, least = width, covered
		}
		if covered == 0 {
			break
		}
		width *= wider
	}
	return best
}

// radius returns the radius of the outermost ring if nodes are placed at these depths.
func (g Graph) radius(depth []int) float64 {
	radius, gap := 0.0, ringGap+2*(g.disc()-leastDisc)
	for d, count := range counts(depth) {
		radius = max(radius, float64(d)*gap, float64(count)*gap/(2*math.Pi))
	}
	return radius
}

// depths returns the ring of each node: its distance from the first node in edges, if
// rings take little more space than one circle; otherwise 0 for all.
func (g Graph) depths() []int {
	circle := make([]int, len(g.Nodes))
	if !g.Rings {
		return circle
	}
	const deep = 1.5 // rings may be up to this many times as large as the circle
	if rings := g.distances(); g.radius(rings) < deep*g.radius(circle) {
		return rings
	}
	return circle
}

// distances returns the distance of each node from the first, in edges. Nodes that cannot
// be reached are placed on an additional outermost ring.
func (g Graph) distances() []int {
	depth := make([]int, len(g.Nodes))
	for k := range depth {
		depth[k] = -1
	}
	depth[0] = 0
	queue, last := []int{0}, 0
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		last = depth[k]
		for _, e := range g.Edges {
			if e.From == k && depth[e.To] < 0 {
				depth[e.To] = depth[k] + 1
				queue = append(queue, e.To)
			}
		}
	}
	for k := range depth {
		if depth[k] < 0 {
			depth[k] = last + 1
		}
	}
	return depth
}

// counts returns the number of times that 0, 1, … occur in a list.
func counts(numbers []int) []int {
	var n []int
	for _, k := range numbers {
		for len(n) <= k {
			n = append(n, 0)
		}
		n[k]++
	}
	return n
}

// place returns the centres of the nodes, and for each the direction away from the
// graph's centre, as an angle in radians.
func (g Graph) place(a rect) (x, y, outward []float64) {
	n := len(g.Nodes)
	x, y, outward = make([]float64, n), make([]float64, n), make([]float64, n)
	room := min(a.w, a.h)/2 - g.beyond()
	depth := g.depths()
	in := counts(depth)
	done := make([]int, len(in))
	radius := make([]float64, n)
	for k := range n {
		d := depth[k]
		outward[k] = -math.Pi/2 + 2*math.Pi*(float64(done[d])+float64(d%2)/2)/float64(in[d])
		done[d]++
		switch {
		case len(in) > 1:
			radius[k] = room * float64(d) / float64(len(in)-1)
		case n > 1:
			radius[k] = room
		}
	}
	switch {
	case g.Rings && g.Classes != nil:
		g.uncross(depth, radius, outward)
	case g.Rings:
		g.untangle(depth, radius, outward)
	}
	for k := range n {
		x[k] = a.x + a.w/2 + radius[k]*math.Cos(outward[k])
		y[k] = a.y + a.h/2 + radius[k]*math.Sin(outward[k])
	}
	return x, y, outward
}

func (g Graph) draw(s *svg, a rect) {
	if g.Title != "" {
		s.text(a.x+a.w/2, a.y-6, label{text: g.Title, size: titleSize, bold: true})
	}
	x, y, outward := g.place(a)
	g.drawEdges(s, x, y, outward)
	for k, node := range g.Nodes {
		attrs, class := fmt.Sprintf(`fill="%s"`, hex6(hue(1))), "ondark"
		if node.Open {
			attrs, class = hollowDisc, ""
		}
		s.put(`<circle cx="%s" cy="%s" r="%s" %s/>`, num(x[k]), num(y[k]), num(g.disc()), attrs)
		s.text(x[k], y[k]+tickSize*textHeight/2, label{text: node.Label, size: tickSize, class: class, bold: true})
	}
}

// drawEdges draws the arrows and their labels for nodes centred at (x, y).
func (g Graph) drawEdges(s *svg, x, y, outward []float64) *graphDrawing {
	d := &graphDrawing{svg: s, disc: g.disc(), classes: g.Classes != nil}
	for k := range g.Nodes {
		d.taken = append(d.taken, rect{x[k] - d.disc, y[k] - d.disc, 2 * d.disc, 2 * d.disc})
	}
	spots := make([][]spot, len(g.Edges))
	for i, e := range g.Edges {
		if e.From != e.To {
			d.class = g.class(e)
			spots[i] = d.arrow(d.curve(e, x, y), x[e.From], y[e.From], x[e.To], y[e.To])
		}
	}
	for i, e := range g.Edges {
		if e.From == e.To {
			d.class = g.class(e)
			spots[i] = d.loop(x[e.From], y[e.From], d.free(e.From, x, y, outward[e.From]))
		}
	}
	for i, e := range g.Edges {
		if !d.classes {
			d.labels(e.Labels, spots[i])
		}
	}
	return d
}

// graphDrawing draws edges and records the places of discs, labels and arrows, which
// later labels avoid.
type graphDrawing struct {
	*svg
	classes bool         // whether edges have classes in place of labels
	class   int          // class of the edge that is being drawn
	disc    float64      // radius
	taken   []rect       // the discs, in the order of the nodes, then the labels
	lines   [][2]float64 // points along the arrows
	covered float64      // total area of discs, arrows and labels that is covered by labels
}

// A curve is a quadratic Bézier curve.
type curve struct{ x1, y1, cx, cy, x2, y2 float64 }

func (c curve) at(t float64) (x, y float64) {
	return (1-t)*(1-t)*c.x1 + 2*t*(1-t)*c.cx + t*t*c.x2, (1-t)*(1-t)*c.y1 + 2*t*(1-t)*c.cy + t*t*c.y2
}

// along returns points along the curve.
func (c curve) along() (list [][2]float64) {
	for t := 0.05; t < 1; t += 0.05 {
		x, y := c.at(t)
		list = append(list, [2]float64{x, y})
	}
	return list
}

// curve bends an edge to its left (outward, if clockwise on a circle), to separate the
// two arrows between a pair of nodes. It chooses the bend that crosses the fewest discs
// of other nodes.
func (d *graphDrawing) curve(e Edge, x, y []float64) curve {
	x1, y1, x2, y2 := x[e.From], y[e.From], x[e.To], y[e.To]
	length := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	var best curve
	least := math.Inf(1)
	for _, factor := range d.bends() {
		bend := factor * (0.14*length + 4)
		c := curve{x1, y1, (x1+x2)/2 + uy*bend, (y1+y2)/2 - ux*bend, x2, y2}
		crossed := 0.0
		for k := range x {
			if k != e.From && k != e.To {
				crossed += d.crossed(c, x[k], y[k])
			}
		}
		if crossed < least {
			best, least = c, crossed
		}
	}
	return best
}

// crossed returns how many sampled points of a curve are inside the disc of the node at
// (x, y) or too close to it.
func (d *graphDrawing) crossed(c curve, x, y float64) (n float64) {
	const clear = 3.0 // minimum distance between an arrow and a disc
	for _, p := range c.along() {
		if math.Hypot(p[0]-x, p[1]-y) < d.disc+clear {
			n++
		}
	}
	return n
}

// arrow draws a curve between the discs of two nodes and returns candidate places for its
// label.
func (d *graphDrawing) arrow(c curve, x1, y1, x2, y2 float64) []spot {
	fromX, fromY := toward(x1, y1, c.cx, c.cy, d.disc+1)
	tipX, tipY := toward(x2, y2, c.cx, c.cy, d.disc+2)
	d.line("M%s,%sQ%s,%s %s,%s",
		num(fromX), num(fromY), num(c.cx), num(c.cy), num(tipX), num(tipY))
	d.head(tipX, tipY, math.Atan2(tipY-c.cy, tipX-c.cx))
	d.lines = append(d.lines, c.along()...)
	length := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	var outside, inside []spot
	for _, t := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74} {
		x, y := c.at(t)
		outside = append(outside, spot{x, y, uy, -ux})
		inside = append(inside, spot{x, y, -uy, ux})
	}
	return append(outside, inside...)
}

// free returns the direction in which a loop at a node meets the fewest arrows and other
// discs. Of equally good directions it prefers the one closest to outward, the direction
// away from the graph's centre.
func (d *graphDrawing) free(node int, x, y []float64, outward float64) float64 {
	best, least := outward, math.Inf(1)
	for _, turn := range []float64{0, 1, -1, 2, -2, 3, -3, 4} {
		direction := outward + turn*math.Pi/4
		reach := d.disc + loopReach/2
		cx, cy := x[node]+reach*math.Cos(direction), y[node]+reach*math.Sin(direction)
		met := math.Abs(turn) / 10
		for k := range x {
			if k != node && math.Hypot(x[k]-cx, y[k]-cy) < d.disc+loopReach/2 {
				met += 10
			}
		}
		for _, p := range d.lines {
			if math.Hypot(p[0]-cx, p[1]-cy) < loopReach/3 {
				met++
			}
		}
		if met < least {
			best, least = direction, met
		}
	}
	return best
}

// loop draws an arrow from a node to itself in a direction and returns candidate places
// for its label.
func (d *graphDrawing) loop(x, y, direction float64) []spot {
	const half = 0.5 // half the angle between the loop's ends, in radians
	top := d.disc + loopReach - leastDisc
	reach := 1.3 * top
	point := func(distance, turn float64) (px, py float64) {
		return x + distance*math.Cos(direction+turn), y + distance*math.Sin(direction+turn)
	}
	fromX, fromY := point(d.disc+1, -half)
	tipX, tipY := point(d.disc+2, half)
	aX, aY := point(reach, -half)
	bX, bY := point(reach, half)
	d.line("M%s,%sC%s,%s %s,%s %s,%s",
		num(fromX), num(fromY), num(aX), num(aY), num(bX), num(bY), num(tipX), num(tipY))
	d.head(tipX, tipY, math.Atan2(tipY-bY, tipX-bX))
	if d.classes { // keeps the node's loops of other classes out of this direction
		middleX, middleY := point(d.disc+loopReach/2, 0)
		d.lines = append(d.lines, [2]float64{middleX, middleY})
	}
	var spots []spot
	for _, turn := range []float64{0, 0.35, -0.35, 0.6, -0.6} {
		px, py := point(top*(1-math.Abs(turn)/5), turn)
		spots = append(spots, spot{px, py, math.Cos(direction + turn), math.Sin(direction + turn)})
	}
	return spots
}

// toward returns the point at a distance from (x1, y1) in the direction of (x2, y2).
func toward(x1, y1, x2, y2, distance float64) (x, y float64) {
	length := math.Hypot(x2-x1, y2-y1)
	return x1 + (x2-x1)/length*distance, y1 + (y2-y1)/length*distance
}

// head draws the head of an arrow that ends at (x, y).
func (d *graphDrawing) head(x, y, direction float64) {
	const open = 0.42
	aX, aY := x-arrowHead*math.Cos(direction-open), y-arrowHead*math.Sin(direction-open)
	bX, bY := x-arrowHead*math.Cos(direction+open), y-arrowHead*math.Sin(direction+open)
	d.stroke("", points(aX, aY, x, y, bX, bY))
}

// A spot is a candidate place for a label: a point, and the direction from the point to
// the label.
type spot struct{ x, y, dx, dy float64 }

// labels writes lines of text at the spot where they cover the least of the drawing.
func (d *graphDrawing) labels(lines []string, spots []spot) {
	if len(lines) == 0 {
		return
	}
	w, h := labelSizes(lines)
	var best rect
	least := math.Inf(1)
	for _, s := range spots {
		// Move the text box away from the spot by the box's extent in this direction, which
		// keeps the box clear of the arrow's tangent at the spot.
		away := math.Abs(s.dx)*w/2 + math.Abs(s.dy)*h/2 + labelGap
		r := rect{s.x + s.dx*away - w/2, s.y + s.dy*away - h/2, w, h}
		covered := 0.0
		for _, t := range d.taken {
			covered += overlap(r, t)
		}
		for _, p := range d.lines {
			if p[0] > r.x && p[0] < r.x+r.w && p[1] > r.y && p[1] < r.y+r.h {
				covered += lineCost
			}
		}
		if covered < least {
			best, least = r, covered
		}
	}
	d.taken, d.covered = append(d.taken, best), d.covered+least
	for i, text := range lines {
		d.text(best.x+w/2, best.y+(float64(i)*lead+1)*tickSize, label{text: text, size: tickSize})
	}
}

// labelSizes returns the width and height of lines of text.
func labelSizes(lines []string) (w, h float64) {
	for _, text := range lines {
		w = max(w, textWidth(text, tickSize))
	}
	return w, float64(len(lines)) * tickSize * lead
}

// overlap returns the area of the intersection of two rectangles.
func overlap(a, b rect) float64 {
	w := min(a.x+a.w, b.x+b.w) - max(a.x, b.x)
	h := min(a.y+a.h, b.y+b.h) - max(a.y, b.y)
	return max(0, w) * max(0, h)
}
