package process

var goldenMeanEntry = Entry{
	Name:    "golden_mean",
	Kind:    "hmm",
	Params:  []Param{{"p", 0.5, "[0, 1]", "probability of a one where it is allowed"}},
	Summary: "zeros with single ones between them: never two ones in a row",
	New:     func(p Params) (Sampler, error) { return asSampler(GoldenMean(p.Number("p"))) },
}

// GoldenMean returns the golden mean process. In state A it emits 0 and stays with
// probability 1−p, or emits 1 and goes to B; in B it emits 0 and returns to A. It never
// emits two ones in a row. p is in [0, 1].
func GoldenMean(p float64) (*HMM, error) {
	if err := checkProbability("golden_mean", "p", p); err != nil {
		return nil, err
	}
	h, err := New("golden_mean", []string{"0", "1"}, []string{"A", "B"}, [][][]float64{
		{{1 - p, 0}, {1, 0}}, // token 0
		{{0, p}, {0, 0}},     // token 1
	})
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"p": p}), nil
}
