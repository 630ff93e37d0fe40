package craft

import (
	"slices"
)

// HeadPattern assigns earlier tokens to the heads in the second layer of an [Induction].
// The offset of a token, its distance back in positions, determines the head. The pattern
// repeats, so it serves contexts of any length.
type HeadPattern struct {
	// Of is the head, counted from 0, for each offset modulo len(Of), or −1 if no head
	// attends to this offset.
	Of    []int
	Heads int
	// Proven is true if it is proven that fewer heads cannot keep the transitions apart,
	// whatever sets of past tokens they attend to. Two tokens whose offsets differ by the
	// difference of two lags cannot share a head, and because of this, any Segment
	// consecutive offsets need at least Heads heads.
	Proven  bool
	Segment int // 0 if the number of lags alone proves the bound
}

// Head returns the head that attends to a token `offset` positions back, or −1.
func (p HeadPattern) Head(offset int) int { return p.Of[offset%len(p.Of)] }

// Limits on the work of FewestHeads, counted in comparisons of two offsets.
// mostComparisons is the limit for all searches together, a few tenths of a second. The
// limit for one pattern or segment starts at leastOfASearch and is raised to
// mostOfASearch.
const (
	mostComparisons = 1 << 27
	leastOfASearch  = 1 << 15
	mostOfASearch   = 1 << 21
)

// FewestHeads returns a pattern that keeps all transitions of a set of lags apart with
// the fewest heads. The lags must be different and positive.
//
// After the first layer, token i holds its normalised transition probability for lag k in
// entry i−k of its positions (D'Angelo et al. 2025, Sec. 4.1). A head that attends to
// tokens i and i' adds their entries, and mixes two transitions if i−k = i'−k' for lags k
// ≠ k', that is, if i and i' differ by the difference of two lags. So the heads are the
// colours of a graph on the integers whose edges join numbers at a distance in D =
// {k−k'}, and the smallest number of heads is its chromatic number. Giving a transition
// several heads does not help: keeping only one of them is also a colouring. Choosing a
// different assignment at each position does not help either: the offsets that a position
// sees form the same graph.
//
// The number of lags is a lower bound, because tokens at the lags themselves differ
// pairwise by distances in D. The contiguous set around K ([Hull]) gives an upper bound.
// Between these bounds FewestHeads searches for patterns with equal steps around a
// circle, then for any periodic pattern. A segment of offsets that needs more heads
// proves that there is no such pattern. For many lags that are far apart, the search may
// end before it has a proof: the pattern then keeps transitions apart but is not Proven.
// Two lags at distance d take two heads, which alternate every d offsets. Three lags with
// differences x, y and x+y take three heads if (x−y)/gcd(x, y) is a multiple of 3, and
// otherwise four (Zhu 2002, on distance graphs).
func FewestHeads(lags []int) HeadPattern {
	distances, scale := reduced(differences(lags))
	best := circular(distances, len(lags))
	left := mostComparisons
	bound, segment := len(lags), 0 // a proven lower bound on the number of heads, and the segment that proves it
	for limit := leastOfASearch; limit <= mostOfASearch && left > 0; limit *= 8 {
		for heads := bound; heads < best.Heads; heads++ {
			g := headSearch{distances: distances, heads: heads, limit: limit, left: &left}
			if n := g.impossible(); n > 0 {
				bound, segment = heads+1, n
			} else if of, ok := g.repeating(); ok {
				best = HeadPattern{Of: of, Heads: heads}
			}
		}
	}
	best.Of, best.Proven, best.Segment = stretched(best.Of, scale), best.Heads == bound, segment*scale
	return best
}

// reduced divides distances by their greatest common divisor, which it returns as scale.
// Offsets whose distance is not a multiple of that divisor never interact.
func reduced(distances []int) (list []int, scale int) {
	for _, d := range distances {
		for d != 0 {
			scale, d = d, scale%d
		}
	}
	for _, d := range distances {
		list = append(list, d/scale)
	}
	return list, max(scale, 1)
}

// stretched repeats each entry the given number of times, which multiplies all distances
// by that number.
func stretched(of []int, times int) []int {
	list := make([]int, 0, times*len(of))
	for _, h := range of {
		for range times {
			list = append(list, h)
		}
	}
	return list
}

// circular returns the pattern with the fewest heads, at least the given number, in which
// each head is one of several equal arcs of a circle, and each offset is c/M of a turn
// further along the circle than the previous offset. Offsets at distance d have different
// heads if d·c differs from every multiple of M by at least the length of an arc.
func circular(distances []int, least int) HeadPattern {
	n := least
	for slices.ContainsFunc(distances, func(d int) bool { return d%n == 0 }) {
		n++
	}
	best, left := turns(n), mostComparisons/4
	for M := 2; len(distances) > 0 && M <= 4*(distances[len(distances)-1]+1) && left > 0; M++ {
		for c := 1; 2*c <= M && best.Heads > least; c++ {
			apart := func(d int) bool {
				left--
				at := d * c % M
				return min(at, M-at)*(best.Heads-1) >= M
			}
			for best.Heads > least && !slices.ContainsFunc(distances, func(d int) bool { return !apart(d) }) {
				best = HeadPattern{Of: make([]int, M), Heads: best.Heads - 1}
				for i := range best.Of {
					best.Of[i] = best.Heads * (i * c % M) / M
				}
			}
		}
	}
	return best
}

// turns returns the pattern in which n heads take turns.
func turns(n int) HeadPattern {
	p := HeadPattern{Of: make([]int, n), Heads: n}
	for i := range p.Of {
		p.Of[i] = i
	}
	return p
}

// Hull returns the pattern of the contiguous set around the given lags, which is all lags
// from the smallest to the largest. It has k̂ − min K + 1 heads, which take turns: head h
// attends to the offsets h modulo that number.
func Hull(lags []int) HeadPattern {
	return turns(slices.Max(lags) - slices.Min(lags) + 1)
}

// differences returns the distances between lags, ascending.
func differences(lags []int) []int {
	var all []int
	for _, a := range lags {
		for _, b := range lags {
			if a > b {
				all = append(all, a-b)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// headSearch searches for patterns with a given number of heads by backtracking over the
// offsets.
type headSearch struct {
	distances []int
	heads     int
	limit     int  // comparisons allowed for one search
	left      *int // comparisons left for all searches

	around    bool // the offsets wrap around
	of        []int
	remaining int
}

// repeating returns the shortest periodic pattern that it finds.
func (g *headSearch) repeating() ([]int, bool) {
	g.around = true
	// The period can be shorter than the largest distance, which then wraps around.
	for period := g.heads; period <= 4*(g.distances[len(g.distances)-1]+1) && *g.left > 0; period++ {
		if g.place(period) {
			return g.of, true
		}
	}
	return nil, false
}

// impossible returns a number of consecutive offsets for which the heads are not enough,
// or 0 if it does not find such a number.
func (g *headSearch) impossible() int {
	g.around = false
	cannot := func(n int) bool { return !g.place(n) && g.remaining > 0 }
	most := 8 * (g.distances[len(g.distances)-1] + 1)
	low, high := g.heads, g.heads+1
	for !cannot(high) {
		if low, high = high, 2*high; high > most || *g.left <= 0 {
			return 0
		}
	}
	for high-low > 1 { // if a segment is impossible, longer segments are impossible too
		if middle := (low + high) / 2; cannot(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// place assigns heads to n offsets, and reports whether it succeeded within the allowed
// comparisons.
func (g *headSearch) place(n int) bool {
	g.of = slices.Repeat([]int{-1}, n)
	if g.around && slices.ContainsFunc(g.distances, func(d int) bool { return d%n == 0 }) {
		return false
	}
	allowed := min(g.limit, *g.left)
	g.remaining = allowed
	found := g.from(0, 0)
	*g.left -= allowed - max(g.remaining, 0)
	return found
}

// from assigns heads to the given offset and all later ones. The earlier offsets have the
// first `used` heads.
func (g *headSearch) from(offset, used int) bool {
	if offset == len(g.of) {
		return true
	}
	for head := range min(used+1, g.heads) {
		if g.remaining -= len(g.distances); g.remaining <= 0 {
			return false
		}
		if !g.free(offset, head) {
			continue
		}
		g.of[offset] = head
		if g.from(offset+1, max(used, head+1)) {
			return true
		}
		g.of[offset] = -1
	}
	return false
}

// free reports whether the head can take an offset: no offset at one of the distances
// from it has the same head.
func (g *headSearch) free(offset, head int) bool {
	n := len(g.of)
	for _, d := range g.distances {
		switch {
		case g.around:
			if g.of[((offset-d)%n+n)%n] == head || g.of[(offset+d)%n] == head {
				return false
			}
		case d <= offset:
			if g.of[offset-d] == head {
				return false
			}
		}
	}
	return true
}
