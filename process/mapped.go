package process

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
)

func mappedEntry() Entry {
	return Entry{
		Name: "mapped",
		Kind: "combinator",
		Params: []Param{
			{"process", Spec{Name: "mess3"}, "a hidden Markov model", "the process whose tokens are renamed"},
			{
				"to",
				[]float64{0, 1, 1},
				"a whole number in [0, 65535] for each token",
				"the token that each token of the process becomes",
			},
		},
		Summary: "a process with its tokens renamed, or some of them merged",
		New: func(p Params) (Sampler, error) {
			h, err := p.hmm("mapped", "process")
			if err != nil {
				return nil, err
			}
			to, err := p.Wholes("mapped", "to", math.MinInt, math.MaxInt)
			if err != nil {
				return nil, err
			}
			return asSampler(Mapped(h, to))
		},
	}
}

// Mapped returns the process h with its tokens renamed: token z becomes token to[z] of
// the alphabet 0 … max(to). Tokens that are given the same name become one token:
//
//	T'^y = Σ_{z: to[z] = y} T^z.
//
// A token of the new alphabet to which no token is mapped never occurs.
func Mapped(h *HMM, to []int) (*HMM, error) {
	const name = "mapped"
	if len(to) != h.Alphabet() {
		return nil, fmt.Errorf("%s: the list to has %d entries, want one for each of the %d tokens of %s",
			name, len(to), h.Alphabet(), h.name)
	}
	if low, high := slices.Min(to), slices.Max(to); low < 0 || high >= maxIIDTokens {
		return nil, fmt.Errorf("%s: the list to has entries from %d to %d, want whole numbers in [0, %d]",
			name, low, high, maxIIDTokens-1)
	}
	t := h.table()
	alphabet := slices.Max(to) + 1
	if err := checkSize(name, h.NumStates(), alphabet); err != nil {
		return nil, err
	}
	t.tokens, t.matrices = make([]string, alphabet), make([][]float64, alphabet)
	for y := range t.matrices {
		t.tokens[y], t.matrices[y] = strconv.Itoa(y), make([]float64, len(h.net))
	}
	for z, y := range to {
		floats.Add(t.matrices[y], h.matrices[z])
	}
	return assemble(name, t), nil
}
