package paper

import (
	"strings"

	"foretell/process"
)

// beyondMess3 are the processes of M15: each noisy, so that every word can occur
// and the past is never certain, and each with other eigenvalues than the one
// positive or negative ζ of Mess3.
var beyondMess3 = []struct {
	name string
	spec process.Spec
}{
	{ // λ = −1/2
		name: "noisy even process",
		spec: process.Spec{Name: "noisy", Params: process.Params{"process": process.Spec{Name: "even"}, "epsilon": 0.2}},
	},
	{ // λ = 0.7·exp(±2πi/3)
		name: "noisy cycle",
		spec: noisyChain([][]float64{{0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}, {0.8, 0.1, 0.1}}),
	},
	{ // λ = 0.7 and 0.1
		name: "noisy walk on a line",
		spec: noisyChain([][]float64{{0.7, 0.3, 0}, {0.3, 0.4, 0.3}, {0, 0.3, 0.7}}),
	},
}

// noisyChain is a Markov chain of which one token in five is replaced by a
// uniform one.
func noisyChain(p [][]float64) process.Spec {
	chain := process.Spec{Name: "markov", Params: process.Params{"P": p, "order": 1.0}}
	return process.Spec{Name: "noisy", Params: process.Params{"process": chain, "epsilon": 0.2}}
}

// fileName makes a name fit for a file.
func fileName(name string) string { return strings.ReplaceAll(name, " ", "-") }
