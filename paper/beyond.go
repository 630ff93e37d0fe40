package paper

import (
	"slices"
	"strings"

	"foretell/process"
)

// namedProcess is a process besides the family of Mess3.
type namedProcess struct {
	name string
	spec process.Spec
}

// namedProcesses are all of them.
var namedProcesses = append(slices.Clone(beyondMess3), rrxor)

// rrxor is the process of B1 and B2: many of its beliefs predict the same next token.
var rrxor = namedProcess{"RRXOR", process.Spec{Name: "rrxor"}}

// beyondMess3 are the processes of M15: Markov chains seen through noise, so that
// every word can occur and the past is never certain, each with other eigenvalues
// than the one ζ of Mess3.
var beyondMess3 = []namedProcess{
	{"noisy alternation", noisyChain([][]float64{{0.15, 0.85}, {0.85, 0.15}})},                       // λ = −0.7
	{"noisy cycle", noisyChain([][]float64{{0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}, {0.8, 0.1, 0.1}})},      // λ = 0.7·exp(±2πi/3)
	{"noisy walk on a line", noisyChain([][]float64{{0.7, 0.3, 0}, {0.3, 0.4, 0.3}, {0, 0.3, 0.7}})}, // λ = 0.7 and 0.1
}

// noisyChain is a Markov chain of whose tokens six in ten are replaced by a
// uniform one: with three tokens each then tells of its state as much as one of
// Mess3 with α = 0.6. With much less noise the constrained geometry is not what
// the theory is about (claim M14; docs/log.md, 2026-11-20).
func noisyChain(p [][]float64) process.Spec {
	chain := process.Spec{Name: "markov", Params: process.Params{"P": p, "order": 1.0}}
	return process.Spec{Name: "noisy", Params: process.Params{"process": chain, "epsilon": 0.6}}
}

// fileName makes a name fit for a file.
func fileName(name string) string { return strings.ReplaceAll(name, " ", "-") }
