package process

var evenEntry = Entry{
	Name:    "even",
	Kind:    "hmm",
	Params:  []Param{{"p", 0.5, "[0, 1]", "probability that a run of ones starts"}},
	Summary: "ones between zeros come in even numbers; no finite history always reveals the state",
	New:     func(p Params) (Sampler, error) { return asSampler(Even(p.Number("p"))) },
}

// Even returns the even process. In state A it emits 0 and stays with probability 1−p, or
// emits 1 and goes to B; in B it emits 1 and returns to A. The number of ones between two
// zeros is even, so the process has no finite Markov order. p is in [0, 1].
func Even(p float64) (*HMM, error) {
	if err := checkProbability("even", "p", p); err != nil {
		return nil, err
	}
	h, err := New("even", []string{"0", "1"}, []string{"A", "B"}, [][][]float64{
		{{1 - p, 0}, {0, 0}}, // token 0
		{{0, p}, {1, 0}},     // token 1
	})
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"p": p}), nil
}
