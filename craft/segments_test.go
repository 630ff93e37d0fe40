package craft

import "testing"

// Numbers that differ by x or y, two numbers without a common factor, make one cycle of
// any x+y that follow each other, and a path of fewer. So if x+y is odd, two heads are
// too few for x+y offsets, and enough for fewer; if it is even, they are always enough.
func TestSegmentsOfOddCycles(t *testing.T) {
	for y := 2; y <= 14; y++ {
		for x := 1; x < y; x++ {
			if _, scale := reduced([]int{x, y}); scale > 1 {
				continue
			}
			left := mostComparisons
			g := headSearch{distances: []int{x, y}, heads: 2, limit: mostOfASearch, left: &left}
			want := 0
			if (x+y)%2 == 1 {
				want = x + y
			}
			if got := g.impossible(); got != want {
				t.Errorf("distances %d and %d: two heads are too few for %d offsets, want %d", x, y, got, want)
			}
			if left >= mostComparisons || left <= 0 {
				t.Errorf("distances %d and %d: %d comparisons are left", x, y, left)
			}
		}
	}
	for d := 1; d <= 20; d++ { // one head is enough for d offsets
		left := mostComparisons
		g := headSearch{distances: []int{d}, heads: 1, limit: mostOfASearch, left: &left}
		if got := g.impossible(); got != d+1 {
			t.Errorf("distance %d: one head is too few for %d offsets, want %d", d, got, d+1)
		}
	}
}

// Arcs of a circle need fewer heads than taking turns: offsets 2 and 3 apart stand on
// different ones of three arcs of fifths, and take turns only from four heads on.
func TestCircularPatterns(t *testing.T) {
	for _, test := range []struct {
		distances []int
		heads     int
	}{{nil, 1}, {[]int{1}, 2}, {[]int{2}, 2}, {[]int{1, 2}, 3}, {[]int{2, 3}, 3}, {[]int{1, 4}, 3}, {[]int{3, 4, 7}, 4}} {
		p := circular(test.distances, 1)
		if p.Heads != test.heads {
			t.Errorf("distances %v: %d heads, want %d", test.distances, p.Heads, test.heads)
		}
		for _, d := range test.distances {
			for i := range p.Of {
				if p.Of[i] == p.Of[(i+d)%len(p.Of)] {
					t.Errorf("distances %v: offsets %d and %d have one head", test.distances, i, i+d)
				}
			}
		}
	}
}
