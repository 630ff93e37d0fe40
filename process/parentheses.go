package process

import (
	"fmt"
	"strconv"
)

var parenthesesEntry = Entry{
	Name: "parentheses",
	Kind: "hmm",
	Params: []Param{
		{
			"o",
			[]float64{1, 0.5, 0.5, 0},
			"each in [0, 1], the first 1 and the last 0",
			"probability of opening at each depth",
		},
	},
	Summary: "matching parentheses of limited depth; a predictor has to count the depth",
	New:     func(p Params) (Sampler, error) { return asSampler(Parentheses(p.List("o"))) },
}

// Parentheses returns matching parentheses of depth at most len(o)−1. At depth d a
// parenthesis opens with probability o[d]; otherwise the innermost open one closes. o
// begins with 1 (nothing is open) and ends with 0. Token 0 opens and token 1 closes; the
// states are the depths.
func Parentheses(o []float64) (*HMM, error) {
	const name = "parentheses"
	last := len(o) - 1
	if last < 1 || o[0] != 1 || o[last] != 0 {
		return nil, fmt.Errorf("%s: o = %s is not a list that begins with 1 and ends with 0", name, FormatValue(o))
	}
	if err := checkSize(name, len(o), 2); err != nil {
		return nil, err
	}
	states := make([]string, len(o))
	opening, closing := zeros(len(o)), zeros(len(o))
	for depth, p := range o {
		if err := checkProbability(name, fmt.Sprintf("o[%d]", depth), p); err != nil {
			return nil, err
		}
		states[depth] = strconv.Itoa(depth)
		if depth < last {
			opening[depth][depth+1] = p
		}
		if depth > 0 {
			closing[depth][depth-1] = 1 - p
		}
	}
	return New(name, []string{"(", ")"}, states, [][][]float64{opening, closing})
}
