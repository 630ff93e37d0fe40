package figure

import "math"

// rounding is a length in points; smaller differences are taken for rounding errors.
const rounding = 1e-6

// untangle swaps pairs of nodes on the same ring as long as that reduces the total length
// of the edges.
func (g Graph) untangle(depth []int, radius, outward []float64) {
	edges := make([][]int, len(g.Nodes)) // the neighbours of each node
	for _, e := range g.Edges {
		edges[e.From] = append(edges[e.From], e.To)
		edges[e.To] = append(edges[e.To], e.From)
	}
	length := func(k int) float64 {
		sum := 0.0
		for _, other := range edges[k] {
			sum += math.Hypot(radius[k]*math.Cos(outward[k])-radius[other]*math.Cos(outward[other]),
				radius[k]*math.Sin(outward[k])-radius[other]*math.Sin(outward[other]))
		}
		return sum
	}
	g.exchange(50, depth, outward, func(i, j int) float64 { return length(i) + length(j) })
}

// exchange swaps the directions of two nodes on the same ring if that lowers the pair's
// cost, which is in points. It passes over all pairs until no swap helps, but at most the
// given number of times.
func (g Graph) exchange(passes int, depth []int, outward []float64, cost func(i, j int) float64) {
	for range passes {
		changed := false
		for i := range g.Nodes {
			for j := range i {
				if depth[i] != depth[j] {
					continue
				}
				before := cost(i, j)
				outward[i], outward[j] = outward[j], outward[i]
				if cost(i, j) < before-rounding {
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

// uncross swaps pairs of nodes on the same ring as long as that reduces the number of
// crossings or the length of the edges. It treats all edges as straight, as nearly all
// are.
func (g Graph) uncross(depth []int, radius, outward []float64) {
	type end struct{ x, y float64 }
	at := func(k int) end { return end{radius[k] * math.Cos(outward[k]), radius[k] * math.Sin(outward[k])} }
	incident := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		incident[e.From] = append(incident[e.From], i)
		incident[e.To] = append(incident[e.To], i)
	}
	side := func(a, b, c end) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }
	cross := func(e, f Edge) bool {
		if e.From == f.From || e.From == f.To || e.To == f.From || e.To == f.To {
			return false
		}
		a, b, c, d := at(e.From), at(e.To), at(f.From), at(f.To)
		return side(a, b, c)*side(a, b, d) < -rounding && side(c, d, a)*side(c, d, b) < -rounding
	}
	// cost returns the cost of the edges at two nodes: their total length, plus a fixed
	// length for each crossing.
	const crossing = 60.0
	cost := func(i, j int) (sum float64) {
		for _, n := range []int{i, j} {
			for _, k := range incident[n] {
				e := g.Edges[k]
				a, b := at(e.From), at(e.To)
				sum += math.Hypot(a.x-b.x, a.y-b.y)
				for _, f := range g.Edges {
					if cross(e, f) {
						sum += crossing
					}
				}
			}
		}
		return sum
	}
	g.exchange(30, depth, outward, cost)
}
