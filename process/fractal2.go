package process

var fractal2Entry = Entry{
	Name: "fractal2",
	Kind: "hmm",
	Params: []Param{
		{"b", 0.6, "[0, 1]", "probability that a state emits its own token and stays"},
		{"p", 0.3, "[0, 1]", "probability that A goes to B when it emits the other token"},
		{"q", 0.3, "[0, 1]", "probability that B goes to A when it emits the other token"},
	},
	Summary: "two states whose beliefs are a Cantor set on the line",
	New: func(p Params) (Sampler, error) {
		return asSampler(Fractal2(p.Number("b"), p.Number("p"), p.Number("q")))
	},
}

// Fractal2 returns a process of two states whose beliefs form a fractal on the segment
// between them:
//
//	T⁰ = [[b, 0], [(1−b)q, (1−b)(1−q)]],  T¹ = [[(1−b)(1−p), (1−b)p], [0, b]].
//
// b, p and q are in [0, 1].
func Fractal2(b, p, q float64) (*HMM, error) {
	params := map[string]float64{"b": b, "p": p, "q": q}
	for _, name := range []string{"b", "p", "q"} {
		if err := checkProbability("fractal2", name, params[name]); err != nil {
			return nil, err
		}
	}
	return ofEdges("fractal2", "0 1", "A B", params, []Transition{
		{"A", "A", "0", b},
		{"B", "A", "0", (1 - b) * q},
		{"B", "B", "0", (1 - b) * (1 - q)},
		{"A", "A", "1", (1 - b) * (1 - p)},
		{"A", "B", "1", (1 - b) * p},
		{"B", "B", "1", b},
	})
}
