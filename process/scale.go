package process

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// cancelled is the size of a sum, relative to the sizes of its terms, up to which it
// counts as zero: what remains is rounding.
const cancelled = 1e-12

// scale returns for each state how much an entry of a belief matters: the largest size
// of entry i of T^w r over words w of fewer tokens than there are states, rounded up as
// rounded does. A change of a belief's entry i by 1/scale[i] changes the probability of
// a word by at most about 1.
//
// The coordinates of a generalised HMM are arbitrary. With r multiplied by c every belief
// is divided by c, and the same is true of each state by itself (r_i and row i of T^z
// multiplied by c, column i divided by c). The words stay as they are. So beliefs are
// compared, and counted as equal, after multiplication by scale, never as they are. For
// an HMM in the narrow sense scale is all ones.
//
// A state that no word depends on has the scale at which its rows of the T^z are about
// 1 next to the states that they lead to; where they lead to none, the largest of the
// others.
func (t table) scale() []float64 {
	if !t.generalised {
		return t.right
	}
	scale := make([]float64, len(t.right))
	columns := [][]float64{t.significant()}
	for length := 0; length < len(scale) && len(columns) > 0; length++ {
		var longer [][]float64
		for _, v := range columns {
			if !raise(scale, v) {
				continue
			}
			for _, m := range t.matrices {
				longer = append(longer, dropCancelled(times(m, v), timesSizes(m, v)))
			}
		}
		columns = longer
	}
	for range scale {
		t.scaleUnseen(scale)
	}
	return rounded(scale)
}

// scaleUnseen fills in the scales of states without one from the states with one to which
// they lead.
func (t table) scaleUnseen(scale []float64) {
	for _, m := range t.matrices {
		for i, size := range timesSizes(m, scale) {
			if scale[i] == 0 {
				scale[i] = size
			}
		}
	}
}

// octaves is the step in which the scales of the states of one process differ, as a power
// of two. It is wide, so that processes whose scales are much alike, as those of the
// catalogue are, have one, and narrow next to the 10 octaves by which mergeDistance
// exceeds rounding.
const octaves = 5

// rounded replaces scales by powers of two that are not smaller, the largest by the next
// one and the others by this one divided by a power of 2^octaves, and zeros by the
// largest.
func rounded(scale []float64) []float64 {
	largest := exponent(slices.Max(scale))
	for i, s := range scale {
		steps := 0
		if s > 0 {
			steps = (largest - exponent(s)) / octaves
		}
		scale[i] = math.Ldexp(1, largest-octaves*steps)
	}
	return scale
}

// exponent returns the least e with x ≤ 2^e of a positive x, and 0 for 0.
func exponent(x float64) int {
	fraction, e := math.Frexp(x)
	if fraction == 0.5 {
		e--
	}
	return e
}

// significant returns r with zeros for entries that are rounding next to the terms of
// Tr = r.
func (t table) significant() []float64 {
	terms := make([]float64, len(t.right))
	for _, m := range t.matrices {
		floats.Add(terms, timesSizes(m, t.right))
	}
	return dropCancelled(slices.Clone(t.right), terms)
}

// dropCancelled sets to zero the entries of v that are rounding next to the sizes of
// their terms, and returns v.
func dropCancelled(v, terms []float64) []float64 {
	for i, x := range v {
		if math.Abs(x) <= cancelled*terms[i] {
			v[i] = 0
		}
	}
	return v
}

// raise raises the entries of scale that are less than half of those of v in size, and
// reports whether there were any. It ignores a v with an entry beyond a float64.
func raise(scale, v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	raised := false
	for i, x := range v {
		if math.Abs(x) > 2*scale[i] {
			scale[i] = math.Abs(x)
			raised = true
		}
	}
	return raised
}

// times returns the column tv.
func times(t, v []float64) []float64 {
	product, n := make([]float64, len(v)), len(v)
	for i := range product {
		for j, x := range t[i*n : (i+1)*n] {
			product[i] += float64(x * v[j])
		}
	}
	return product
}

// timesSizes returns the column |t||v|: the sizes of the terms of tv, added up.
func timesSizes(t, v []float64) []float64 {
	sizes, n := make([]float64, len(v)), len(v)
	for i := range sizes {
		for j, x := range t[i*n : (i+1)*n] {
			sizes[i] += math.Abs(x * v[j])
		}
	}
	return sizes
}

// inScale returns the matrices and r of the same process in coordinates in which every
// scale is 1; its π is not changed.
func (t table) inScale() table {
	if !t.generalised {
		return t
	}
	scale, scaled := t.scale(), t
	scaled.matrices = make([][]float64, len(t.matrices))
	for z, m := range t.matrices {
		scaled.matrices[z] = rescaled(m, scale)
	}
	scaled.right = quotients(t.right, scale)
	return scaled
}

// quotients returns the entries of v divided by those of scale.
func quotients(v, scale []float64) []float64 {
	list := slices.Clone(v)
	for i, s := range scale {
		list[i] /= s
	}
	return list
}

// rescaled returns an n×n matrix in the coordinates of scale: entry (i, j) times
// scale[j] and divided by scale[i].
func rescaled(t, scale []float64) []float64 {
	n := len(scale)
	scaled := make([]float64, len(t))
	for k, x := range t {
		scaled[k] = x * scale[k%n] / scale[k/n]
	}
	return scaled
}
