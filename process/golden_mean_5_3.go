package process

var goldenMean53Entry = Entry{
	Name:    "golden_mean_5_3",
	Kind:    "hmm",
	Params:  []Param{{"p", 0.5, "[0, 1]", "probability of a run of ones where it is allowed"}},
	Summary: "zeros with runs of exactly five ones, each followed by at least three zeros",
	New:     func(p Params) (Sampler, error) { return asSampler(GoldenMean53(p.Number("p"))) },
}

// GoldenMean53 returns the (5-3) golden mean process, of Markov order 5 and cryptic order
// 3 (the R-k golden mean process of Mahoney, Ellison, James and Crutchfield, 2011): in
// state A it emits 0 and stays with probability 1−p, or emits five ones and then three
// zeros, and returns to A. p is in [0, 1].
func GoldenMean53(p float64) (*HMM, error) {
	if err := checkProbability("golden_mean_5_3", "p", p); err != nil {
		return nil, err
	}
	return ofEdges("golden_mean_5_3", "0 1", "A B C D E F G H", map[string]float64{"p": p}, []Transition{
		{"A", "A", "0", 1 - p},
		{"A", "B", "1", p},
		{"B", "C", "1", 1},
		{"C", "D", "1", 1},
		{"D", "E", "1", 1},
		{"E", "F", "1", 1},
		{"F", "G", "0", 1},
		{"G", "H", "0", 1},
		{"H", "A", "0", 1},
	})
}
