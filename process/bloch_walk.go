package process

import (
	"fmt"
	"math"
)

var blochWalkEntry = Entry{
	Name: "bloch_walk",
	Kind: "ghmm",
	Params: []Param{
		{"alpha", 1.0, "any number", "weight of leaving the qubit unchanged"},
		{"beta", math.Sqrt(51), "any number but 0", "weight of rotating the qubit"},
	},
	Summary: "a qubit measured at random: beliefs move in a disc, and no finite HMM generates it",
	New:     func(p Params) (Sampler, error) { return asSampler(BlochWalk(p.Number("alpha"), p.Number("beta"))) },
}

// BlochWalk returns the Bloch walk (Riechers, Elliott and Shai, 2025): a generalised
// HMM that describes measurements of a qubit. Its beliefs are Bloch vectors [1, x, z]
// in a disc. With γ² = 1/(4(α²+β²)), m = (α²−β²)γ² and f = 2αβγ²,
//
//	T^{0,1} = [[¼,0,±f],[0,m,0],[±f,0,¼]],  T^{2,3} = [[¼,±f,0],[±f,¼,0],[0,0,m]],
//
// and π = rᵀ = [1,0,0]. alpha is any number. beta is any number but 0: with 0 the qubit
// would not change, and its stationary state would not be unique.
func BlochWalk(alpha, beta float64) (*HMM, error) {
	a2, b2 := float64(alpha*alpha), float64(beta*beta)
	size := a2 + b2
	if beta == 0 || !(size > 0 && size <= 1e300) {
		return nil, fmt.Errorf("bloch_walk: alpha = %g, beta = %g: want two numbers whose squares "+
			"sum to at most 1e300, and beta not 0, with which the qubit would never change", alpha, beta)
	}
	gamma2 := 1 / (4 * size)
	m, f := (a2-b2)*gamma2, 2*alpha*beta*gamma2
	var matrices [][][]float64
	for _, s := range []float64{f, -f} {
		matrices = append(matrices, [][]float64{{0.25, 0, s}, {0, m, 0}, {s, 0, 0.25}})
	}
	for _, s := range []float64{f, -f} {
		matrices = append(matrices, [][]float64{{0.25, s, 0}, {s, 0.25, 0}, {0, 0, m}})
	}
	h, err := NewGeneralised("bloch_walk", []string{"0", "1", "2", "3"}, []string{"1", "x", "z"},
		matrices, []float64{1, 0, 0})
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"alpha": alpha, "beta": beta}), nil
}
