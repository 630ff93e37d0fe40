package process

import (
	"fmt"
	"slices"
)

var mess3MixtureEntry = Entry{
	Name: "mess3_mixture",
	Kind: "hmm",
	Params: []Param{
		{
			"x",
			[]float64{0.05, 0.15},
			"each in (0, 0.5]",
			"each component's probability of moving to each of the other two states",
		},
		{
			"a",
			[]float64{0.85, 0.6},
			"each in [0, 1]",
			"each component's probability that a token names the state it leads to",
		},
		{"weights", []float64{0.5, 0.5}, "positive", "how often a sequence comes from each component"},
		{"epsilon", 0.0, "[0, 1)", "probability of a switch to another component at each token"},
	},
	Summary: "one of several Mess3 processes for each sequence; with epsilon > 0, sequences switch between them",
	New: func(p Params) (Sampler, error) {
		return asSampler(Mess3Mixture(p.List("x"), p.List("a"), p.List("weights"), p.Number("epsilon")))
	},
}

// Mess3Mixture returns a mixture of the processes Mess3(x[k], a[k]). With epsilon = 0
// it is block-diagonal and not ergodic: a whole sequence comes from component k, with
// probability weights[k] (divided by their sum). With epsilon in (0, 1) it is the leaky
// form, for two components
//
//	T^z = [[(1−ε)A^z, εA^z], [εB^z, (1−ε)B^z]],
//
// in which a sequence forgets the component in which it began. With more components, ε is
// divided evenly among the other components. The leaky form requires equal weights.
// States are named 1.0, 1.1, … by component and state.
func Mess3Mixture(x, a, weights []float64, epsilon float64) (*HMM, error) {
	const name = "mess3_mixture"
	if len(x) != len(a) {
		return nil, fmt.Errorf("%s: x has %d entries and a has %d: want one of each for every component",
			name, len(x), len(a))
	}
	var components []*HMM
	for k := range x {
		h, err := Mess3(x[k], a[k])
		if err != nil {
			return nil, fmt.Errorf("%s: component %d: %w", name, k+1, err)
		}
		components = append(components, h)
	}
	if epsilon == 0 {
		return mix(name, weights, components)
	}
	if !(epsilon > 0 && epsilon < 1) {
		return nil, fmt.Errorf("%s: epsilon = %g is outside [0, 1)", name, epsilon)
	}
	if err := checkWeights(name, weights, len(components)); err != nil {
		return nil, err
	}
	if slices.Min(weights) != slices.Max(weights) {
		return nil, fmt.Errorf("%s: weights = %s are not equal: "+
			"with epsilon > 0 sequences switch between components, which must be equally frequent",
			name, FormatValue(weights))
	}
	return leak(name, epsilon, components)
}

// leak makes the leaky mixture of components with equal numbers of states.
func leak(name string, epsilon float64, components []*HMM) (*HMM, error) {
	k, n := len(components), components[0].NumStates()
	if k == 1 {
		return nil, fmt.Errorf("%s: epsilon = %g needs at least two components", name, epsilon)
	}
	if err := checkSize(name, k*n, components[0].Alphabet()); err != nil {
		return nil, err
	}
	matrices := make([][][]float64, components[0].Alphabet())
	for z := range matrices {
		matrices[z] = zeros(k * n)
		for from, h := range components {
			for at, p := range h.matrices[z] {
				for to := range k {
					share := 1 - epsilon
					if to != from {
						share = epsilon / float64(k-1)
					}
					matrices[z][from*n+at/n][to*n+at%n] = share * p
				}
			}
		}
	}
	return New(name, components[0].tokens, componentStates(components), matrices)
}
