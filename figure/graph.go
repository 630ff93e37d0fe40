package figure

import (
	"fmt"
	"math"
)

// A Graph draws the states of a process as discs on a circle, or around the first
// one, and its edges as arrows with their labels.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
	// Rings places the nodes by their distance from the first, which is in the
	// middle, instead of on one circle: for a graph that is nearly a tree.
	Rings bool
}

// A Node is a disc of a Graph.
type Node struct {
	Label string
	// Open leaves the disc unfilled.
	Open bool
}

// An Edge is an arrow of a Graph from one node to another, or back to the same.
// There is at most one from a node to another.
type Edge struct {
	From, To int
	Labels   []string // one a line
}

const (
	leastDisc = 11.0 // radius
	loopReach = 34.0 // how far a loop goes beyond its node
	arrowHead = 6.0
	labelGap  = 2.0  // between an arrow and its label
	lineCost  = 30.0 // of a point of an arrow under a label, in points squared
	ringGap   = 62.0 // between nodes of a ring, and between rings
)

func (g Graph) check() error {
	in := panelName("graph", g.Title)
	if len(g.Nodes) == 0 {
		return fmt.Errorf("%s: no nodes", in)
	}
	seen := map[[2]int]bool{}
	for i, e := range g.Edges {
		for _, k := range []int{e.From, e.To} {
			if k < 0 || k >= len(g.Nodes) {
				return fmt.Errorf("%s: edge %d: there is no node %d", in, i, k)
			}
		}
		if seen[[2]int{e.From, e.To}] {
			return fmt.Errorf("%s: edge %d: a second one from node %d to node %d", in, i, e.From, e.To)
		}
		seen[[2]int{e.From, e.To}] = true
	}
	return nil
}

func (g Graph) keys() []key { return nil }

func (g Graph) height(w float64) float64 { return w }

func (g Graph) margins(_, _ float64) margins {
	if g.Title == "" {
		return margins{}
	}
	return margins{top: titleSize*lead + 4}
}

// disc returns the radius of the discs, in which every label has room.
func (g Graph) disc() float64 {
	r := leastDisc
	for _, node := range g.Nodes {
		r = max(r, textWidth(node.Label, tickSize)/2+3)
	}
	return r
}

// beyond returns the room that a node at the edge needs for its loop and its label.
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

// NaturalWidth returns a width, in points, at which the nodes of the graph have room.
func (g Graph) NaturalWidth() float64 {
	const roomy = 7 // area of the circle over that of the labels
	labels := 0.0
	for _, e := range g.Edges {
		w, h := labelSizes(e.Labels)
		labels += w * h
	}
	radius := math.Sqrt(roomy * labels / math.Pi)
	gap := ringGap + 2*(g.disc()-leastDisc)
	depth := make([]int, len(g.Nodes))
	if g.Rings {
		depth = g.depths()
	}
	for d, count := range counts(depth) {
		radius = max(radius, float64(d)*gap, float64(count)*gap/(2*math.Pi))
	}
	return max(320, 2*(radius+g.beyond()))
}

// depths returns how many edges each node is from the first; a node that is not
// reached is put outside.
func (g Graph) depths() []int {
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

// counts returns how often each of the numbers 0, 1, … occurs.
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

// place returns the middles of the nodes, and the direction in which each looks
// outward.
func (g Graph) place(a rect) (x, y, outward []float64) {
	n := len(g.Nodes)
	x, y, outward = make([]float64, n), make([]float64, n), make([]float64, n)
	room := min(a.w, a.h)/2 - g.beyond()
	depth := make([]int, n)
	if g.Rings {
		depth = g.depths()
	}
	in := counts(depth)
	done := make([]int, len(in))
	radius := make([]float64, n)
	for k := range n {
		d := depth[k]
		outward[k] = -math.Pi/2 + 2*math.Pi*(float64(done[d])+float64(d%2)/2)/float64(in[d])
		done[d]++
		switch {
		case g.Rings && len(in) > 1:
			radius[k] = room * float64(d) / float64(len(in)-1)
		case n > 1:
			radius[k] = room
		}
	}
	if g.Rings {
		g.untangle(depth, radius, outward)
	}
	for k := range n {
		x[k] = a.x + a.w/2 + radius[k]*math.Cos(outward[k])
		y[k] = a.y + a.h/2 + radius[k]*math.Sin(outward[k])
	}
	return x, y, outward
}

// untangle lets nodes of a ring change places for as long as that makes the edges
// shorter, all together.
func (g Graph) untangle(depth []int, radius, outward []float64) {
	edges := make([][]int, len(g.Nodes)) // the other ends of those at each node
	for _, e := range g.Edges {
		edges[e.From], edges[e.To] = append(edges[e.From], e.To), append(edges[e.To], e.From)
	}
	length := func(k int) float64 {
		sum := 0.0
		for _, other := range edges[k] {
			sum += math.Hypot(radius[k]*math.Cos(outward[k])-radius[other]*math.Cos(outward[other]),
				radius[k]*math.Sin(outward[k])-radius[other]*math.Sin(outward[other]))
		}
		return sum
	}
	const passes, shorter = 50, 1e-6 // in points: less is rounding
	for range passes {
		changed := false
		for i := range g.Nodes {
			for j := range i {
				if depth[i] != depth[j] {
					continue
				}
				before := length(i) + length(j)
				outward[i], outward[j] = outward[j], outward[i]
				if length(i)+length(j) < before-shorter {
					changed = true
					continue
				}
				outward[i], outward[j] = outward[j], outward[i]
			}
		}
		if !changed {
			return
		}
	}
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
			attrs, class = `class="axis"`, ""
		}
		s.put(`<circle cx="%s" cy="%s" r="%s" %s/>`, num(x[k]), num(y[k]), num(g.disc()), attrs)
		s.text(x[k], y[k]+tickSize*textHeight/2, label{text: node.Label, size: tickSize, class: class, bold: true})
	}
}

// drawEdges draws the arrows and their labels, for nodes at (x, y).
func (g Graph) drawEdges(s *svg, x, y, outward []float64) *graphDrawing {
	d := &graphDrawing{svg: s, disc: g.disc()}
	for k := range g.Nodes {
		d.taken = append(d.taken, rect{x[k] - d.disc, y[k] - d.disc, 2 * d.disc, 2 * d.disc})
	}
	spots := make([][]spot, len(g.Edges))
	for i, e := range g.Edges {
		if e.From == e.To {
			spots[i] = d.loop(x[e.From], y[e.From], outward[e.From])
		} else {
			spots[i] = d.arrow(x[e.From], y[e.From], x[e.To], y[e.To])
		}
	}
	for i, e := range g.Edges {
		d.labels(e.Labels, spots[i])
	}
	return d
}

// graphDrawing draws edges, and remembers where discs, labels and arrows are.
type graphDrawing struct {
	*svg
	disc  float64      // radius
	taken []rect       // discs in the order of the nodes, then labels
	lines [][2]float64 // points of the arrows
}

// arrow draws a curve that bends to its left (outward, clockwise on a circle), so
// that the two arrows between two nodes keep apart, and returns where its label
// may go.
func (d *graphDrawing) arrow(x1, y1, x2, y2 float64) []spot {
	length := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	bend := 0.14*length + 4
	cx, cy := (x1+x2)/2+uy*bend, (y1+y2)/2-ux*bend
	fromX, fromY := toward(x1, y1, cx, cy, d.disc+1)
	tipX, tipY := toward(x2, y2, cx, cy, d.disc+2)
	d.put(`<path class="axis" d="M%s,%sQ%s,%s %s,%s"/>`, num(fromX), num(fromY), num(cx), num(cy), num(tipX), num(tipY))
	d.head(tipX, tipY, math.Atan2(tipY-cy, tipX-cx))
	at := func(t float64) (x, y float64) {
		return (1-t)*(1-t)*x1 + 2*t*(1-t)*cx + t*t*x2, (1-t)*(1-t)*y1 + 2*t*(1-t)*cy + t*t*y2
	}
	for t := 0.05; t < 1; t += 0.05 {
		x, y := at(t)
		d.lines = append(d.lines, [2]float64{x, y})
	}
	var outside, inside []spot
	for _, t := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74} {
		x, y := at(t)
		outside, inside = append(outside, spot{x, y, uy, -ux}), append(inside, spot{x, y, -uy, ux})
	}
	return append(outside, inside...)
}

// loop draws an arrow from a node to itself, outward, and returns where its label
// goes.
func (d *graphDrawing) loop(x, y, outward float64) []spot {
	const half = 0.5 // of the angle between its ends
	top := d.disc + loopReach - leastDisc
	reach := 1.3 * top
	fromX, fromY := x+(d.disc+1)*math.Cos(outward-half), y+(d.disc+1)*math.Sin(outward-half)
	tipX, tipY := x+(d.disc+2)*math.Cos(outward+half), y+(d.disc+2)*math.Sin(outward+half)
	aX, aY := x+reach*math.Cos(outward-half), y+reach*math.Sin(outward-half)
	bX, bY := x+reach*math.Cos(outward+half), y+reach*math.Sin(outward+half)
	d.put(`<path class="axis" d="M%s,%sC%s,%s %s,%s %s,%s"/>`,
		num(fromX), num(fromY), num(aX), num(aY), num(bX), num(bY), num(tipX), num(tipY))
	d.head(tipX, tipY, math.Atan2(tipY-bY, tipX-bX))
	return []spot{{x + top*math.Cos(outward), y + top*math.Sin(outward), math.Cos(outward), math.Sin(outward)}}
}

// toward returns the point at a distance from (x1, y1) on the way to (x2, y2).
func toward(x1, y1, x2, y2, distance float64) (x, y float64) {
	length := math.Hypot(x2-x1, y2-y1)
	return x1 + (x2-x1)/length*distance, y1 + (y2-y1)/length*distance
}

// head draws the head of an arrow that ends at (x, y).
func (d *graphDrawing) head(x, y, direction float64) {
	const open = 0.42
	aX, aY := x-arrowHead*math.Cos(direction-open), y-arrowHead*math.Sin(direction-open)
	bX, bY := x-arrowHead*math.Cos(direction+open), y-arrowHead*math.Sin(direction+open)
	d.put(`<path class="axis" d="%s"/>`, points(aX, aY, x, y, bX, bY))
}

// A spot is a place for a label: a point, and the direction in which it lies.
type spot struct{ x, y, dx, dy float64 }

// labels writes lines of text at the spot where they cover least.
func (d *graphDrawing) labels(lines []string, spots []spot) {
	if len(lines) == 0 {
		return
	}
	w, h := labelSizes(lines)
	var best rect
	least := math.Inf(1)
	for _, s := range spots {
		// As far out as the box of the text reaches in that direction, so that the
		// tangent at the spot stays clear of it.
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
	d.taken = append(d.taken, best)
	for i, text := range lines {
		d.text(best.x+w/2, best.y+(float64(i)*lead+1)*tickSize, label{text: text, size: tickSize})
	}
}

// labelSizes returns the width and the height of lines of text.
func labelSizes(lines []string) (w, h float64) {
	for _, text := range lines {
		w = max(w, textWidth(text, tickSize))
	}
	return w, float64(len(lines)) * tickSize * lead
}

// overlap returns the area that two rectangles share.
func overlap(a, b rect) float64 {
	w := min(a.x+a.w, b.x+b.w) - max(a.x, b.x)
	h := min(a.y+a.h, b.y+b.h) - max(a.y, b.y)
	return max(0, w) * max(0, h)
}
