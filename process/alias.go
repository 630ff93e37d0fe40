package process

import (
	"math"
	"math/bits"
	"slices"
)

// aliasTable draws from a finite distribution with one uniform 64-bit number (Walker
// 1977, built as in Vose 1991). Outcomes are represented by their indices in the
// distribution. The table omits outcomes of probability zero.
//
// The table is built in integer arithmetic, which is exact: its probabilities differ
// from the given ones by at most 2⁻⁵⁰ each for up to 2048 outcomes of positive
// probability.
type aliasTable struct {
	threshold []uint64 // [bucket]: a uniform 64-bit number below it draws the bucket's own outcome
	outcome   []uint32 // [bucket]: the bucket's own outcome
	alias     []uint32 // [bucket]: the outcome drawn at or above the threshold
}

// draw maps a uniform 64-bit number to an outcome. The upper 64 bits of the product
// u·buckets select the bucket, and the lower 64 bits are a uniform fraction within the
// bucket.
func (t *aliasTable) draw(u uint64) uint32 {
	b, fraction := bits.Mul64(u, uint64(len(t.outcome)))
	if fraction < t.threshold[b] {
		return t.outcome[b]
	}
	return t.alias[b]
}

// newAliasTable makes a table from non-negative weights that sum to one up to rounding.
func newAliasTable(weights []float64) aliasTable {
	var outcomes []uint32
	var p []float64
	for k, w := range weights {
		if w > 0 {
			outcomes = append(outcomes, uint32(k))
			p = append(p, w)
		}
	}
	k := len(p)
	scale := min(52, 63-bits.Len(uint(k))) // so that mass·k fits in 63 bits
	full := uint64(1) << scale             // the capacity of a bucket, in units of 2^-scale/k
	mass := integerMasses(p, full)

	t := aliasTable{
		threshold: make([]uint64, k),
		outcome:   outcomes,
		alias:     slices.Clone(outcomes), // a full bucket is its own alias
	}
	var small, large []int
	for b := range mass {
		mass[b] *= uint64(k)
		if mass[b] < full {
			small = append(small, b)
		} else {
			large = append(large, b)
		}
	}
	for len(small) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.threshold[s] = mass[s] << (64 - scale)
		t.alias[s] = outcomes[l]
		mass[l] -= full - mass[s]
		if mass[l] < full {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return t
}

// integerMasses returns integers proportional to p that sum to total exactly, each
// within two of p·total. If rounding leaves the sum off by some units, they are added
// or removed one at a time, largest entry first.
func integerMasses(p []float64, total uint64) []uint64 {
	mass := make([]uint64, len(p))
	left := int64(total)
	order := make([]int, len(p))
	for k := range p {
		mass[k] = uint64(math.Round(p[k] * float64(total)))
		left -= int64(mass[k])
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if mass[a] != mass[b] {
			if mass[a] > mass[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	for at := 0; left != 0; at = (at + 1) % len(order) {
		k := order[at]
		switch {
		case left > 0:
			mass[k]++
			left--
		case mass[k] > 0:
			mass[k]--
			left++
		}
	}
	return mass
}
