package process

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/text"
)

var markovEntry = Entry{
	Name: "markov",
	Kind: "hmm",
	Params: []Param{
		{
			"P",
			[][]float64{{0.9, 0.1}, {0.5, 0.5}},
			"rows that sum to 1, one for each sequence of order tokens",
			"probabilities of the next token",
		},
		{"order", 1.0, "[1, 10]", "number of earlier tokens that the next token depends on"},
	},
	Summary: "a Markov chain: the state is the last tokens",
	New: func(p Params) (Sampler, error) {
		order, err := p.Whole("markov", "order", 1, 10)
		if err != nil {
			return nil, err
		}
		return asSampler(Markov(p.Matrix("P"), order))
	},
}

// Markov returns the stationary Markov chain of the given order, 1 to 10: after the last
// order tokens, token z occurs with probability P[w][z], where w is the number whose
// digits in base A are those tokens, with the latest token as the least significant
// digit. P has A^order rows of A numbers that sum to one. A state is a sequence of that
// many tokens, and T^z[w, wA+z mod A^order] = P[w][z].
func Markov(P [][]float64, order int) (*HMM, error) {
	const name = "markov"
	if order < 1 || order > 10 {
		return nil, fmt.Errorf("%s: order = %d is outside [1, 10]", name, order)
	}
	if len(P) == 0 || len(P[0]) == 0 {
		return nil, fmt.Errorf("%s: P is empty: want rows of probabilities", name)
	}
	alphabet, n := len(P[0]), 1
	for range order {
		if n *= alphabet; n > maxStates {
			break
		}
	}
	if err := checkSize(name, n, alphabet); err != nil {
		return nil, err
	}
	if len(P) != n {
		return nil, fmt.Errorf("%s: P has %d rows, want %d^%d = %d, one for each sequence of %s",
			name, len(P), alphabet, order, n, text.Count(order, "token"))
	}
	tokens, states := numbers(alphabet), make([]string, n)
	matrices := make([][][]float64, alphabet)
	for z := range matrices {
		matrices[z] = zeros(n)
	}
	for w, row := range P {
		if len(row) != alphabet {
			return nil, fmt.Errorf("%s: row %d of P has %d entries, want %d", name, w, len(row), alphabet)
		}
		states[w] = stateName(w, alphabet, order)
		for z, p := range row {
			matrices[z][w][(w*alphabet+z)%n] = p
		}
	}
	h, err := New(name, tokens, states, matrices)
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"order": float64(order)}), nil
}

// stateName returns the name of the state with the given number: the digits of the number
// in base alphabet, padded to the given length.
func stateName(number, alphabet, length int) string {
	names := make([]string, length)
	for t := length - 1; t >= 0; t-- {
		names[t] = strconv.Itoa(number % alphabet)
		number /= alphabet
	}
	if alphabet <= 10 {
		return strings.Join(names, "")
	}
	return strings.Join(names, ".")
}
