package craft

import (
	"slices"
)

// HeadPattern says which head of the second layer of an [Induction] attends to a token,
// by how far back that token is. It repeats, so that it serves a context of any length.
type HeadPattern struct {
	// Of is the head, from 0, that attends to a token, by its offset modulo len(Of);
	// −1 where no head does.
	Of    []int
	Heads int
	// Proven says that no fewer heads keep the transitions apart, with any sets of past
	// tokens: two transitions whose offsets differ by a difference of two lags cannot
	// share a head, and so many consecutive offsets as Segment cannot do with fewer.
	Proven  bool
	Segment int // 0 where the number of lags alone is the bound
}

// Head returns the head that attends to a token `offset` positions back, or −1.
func (p HeadPattern) Head(offset int) int { return p.Of[offset%len(p.Of)] }

// Bounds of what FewestHeads may do, in comparisons of two offsets: some tenths of a
// second in all, and less for each pattern or segment.
const (
	mostComparisons = 1 << 27
	leastOfASearch  = 1 << 15
	mostOfASearch   = 1 << 21
)

// FewestHeads returns a pattern that keeps all transitions of a set of lags apart with as
// few heads as there can be. The lags are different and positive.
//
// After the first layer, token i holds its normalised transition probability of lag k in
// entry i−k of its positions (D'Angelo et al. 2025, Sec. 4.1). A head that attends to
// tokens i and i' adds both up, and mixes two of them where i−k = i'−k' for lags k ≠ k':
// where i and i' differ by a difference of two lags. So the heads are the colours of a
// graph, that of the distances D = {k−k'} on the integers, and the fewest heads its
// chromatic number. That a transition may have several heads does not help: let it keep
// one of them. Nor does it help to choose anew for each position: those that it looks
// back on, as many as there are, are such a graph themselves.
//
// The number of lags is a lower bound, for tokens that the lags themselves number differ
// by D pairwise; the contiguous set around K ([Hull]) is an upper one. Between them
// patterns are looked for that go around a circle by equal steps, then any by period, and
// a segment of offsets that cannot do with fewer heads proves that there are none. Sets
// with many lags far apart may be beyond the search: the pattern then keeps transitions
// apart but is not Proven. Two lags take two heads, by turns of d offsets, d their
// distance; three, whose differences are x, y and x+y, take three if (x−y)/gcd(x, y) is a
// multiple of 3 and four otherwise (Zhu 2002, on distance graphs).
func FewestHeads(lags []int) HeadPattern {
	distances, scale := reduced(differences(lags))
	best := circular(distances, len(lags))
	left := mostComparisons
	bound, segment := len(lags), 0 // heads that there have to be, and why
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

// reduced divides distances by their greatest common divisor: offsets that are no
// multiple of it apart never meet.
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

// stretched repeats each entry, so that distances are so many times as long.
func stretched(of []int, times int) []int {
	list := make([]int, 0, times*len(of))
	for _, h := range of {
		for range times {
			list = append(list, h)
		}
	}
	return list
}

// circular is the pattern of the fewest heads, at least so many, in which heads are equal
// arcs of a circle on which each offset is a step further: of c in M. A distance d keeps
// them apart if d·c is no nearer to a multiple of M than an arc is long.
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

// turns is the pattern in which n heads take turns.
func turns(n int) HeadPattern {
	p := HeadPattern{Of: make([]int, n), Heads: n}
	for i := range p.Of {
		p.Of[i] = i
	}
	return p
}

// Hull returns the pattern of the contiguous set around a set of lags, which has
// k̂ − min K + 1 heads: head h attends to offsets h, h plus that number, and so on.
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

// headSearch looks for patterns of so many heads by placing offsets one after the other
// and taking back.
type headSearch struct {
	distances []int
	heads     int
	limit     int  // comparisons that one search may make
	left      *int // that all may

	around    bool // the last offsets are followed by the first
	of        []int
	remaining int
}

// repeating returns the shortest pattern that it finds.
func (g *headSearch) repeating() ([]int, bool) {
	g.around = true
	// A pattern can be shorter than the widest distance, which then wraps around it.
	for period := g.heads; period <= 4*(g.distances[len(g.distances)-1]+1) && *g.left > 0; period++ {
		if g.place(period) {
			return g.of, true
		}
	}
	return nil, false
}

// impossible returns how many consecutive offsets cannot do with so many heads, or 0 if
// it finds no such number.
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
	for high-low > 1 { // what a segment cannot do no longer one can
		if middle := (low + high) / 2; cannot(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// place places n offsets, and reports whether it found a way before it had no comparison
// left.
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

// from places offsets from one on, of which those before it use so many heads.
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

// free reports whether a head has no offset at a distance of lags from this one.
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
