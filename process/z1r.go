package process

var z1rEntry = Entry{
	Name:    "z1r",
	Kind:    "hmm",
	Params:  []Param{{"p", 0.5, "[0, 1]", "probability that the random bit is 1"}},
	Summary: "the cycle zero, one, random bit: 0 1 R 0 1 R …",
	New:     func(p Params) (Sampler, error) { return asSampler(Z1R(p.Number("p"))) },
}

// Z1R returns the zero-one-random process: state 0 emits 0 and goes to 1, state 1
// emits 1 and goes to R, and R emits 1 with probability p, else 0, and goes to 0.
// p is in [0, 1].
func Z1R(p float64) (*HMM, error) {
	if err := checkProbability("z1r", "p", p); err != nil {
		return nil, err
	}
	h, err := New("z1r", []string{"0", "1"}, []string{"0", "1", "R"}, [][][]float64{
		{{0, 1, 0}, {0, 0, 0}, {1 - p, 0, 0}}, // token 0
		{{0, 0, 0}, {0, 0, 1}, {p, 0, 0}},     // token 1
	})
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"p": p}), nil
}
