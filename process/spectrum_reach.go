package process

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"foretell/internal/linalg"
)

// unseen is the size up to which a mode counts as out of a token's reach, or out
// of a future's sight.
const unseen = 1e-9

// reach fills in Excited, Future and Next of every mode.
func (h *HMM) reach(modes []Mode) {
	n, a := h.NumStates(), h.Alphabet()
	futures := h.futures()
	for i := range modes {
		m := &modes[i]
		for k, power := range m.Powers {
			for _, source := range h.sources {
				if source == nil {
					continue
				}
				correction := floats.SubTo(make([]float64, n), source, h.pi)
				part := linalg.VecMulComplex(make([]complex128, n), correction, power)
				if cmplxs.Norm(part, math.Inf(1)) > unseen {
					m.Excited = k + 1
				}
				if seenBy(part, futures, len(futures)/n) {
					m.Future = k + 1
				}
				if seenBy(part, h.emission, a) {
					m.Next = k + 1
				}
			}
		}
	}
}

// seenBy says whether the product of a row vector with a matrix of the given
// width differs from zero.
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

// futures returns an orthonormal basis, (n, m), of the columns Pr(w | state) of
// all words w: what of a belief can be seen in any future. It is the smallest
// space that holds Pr(z | state) of each token and is closed under every T^z.
func (h *HMM) futures() []float64 {
	n, a := h.NumStates(), h.Alphabet()
	var basis [][]float64
	add := func(v []float64) {
		size := floats.Norm(v, 2)
		for range 2 { // twice is enough for orthogonality to rounding
			for _, b := range basis {
				floats.AddScaled(v, -floats.Dot(b, v), b)
			}
		}
		if rest := floats.Norm(v, 2); rest > unseen*size {
			floats.Scale(1/rest, v)
			basis = append(basis, v)
		}
	}
	for z := range a {
		column := make([]float64, n)
		for i := range n {
			column[i] = h.emission[i*a+z]
		}
		add(column)
	}
	for at := 0; at < len(basis); at++ {
		for _, t := range h.matrices {
			column := make([]float64, n)
			for i := range n {
				column[i] = floats.Dot(t[i*n:(i+1)*n], basis[at])
			}
			add(column)
		}
	}
	flat := make([]float64, n*len(basis))
	for j, b := range basis {
		for i, x := range b {
			flat[i*len(basis)+j] = x
		}
	}
	return flat
}
