package process

func noisyEntry() Entry {
	return Entry{
		Name: "noisy",
		Kind: "combinator",
		Params: []Param{
			{"process", Spec{Name: "even"}, "a hidden Markov model", "the process behind the noise"},
			{"epsilon", 0.1, "[0, 1]", "probability that a token is replaced by one drawn uniformly"},
		},
		Summary: "a process seen through noise: with probability epsilon a token is replaced by a random one",
		New: func(p Params) (Sampler, error) {
			h, err := p.hmm("noisy", "process")
			if err != nil {
				return nil, err
			}
			return asSampler(Noisy(h, p.Number("epsilon")))
		},
	}
}

// Noisy returns a process in which each of the A tokens of h is replaced, with
// probability epsilon in [0, 1], by a token drawn uniformly from all A:
//
//	T'^z = (1−ε)T^z + (ε/A)T.
//
// The states move as in h.
func Noisy(h *HMM, epsilon float64) (*HMM, error) {
	const name = "noisy"
	if err := checkProbability(name, "epsilon", epsilon); err != nil {
		return nil, err
	}
	t := h.table()
	t.matrices = make([][]float64, h.Alphabet())
	for z, m := range h.matrices {
		t.matrices[z] = make([]float64, len(m))
		for k, p := range m {
			t.matrices[z][k] = float64((1-epsilon)*p) + float64(epsilon/float64(h.Alphabet())*h.net[k])
		}
	}
	noisy := assemble(name, t).withParams(map[string]float64{"epsilon": epsilon})
	noisy.levels = h.levels
	return noisy, nil
}
