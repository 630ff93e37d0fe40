package process

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"foretell/internal/kept"
	"foretell/internal/linalg"

	"gonum.org/v1/gonum/floats"
)

// HMM is an edge-emitting hidden Markov model over n states and A tokens: in state i it
// emits token z and moves to state j with probability T^z[i,j]. It starts from its
// stationary distribution π. An HMM is immutable; New makes one.
//
// A generalised HMM, which NewGeneralised makes, has no such states: the entries of T^z
// and π need not be probabilities, and a right vector r replaces the vector of ones that
// sums them up. A sequence w = z_1 … z_d has the probability πT^w r with T^w = T^{z_1} …
// T^{z_d}, and a belief η is normalised to ηr = 1. For an HMM that is not generalised, r
// is all ones.
type HMM struct {
	name           string
	tokens, states []string
	params         map[string]float64
	generalised    bool
	levels         []float64 // [token]: its level if tokens are levels of a signal, else nil

	matrices [][]float64 // [token]: T^z, n×n row-major
	right    []float64   // r, n entries
	scale    []float64   // [state]: how much an entry of a belief matters; see table.scale
	net      []float64   // T = Σ_z T^z, n×n
	emission []float64   // [i·A + z]: (T^z r)_i, which is Pr(z | state i)
	pi       []float64   // the stationary distribution π, n entries

	sources     [][]float64 // [token]: πT^z/(πT^z r); nil where token z never occurs
	eq5Sources  [][]float64 // [token]: πT^{|z}; nil where T^z has a zero row
	startTable  aliasTable
	stateTables []aliasTable

	limits kept.Result[Limits]
}

var _ Process = (*HMM)(nil)

// New makes an HMM from labelled transition matrices: matrices[z][i][j] is the
// probability T^z[i,j] of emitting token z and moving to state j, given state i (T^(z)
// of Piotrowski et al. 2025, Sec. 2.2).
//
// It refuses what Check calls invalid; the error is one line that starts with name and
// describes the first fault. Rows that sum to one within 1e-9 are divided by their sum.
func New(name string, tokens, states []string, matrices [][][]float64) (*HMM, error) {
	t, faults := plainTable(tokens, states, matrices)
	if err := firstInvalid(name, faults); err != nil {
		return nil, err
	}
	return assemble(name, t), nil
}

// table is the definition of an HMM, generalised or not.
type table struct {
	generalised    bool
	tokens, states []string
	matrices       [][]float64 // [token]: T^z, n×n row-major
	right          []float64   // r, n entries
	pi             []float64   // π, n entries
}

// table returns the definition of h.
func (h *HMM) table() table {
	return table{h.generalised, h.tokens, h.states, h.matrices, h.right, h.pi}
}

// assemble makes an HMM from a valid table.
func assemble(name string, t table) *HMM {
	n, a := len(t.states), len(t.tokens)
	h := &HMM{
		name: name, params: map[string]float64{}, generalised: t.generalised,
		tokens: slices.Clone(t.tokens), states: slices.Clone(t.states),
		matrices: t.matrices, right: t.right, scale: t.scale(), net: sum(t.matrices),
		emission: make([]float64, n*a), pi: t.pi,
	}
	for z, m := range h.matrices {
		for k, p := range m {
			h.emission[(k/n)*a+z] += float64(p * h.right[k%n])
		}
	}
	h.sources = h.bayesSources()
	h.eq5Sources = h.conditionalSources()
	if !h.generalised {
		h.startTable = newAliasTable(h.pi)
		h.stateTables = h.aliasTables()
	}
	return h
}

// ones returns n ones, the right vector of an HMM that is not generalised.
func ones(n int) []float64 {
	r := make([]float64, n)
	for i := range r {
		r[i] = 1
	}
	return r
}

// normalised copies the labelled matrices into flat matrices whose rows, summed over
// all tokens, sum to one up to rounding.
func normalised(matrices [][][]float64, n int) [][]float64 {
	flat := make([][]float64, len(matrices))
	for z := range flat {
		flat[z] = make([]float64, n*n)
	}
	for i := range n {
		total := 0.0
		for _, m := range matrices {
			for _, p := range m[i] {
				total += p
			}
		}
		for z, m := range matrices {
			for j, p := range m[i] {
				flat[z][i*n+j] = p / total
			}
		}
	}
	return flat
}

// sum returns T = Σ_z T^z.
func sum(matrices [][]float64) []float64 {
	net := make([]float64, len(matrices[0]))
	for _, m := range matrices {
		floats.Add(net, m)
	}
	return net
}

// withParams records the parameters that a constructor was called with.
func (h *HMM) withParams(params map[string]float64) *HMM {
	h.params = params
	return h
}

// Name returns the name given to New.
func (h *HMM) Name() string { return h.name }

// Alphabet returns the number A of tokens.
func (h *HMM) Alphabet() int { return len(h.tokens) }

// NumStates returns the number n of hidden states.
func (h *HMM) NumStates() int { return len(h.states) }

// Tokens returns a copy of the tokens' names, in the order of their ids.
func (h *HMM) Tokens() []string { return slices.Clone(h.tokens) }

// States returns a copy of the states' names, in the order of a belief's entries.
func (h *HMM) States() []string { return slices.Clone(h.states) }

// Params returns a copy of the numeric parameters with which a constructor of the zoo,
// such as Mess3, made the process. It is empty for an HMM made by New, and omits lists,
// texts and processes.
func (h *HMM) Params() Params {
	params := Params{}
	for name, value := range h.params {
		params[name] = value
	}
	return params
}

// Generalised reports whether the process was defined as a generalised HMM, whose
// entries need not be probabilities.
func (h *HMM) Generalised() bool { return h.generalised }

// Right returns a copy of the right vector r, of length n: Tr = r and πr = 1. It is all
// ones unless the process is generalised; then it is the given vector. Its scale is
// arbitrary: beliefs have the inverse scale, and the probabilities of sequences do not
// depend on it.
func (h *HMM) Right() []float64 { return slices.Clone(h.right) }

// Stationary returns a copy of the stationary distribution π over states, the belief
// before any token: πT = π and πr = 1. (Unless the HMM is generalised, πr is the sum of
// the entries of π.)
func (h *HMM) Stationary() []float64 { return slices.Clone(h.pi) }

// Scale returns a copy of n positive numbers, which say for each state how much an entry
// of a belief matters: the differences between the entries of two beliefs are multiplied
// by Scale before they are compared. Changing entry i of a belief by 1/Scale[i] changes
// the probability of a sequence by at most about 1. Scale is all ones unless the process
// is generalised; then the coordinates of beliefs are arbitrary.
func (h *HMM) Scale() []float64 { return slices.Clone(h.scale) }

// Transition returns a copy of the labelled transition matrix T^z, n×n and
// row-major. It panics when z is not a token.
func (h *HMM) Transition(z int) []float64 {
	h.mustToken(z)
	return slices.Clone(h.matrices[z])
}

// NetTransition returns a copy of T = Σ_z T^z, the transition matrix of the hidden
// states with the tokens summed out: n×n, row-major, with Tr = r (rows sum to one
// unless the process is generalised).
func (h *HMM) NetTransition() []float64 { return slices.Clone(h.net) }

// ConditionalTransition returns T^{|z} of Piotrowski et al. 2025, App. A: T^z with each
// row divided by its sum, so that entry (i, j) is Pr(next state j | token z, state i).
// ConditionalTransition returns an error if a row of T^z is zero, because state i then
// never emits z and the row is not defined, or if the process is generalised, because its
// rows are not distributions. It panics when z is not a token.
func (h *HMM) ConditionalTransition(z int) ([]float64, error) {
	h.mustToken(z)
	if h.generalised {
		return nil, fmt.Errorf("%s: T^|%s is not defined: the rows of a generalised HMM are not distributions; "+
			"use Constrained, which does not need it",
			h.name, h.tokens[z])
	}
	n, a := h.NumStates(), h.Alphabet()
	c := slices.Clone(h.matrices[z])
	for i := range n {
		p := h.emission[i*a+z]
		if p == 0 {
			return nil, fmt.Errorf("%s: T^|%s is not defined: state %s never emits token %s; "+
				"use Constrained, which does not need it",
				h.name, h.tokens[z], h.states[i], h.tokens[z])
		}
		for j := range n {
			c[i*n+j] /= p
		}
	}
	return c, nil
}

// Next returns the distribution of the next token, of length A, for a belief η of length
// n: Pr(z) = (ηT^z r)/(ηr). Unless the HMM is generalised, this is Σ_i η_i Σ_j T^z[i,j].
func (h *HMM) Next(belief []float64) []float64 {
	h.mustBelief(belief)
	return h.nextInto(make([]float64, h.Alphabet()), belief)
}

// nextInto sets dst, of length A, to Next(belief) and returns it.
func (h *HMM) nextInto(dst, belief []float64) []float64 {
	linalg.VecMul(dst, belief, h.emission)
	if h.generalised {
		clip(dst)
	}
	return dst
}

// Sample fills dst with the tokens of one sequence that starts from the stationary
// distribution. It takes len(dst)+1 values from src: one for the start state and one
// per token, each through an alias table over (token, next state). A generalised HMM
// has no start state: it takes one value per token and draws from the optimal
// predictor's distribution.
func (h *HMM) Sample(dst []int32, src rand.Source) {
	if h.generalised {
		sampleByPrediction(h, dst, src)
		return
	}
	n := uint32(len(h.states))
	state := h.startTable.draw(src.Uint64())
	for t := range dst {
		edge := h.stateTables[state].draw(src.Uint64())
		dst[t] = int32(edge / n)
		state = edge % n
	}
}

// aliasTables returns an alias table for each state. Its outcomes are the state's edges,
// numbered token·n + next state.
func (h *HMM) aliasTables() []aliasTable {
	n := h.NumStates()
	tables := make([]aliasTable, n)
	weights := make([]float64, h.Alphabet()*n)
	for i := range tables {
		for z, m := range h.matrices {
			copy(weights[z*n:(z+1)*n], m[i*n:(i+1)*n])
		}
		tables[i] = newAliasTable(weights)
	}
	return tables
}

func (h *HMM) mustToken(z int) {
	if z < 0 || z >= len(h.tokens) {
		panic(fmt.Sprintf("process: %s has no token %d, want a token in 0 … %d", h.name, z, len(h.tokens)-1))
	}
}

func (h *HMM) mustBelief(belief []float64) {
	if len(belief) != len(h.states) {
		panic(fmt.Sprintf("process: the belief has %d entries, but %s has %d states",
			len(belief), h.name, len(h.states)))
	}
}
