package process

func factoredEntry() Entry {
	return Entry{
		Name: "factored",
		Kind: "combinator",
		Params: []Param{
			{"first", Spec{Name: "mess3"}, "a hidden Markov model", "the process of the token's first part"},
			{"second", Spec{Name: "even"}, "a hidden Markov model", "the process of the token's second part"},
		},
		Summary: "two independent processes side by side: a token is a pair, one from each",
		New: func(p Params) (Sampler, error) {
			first, err := p.hmm("factored", "first")
			if err != nil {
				return nil, err
			}
			second, err := p.hmm("factored", "second")
			if err != nil {
				return nil, err
			}
			return asSampler(Factored(first, second))
		},
	}
}

// Factored returns the product of two independent processes. Token z·B + y is the pair
// of token z of the first and token y of the second process, which has B tokens. State
// i·m + j is the pair of their states i and j, where the second process has m states:
//
//	T^{(z,y)} = T₁^z ⊗ T₂^y,  π = π₁ ⊗ π₂,  r = r₁ ⊗ r₂.
//
// Its floor is the sum of the two floors, and its entropy rate the sum of the two entropy
// rates. The name of a token or state is a pair of names, such as "0,1". It may be
// non-ergodic if both processes have a period.
func Factored(first, second *HMM) (*HMM, error) {
	const name = "factored"
	n, m := first.NumStates(), second.NumStates()
	if err := checkSize(name, n*m, first.Alphabet()*second.Alphabet()); err != nil {
		return nil, err
	}
	t := table{
		generalised: first.generalised || second.generalised,
		tokens:      pairs(first.tokens, second.tokens), states: pairs(first.states, second.states),
		right: kronecker(first.right, second.right), pi: kronecker(first.pi, second.pi),
	}
	for _, a := range first.matrices {
		for _, b := range second.matrices {
			product := make([]float64, n*m*n*m)
			for from, p := range a {
				for at, q := range b {
					i, j := from/n*m+at/m, from%n*m+at%m
					product[i*n*m+j] = p * q
				}
			}
			t.matrices = append(t.matrices, product)
		}
	}
	return assemble(name, t), nil
}

// pairs returns the names of all pairs of a name in first and a name in second.
func pairs(first, second []string) []string {
	var all []string
	for _, a := range first {
		for _, b := range second {
			all = append(all, a+","+b)
		}
	}
	return all
}

// kronecker returns a ⊗ b.
func kronecker(a, b []float64) []float64 {
	var product []float64
	for _, p := range a {
		for _, q := range b {
			product = append(product, p*q)
		}
	}
	return product
}
