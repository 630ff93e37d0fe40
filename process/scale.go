package process

import (
	"math"
	"slices"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/floats"
)

// cancelled is the size of a sum, relative to the sizes of its terms, up to which it
// counts as zero, because rounding may have caused it.
const cancelled = 1e-12

// scale returns, for each state, how much an entry of a belief matters: for state i, the
// largest absolute value of entry i of T^w r over all sequences w with fewer tokens than
// there are states, rounded up to a power of two (see rounded). Changing entry i of a
// belief by 1/scale[i] changes the probability of a sequence by at most about 1.
//
// The coordinates of a generalised HMM are arbitrary. If r is multiplied by c, every
// belief is divided by c. The same holds for a single state (r_i and row i of T^z
// multiplied by c, column i divided by c). The probabilities of sequences do not change.
// Beliefs are therefore always multiplied by scale before they are compared. For an HMM
// that is not generalised, scale is all ones.
//
// For a state on which the probability of no sequence depends, scale is chosen so that
// its rows of the T^z are of size about 1 relative to the states that they lead to; if
// they lead to none, it is the largest scale of the other states.
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
				longer = append(longer, dropCancelled(linalg.MulVec(m, v), timesSizes(m, v)))
			}
		}
		columns = longer
	}
	for range scale {
		t.scaleUnseen(scale)
	}
	return rounded(scale)
}

// scaleUnseen fills in missing scales of states, from the states to which they lead, if
// these have a scale.
func (t table) scaleUnseen(scale []float64) {
	for _, m := range t.matrices {
		for i, size := range timesSizes(m, scale) {
			if scale[i] == 0 {
				scale[i] = size
			}
		}
	}
}

// octaves sets the step between different scales of the states of one process, a factor
// of 2^octaves. The step is so large that a process whose scales are similar, as in the
// catalogue, has only one scale. It is small compared with the factor of 2^10 by which
// mergeDistance exceeds rounding errors.
const octaves = 5

// rounded replaces scales by powers of two that are not smaller: the largest by the
// next power, the others by this power divided by a power of 2^octaves, and zeros by
// the same value as the largest.
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

// exponent returns the least e with x ≤ 2^e for a positive x, and 0 for 0.
func exponent(x float64) int {
	fraction, e := math.Frexp(x)
	if fraction == 0.5 {
		e--
	}
	return e
}

// significant returns r, with zeros for entries that are only rounding errors relative
// to the terms of Tr = r.
func (t table) significant() []float64 {
	terms := make([]float64, len(t.right))
	for _, m := range t.matrices {
		floats.Add(terms, timesSizes(m, t.right))
	}
	return dropCancelled(slices.Clone(t.right), terms)
}

// dropCancelled sets to zero the entries of v that are only rounding errors relative to
// the sizes of their terms, and returns v.
func dropCancelled(v, terms []float64) []float64 {
	for i, x := range v {
		if math.Abs(x) <= cancelled*terms[i] {
			v[i] = 0
		}
	}
	return v
}

// raise sets scale[i] to |v[i]| wherever that is more than twice the old scale[i], and
// reports whether any entry changed. It ignores a v with an infinity or a NaN.
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

// timesSizes returns |t||v|, the sums of the sizes of the terms of tv.
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
// scale is 1. Its π is not converted.
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

// quotients returns the entries of v divided by the entries of scale.
func quotients(v, scale []float64) []float64 {
	list := slices.Clone(v)
	for i, s := range scale {
		list[i] /= s
	}
	return list
}

// rescaled returns an n×n matrix in the coordinates of scale: entry (i, j) is
// multiplied by scale[j] and divided by scale[i].
func rescaled(t, scale []float64) []float64 {
	n := len(scale)
	scaled := make([]float64, len(t))
	for k, x := range t {
		scaled[k] = x * scale[k%n] / scale[k/n]
	}
	return scaled
}
