package theory

import (
	"fmt"

	"foretell/internal/linalg"
	"foretell/process"
)

// Layer is what one layer of attention can build of the beliefs of a hidden Markov model,
// generalised or not. [Of] makes one. It holds the model's matrices and its
// [LinearFilter], which keeps the steps that it has computed: a Layer that is used again
// computes less than a new one. It is safe for concurrent use.
type Layer struct {
	h    *process.HMM
	name string
	n, a int // numbers of states and of tokens

	pi       []float64   // the stationary distribution π, n entries
	net      []float64   // T = Σ_z T^z, n×n
	emission []float64   // [i·a + z]: (T^z r)_i, which is Pr(z | state i)
	scale    []float64   // [state]: see [process.HMM.Scale]
	sources  [][]float64 // [token]: πT^z/(πT^z r); nil where token z never occurs

	filter *LinearFilter
}

// Of returns the layer of attention over sequences of h.
func Of(h *process.HMM) *Layer {
	l := &Layer{
		h: h, name: h.Name(), n: h.NumStates(), a: h.Alphabet(),
		pi: h.Stationary(), net: h.NetTransition(), scale: h.Scale(),
	}
	l.filter = &LinearFilter{layer: l}
	l.emission, l.sources = make([]float64, l.n*l.a), make([][]float64, l.a)
	right := h.Right()
	for z := range l.a {
		for k, p := range h.Transition(z) {
			l.emission[(k/l.n)*l.a+z] += float64(p * right[k%l.n])
		}
		if belief, err := h.Belief([]int32{int32(z)}); err == nil {
			l.sources[z] = belief
		}
	}
	return l
}

// source returns Pr(S_s | Z_s = z), the source term of Eq. 26, for the token z at an
// index of a sequence. It returns an error if z is outside the alphabet or never occurs.
func (l *Layer) source(sequence []int32, at int) ([]float64, error) {
	if z := int(sequence[at]); z >= 0 && z < l.a && l.sources[z] != nil {
		return l.sources[z], nil
	}
	_, err := l.h.Constrained(sequence[:at+1])
	return nil, err
}

// eq5Source returns πT^{|z}, the source term of Eq. 5 read literally, for the token z at
// an index of a sequence. It returns an error if z is outside the alphabet, or if a row
// of its labelled matrix is zero.
func (l *Layer) eq5Source(sequence []int32, at int) ([]float64, error) {
	z := int(sequence[at])
	if z < 0 || z >= l.a {
		_, err := l.h.ConstrainedEq5(sequence[:at+1])
		return nil, err
	}
	conditional, err := l.h.ConditionalTransition(z)
	if err != nil {
		return nil, err
	}
	return linalg.VecMul(make([]float64, l.n), l.pi, conditional), nil
}

// checkPositions returns an error unless a filter or a layer has at least one position.
func (l *Layer) checkPositions(what string, positions int) error {
	if positions < 1 {
		return fmt.Errorf("%s: a %s of %d positions, want at least 1", l.name, what, positions)
	}
	return nil
}
