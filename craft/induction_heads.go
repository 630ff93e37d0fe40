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

// searchSteps bounds each search of FewestHeads, in tokens placed.
const searchSteps = 200_000

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
// by D pairwise; k̂ − min K + 1 is an upper one, the contiguous set around K ([Hull]).
// Between them patterns are looked for in order of period and a segment of offsets
// that cannot do with fewer proves that there are no better ones. Two lags take two heads
// (their distance is one number d, and blocks of d offsets take turns); three lags, whose
// differences are x, y and x+y, take three if x/g−y/g is a multiple of 3, g their
// greatest common divisor, and four otherwise (Zhu 2002, on distance graphs).
func FewestHeads(lags []int) HeadPattern {
	hull := Hull(lags)
	distances := differences(lags)
	proven, segment := true, 0
	for heads := len(lags); heads < hull.Heads; heads++ {
		if n := needsMore(distances, heads); n > 0 {
			proven, segment = true, n
			continue
		}
		// A pattern can be shorter than the widest distance, which then wraps around it.
		for period := heads; period <= 4*hull.Heads; period++ {
			g := headSearch{distances: distances, heads: heads, around: true, steps: searchSteps}
			if of, ok := g.place(period); ok {
				return HeadPattern{Of: of, Heads: heads, Proven: proven, Segment: segment}
			}
		}
		proven, segment = false, 0
	}
	hull.Proven, hull.Segment = proven, segment
	return hull
}

// Hull returns the pattern of the contiguous set around a set of lags, which has
// k̂ − min K + 1 heads: head h attends to offsets h, h plus that number, and so on.
func Hull(lags []int) HeadPattern {
	n := slices.Max(lags) - slices.Min(lags) + 1
	p := HeadPattern{Of: make([]int, n), Heads: n}
	for i := range p.Of {
		p.Of[i] = i
	}
	return p
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

// needsMore returns how many consecutive offsets cannot do with so many heads, or 0 if
// it finds no such number.
func needsMore(distances []int, heads int) int {
	widest := distances[len(distances)-1]
	for n := heads + 1; n <= 8*(widest+1); n++ {
		g := headSearch{distances: distances, heads: heads, steps: searchSteps}
		if _, ok := g.place(n); !ok {
			if g.steps < 0 {
				return 0
			}
			return n
		}
	}
	return 0
}

// headSearch places offsets into heads one after the other, and takes back.
type headSearch struct {
	distances []int
	heads     int
	around    bool // the last offsets are followed by the first
	steps     int  // that are left
	of        []int
}

// place returns the first placement of n offsets, or false where there is none or the
// steps are used up.
func (g *headSearch) place(n int) ([]int, bool) {
	g.of = slices.Repeat([]int{-1}, n)
	if g.around && slices.ContainsFunc(g.distances, func(d int) bool { return d%n == 0 }) {
		return nil, false
	}
	return g.of, g.from(0, 0)
}

// from places offsets from one on, of which those before it use so many heads.
func (g *headSearch) from(offset, used int) bool {
	if offset == len(g.of) {
		return true
	}
	for head := range min(used+1, g.heads) {
		if g.steps--; g.steps < 0 {
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
