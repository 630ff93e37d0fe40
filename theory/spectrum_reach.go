package theory

import (
	"math"
	"math/cmplx"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"
)

// unseen is the size, in coordinates in which every scale is 1 (see [process.HMM.Scale]),
// up to which an effect on a mode, or of a mode on the future, counts as zero.
const unseen = 1e-9

// reach fills in Excited, Future and Next of every mode.
func (l *Layer) reach(modes []Mode) {
	n, a := l.n, l.a
	futures := l.futures()
	for i := range modes {
		m := &modes[i]
		for k, power := range m.Powers {
			for _, source := range l.sources {
				if source == nil {
					continue
				}
				correction := floats.SubTo(make([]float64, n), source, l.pi)
				part := linalg.VecMulComplex(make([]complex128, n), correction, power)
				if m.Next <= k && seenBy(part, l.emission, a) {
					m.Next = k + 1
				}
				for j, s := range l.scale {
					part[j] *= complex(s, 0)
				}
				if cmplxs.Norm(part, math.Inf(1)) > unseen {
					m.Excited = k + 1
				}
				if m.Future <= k && seenBy(part, futures, len(futures)/n) {
					m.Future = k + 1
				}
			}
		}
	}
}

// seenBy reports whether the product of a row vector with a matrix of the given width
// differs from zero.
func seenBy(part []complex128, matrix []float64, width int) bool {
	for j := range width {
		sum := complex128(0)
		for i, x := range part {
			sum += x * complex(matrix[i*width+j], 0)
		}
		if cmplx.Abs(sum) > unseen {
			return true
		}
	}
	return false
}

// futures returns an orthonormal basis, (n, m), of the space that the columns Pr(w |
// state) of all sequences w span, in coordinates in which every scale is 1: the part of a
// belief that affects any future. It is the smallest space that contains Pr(z | state)
// for each token and is closed under every T^z.
func (l *Layer) futures() []float64 {
	n, a := l.n, l.a
	s := linalg.Span{Least: unseen}
	for z := range a {
		column := make([]float64, n)
		for i := range n {
			column[i] = l.emission[i*a+z] / l.scale[i]
		}
		s.Add(column)
	}
	matrices := l.inScale()
	for at := 0; at < len(s.Basis) && len(s.Basis) < n; at++ {
		for _, t := range matrices {
			s.Add(linalg.MulVec(t, s.Basis[at]))
		}
	}
	flat := make([]float64, n*len(s.Basis))
	for j, b := range s.Basis {
		for i, x := range b {
			flat[i*len(s.Basis)+j] = x
		}
	}
	return flat
}

// inScale returns the labelled transition matrices in coordinates in which every scale
// is 1: entry (i, j) is multiplied by the scale of j and divided by the scale of i.
func (l *Layer) inScale() [][]float64 {
	list := make([][]float64, l.a)
	for z := range list {
		list[z] = l.h.Transition(z)
		for k, x := range list[z] {
			list[z][k] = x * l.scale[k%l.n] / l.scale[k/l.n]
		}
	}
	return list
}
