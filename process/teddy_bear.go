package process

import "fmt"

var teddyBearEntry = Entry{
	Name: "teddy_bear",
	Kind: "hmm",
	Params: []Param{
		{"p", 0.3, "[0, 1]", "probability of the loop of ones"},
		{"q", 0.3, "[0, 1 − p]", "probability of the loop of twos"},
	},
	Summary: "one state with three loops: a 0, three ones, or three twos and two zeros",
	New:     func(p Params) (Sampler, error) { return asSampler(TeddyBear(p.Number("p"), p.Number("q"))) },
}

// TeddyBear returns the process whose graph is a head with two ears: A emits 0 and
// stays with probability 1−p−q, or follows the loop 1 1 1 with probability p, or the
// loop 2 2 2 0 0 with probability q:
//
//	A –0→ A;  A –1→ B –1→ C –1→ A;  A –2→ D –2→ E –2→ F –0→ G –0→ A.
//
// p and q are in [0, 1], and p + q is at most 1.
func TeddyBear(p, q float64) (*HMM, error) {
	if err := checkProbability("teddy_bear", "p", p); err != nil {
		return nil, err
	}
	if !(q >= 0 && p+q <= 1) {
		return nil, fmt.Errorf("teddy_bear: q = %g is outside [0, 1 − p] = [0, %g]", q, 1-p)
	}
	return ofEdges("teddy_bear", "0 1 2", "A B C D E F G", map[string]float64{"p": p, "q": q}, []Transition{
		{"A", "A", "0", max(0, 1-p-q)}, // rounding must not make it negative
		{"A", "B", "1", p},
		{"B", "C", "1", 1},
		{"C", "A", "1", 1},
		{"A", "D", "2", q},
		{"D", "E", "2", 1},
		{"E", "F", "2", 1},
		{"F", "G", "0", 1},
		{"G", "A", "0", 1},
	})
}
