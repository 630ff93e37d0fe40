package trained

import (
	"fmt"
	"math"
	"strings"

	"foretell/process"
)

// Source is the process that a model is trained on: Mess3(x, α), or another process given
// by its name.
type Source struct {
	X, A float64 // parameters of Mess3
	Name string  // name of another process; empty for Mess3
}

// Mess3 returns the source Mess3(x, α).
func Mess3(x, a float64) Source { return Source{X: x, A: a} }

// Names of the processes other than Mess3; λ are the eigenvalues of the transition matrix
// other than 1.
const (
	RRXOR       = "RRXOR"             // many different beliefs predict the same next token
	Alternation = "noisy alternation" // λ = −0.7
	Cycle4      = "noisy 4-cycle"     // λ = 0.73·exp(±πi/2) and −0.73
	Cycle5      = "noisy 5-cycle"     // λ = 0.75·exp(±2πi/5) and 0.75·exp(±4πi/5)
)

// named holds the processes other than Mess3. The noisy processes are Markov chains
// observed through noise, so every sequence can occur and the state is never certain. The
// eigenvalues of their transition matrices differ from ζ, which is Mess3's only
// eigenvalue other than 1.
var named = map[string]process.Spec{
	RRXOR:       {Name: "rrxor"},
	Alternation: noisyChain([][]float64{{0.15, 0.85}, {0.85, 0.15}}),
	Cycle4:      noisyChain(cycle(4)),
	Cycle5:      noisyChain(cycle(5)),
}

// cycle returns transition probabilities between n states in a cycle: 0.8 to the next
// state, and 0.2 in equal parts to all others, including the present one.
func cycle(n int) [][]float64 {
	p := make([][]float64, n)
	for i := range p {
		p[i] = make([]float64, n)
		for j := range p[i] {
			p[i][j] = 0.2 / float64(n-1)
		}
		p[i][(i+1)%n] = 0.8
	}
	return p
}

// noisyChain returns a Markov chain in which six tokens in ten are replaced by a
// uniformly random token. With three tokens, a token then carries as much information
// about the state as in Mess3 with α = 0.6. With much less noise, the constrained belief
// geometry differs from the theory's (claim M14; docs/log.md, 2026-11-20).
func noisyChain(p [][]float64) process.Spec {
	chain := process.Spec{Name: "markov", Params: process.Params{"P": p, "order": 1.0}}
	return process.Spec{Name: "noisy", Params: process.Params{"process": chain, "epsilon": 0.6}}
}

// Spec returns the specification of the process.
func (s Source) Spec() process.Spec {
	if spec, ok := named[s.Name]; ok {
		return spec
	}
	return process.Spec{Name: "mess3", Params: process.Params{"x": s.X, "a": s.A}}
}

// HMM builds the process.
func (s Source) HMM() (*process.HMM, error) { return s.Spec().HMM() }

// String returns the name of the process in reports.
func (s Source) String() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprintf("x = %g, α = %g", s.X, s.A)
}

// file returns the name of the process in file names.
func (s Source) file() string {
	if s.Name != "" {
		return strings.ReplaceAll(s.Name, " ", "-")
	}
	return fmt.Sprintf("mess3-x%g-a%g", s.X, s.A)
}

// Weak reports whether tokens of the process carry little information about the state:
// true for Mess3 with α near 1/3. At α = 1/3 they carry no information at all, and near
// it the information that a model can learn is of second order in α − 1/3.
func (s Source) Weak() bool { return s.Name == "" && math.Abs(s.A-1./3) < 0.15 }

// Zeta returns ζ = 1 − 3x, the eigenvalue of Mess3's transition matrix T other than 1:
// the factor by which a token's influence shrinks at each step.
func (s Source) Zeta() float64 { return 1 - 3*s.X }
