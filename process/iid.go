package process

import (
	"fmt"
)

// maxIIDTokens bounds the alphabet of IID.
const maxIIDTokens = 1 << 16

var iidEntry = Entry{
	Name:    "iid",
	Kind:    "hmm",
	Params:  []Param{{"n", 2.0, "[1, 65536]", "number of tokens, all equally frequent"}},
	Summary: "independent tokens: nothing to learn; a control for every other process",
	New: func(p Params) (Sampler, error) {
		n, err := p.Whole("iid", "n", 1, maxIIDTokens)
		if err != nil {
			return nil, err
		}
		return asSampler(IID(n))
	},
}

// IID returns the process of independent tokens, all n equally frequent: an HMM with
// one state. Its floor equals its chance level, ln n. n is in [1, 65536].
func IID(n int) (*HMM, error) {
	if n < 1 || n > maxIIDTokens {
		return nil, fmt.Errorf("iid: n = %d is outside [1, %d]", n, maxIIDTokens)
	}
	matrices := make([][][]float64, n)
	for z := range matrices {
		matrices[z] = [][]float64{{1 / float64(n)}}
	}
	h, err := New("iid", numbers(n), []string{"A"}, matrices)
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"n": float64(n)}), nil
}
