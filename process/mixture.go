package process

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
)

func mixtureEntry() Entry {
	return Entry{
		Name: "mixture",
		Kind: "combinator",
		Params: []Param{
			{
				"components",
				[]Spec{{Name: "even"}, {Name: "golden_mean"}},
				"hidden Markov models with equal numbers of tokens",
				"the processes to choose from",
			},
			{"weights", []float64{0.5, 0.5}, "positive", "how often a sequence comes from each component"},
		},
		Summary: "one of several processes, chosen once for each sequence and to be inferred from it",
		New: func(p Params) (Sampler, error) {
			components, err := p.hmms("mixture", "components")
			if err != nil {
				return nil, err
			}
			return asSampler(Mixture(p.List("weights"), components...))
		},
	}
}

// Mixture returns the process that chooses one component for each sequence: component k
// with probability weights[k], divided by the sum of the weights. T^z is block-diagonal,
// and π consists of the components' π, weighted. It is stationary but not ergodic. All
// components must have the same number of tokens, which are named as in the first
// component. States are named by component and state, such as 1.A.
func Mixture(weights []float64, components ...*HMM) (*HMM, error) {
	return mix("mixture", weights, components)
}

func mix(name string, weights []float64, components []*HMM) (*HMM, error) {
	if err := checkWeights(name, weights, len(components)); err != nil {
		return nil, err
	}
	n, alphabet := 0, components[0].Alphabet()
	for k, h := range components {
		if h.Alphabet() != alphabet {
			return nil, fmt.Errorf("%s: component 1 (%s) has %d tokens and component %d (%s) %d: want the same number",
				name, components[0].name, alphabet, k+1, h.name, h.Alphabet())
		}
		n += h.NumStates()
	}
	if err := checkSize(name, n, alphabet); err != nil {
		return nil, err
	}
	t := table{tokens: components[0].tokens, states: componentStates(components), matrices: make([][]float64, alphabet)}
	for z := range t.matrices {
		t.matrices[z] = make([]float64, n*n)
	}
	shares := sharesOf(weights)
	for k, h := range components {
		from, m := len(t.pi), h.NumStates()
		for z, matrix := range h.matrices {
			for i := range m {
				copy(t.matrices[z][(from+i)*n+from:], matrix[i*m:(i+1)*m])
			}
		}
		for _, p := range h.pi {
			t.pi = append(t.pi, p*shares[k])
		}
		t.right = append(t.right, h.right...)
		t.generalised = t.generalised || h.generalised
	}
	return assemble(name, t), nil
}

// sharesOf returns positive weights divided by their sum. It first divides them by the
// largest, because the sum may overflow a float64.
func sharesOf(weights []float64) []float64 {
	shares, largest, total := make([]float64, len(weights)), slices.Max(weights), 0.0
	for k, w := range weights {
		shares[k] = w / largest
		total += shares[k] // floats.Sum would add in another order, with other last bits
	}
	floats.Scale(1/total, shares)
	return shares
}

// checkWeights returns an error unless there is a positive weight for each component.
func checkWeights(name string, weights []float64, components int) error {
	if components == 0 {
		return fmt.Errorf("%s: there are no components: want at least one", name)
	}
	if len(weights) != components {
		return fmt.Errorf("%s: weights has %d entries, want one for each of %d components", name, len(weights), components)
	}
	for _, w := range weights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("%s: weights = %s are not all positive", name, FormatValue(weights))
		}
	}
	return nil
}

// componentStates returns the names of the components' states, such as 1.A for state A
// of the first.
func componentStates(components []*HMM) []string {
	var states []string
	for k, h := range components {
		for _, state := range h.states {
			states = append(states, strconv.Itoa(k+1)+"."+state)
		}
	}
	return states
}
