package process

var snsEntry = Entry{
	Name: "sns",
	Kind: "hmm",
	Params: []Param{
		{"p", 0.5, "[0, 1]", "probability that A goes to B, which the token does not show"},
		{"q", 0.5, "[0, 1]", "probability that B emits 1 and goes to A"},
	},
	Summary: "the simple nonunifilar source: a 0 leaves the state uncertain, so there are infinitely many beliefs",
	New:     func(p Params) (Sampler, error) { return asSampler(SNS(p.Number("p"), p.Number("q"))) },
}

// SNS returns the simple nonunifilar source (Marzen and Crutchfield, 2015): in state A it
// emits 0, and goes to B with probability p; in B it emits 0 and stays, or with
// probability q emits 1 and goes to A,
//
//	T⁰ = [[1−p, p], [0, 1−q]],  T¹[B,A] = q.
//
// It has one recurrent belief for each number of zeros since the last 1, and therefore
// infinitely many. p and q are in [0, 1] and not both 0.
func SNS(p, q float64) (*HMM, error) {
	if err := checkProbability("sns", "p", p); err != nil {
		return nil, err
	}
	if err := checkProbability("sns", "q", q); err != nil {
		return nil, err
	}
	return ofEdges("sns", "0 1", "A B", map[string]float64{"p": p, "q": q}, []Transition{
		{"A", "A", "0", 1 - p},
		{"A", "B", "0", p},
		{"B", "B", "0", 1 - q},
		{"B", "A", "1", q},
	})
}
