package process

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/internal/strict"
)

// mostConcentration bounds the concentration of random rows; beyond it the rows hardly
// differ.
const mostConcentration = 1e6

var randomChainsEntry = Entry{
	Name: "random_chains",
	Kind: "interleaved",
	Params: []Param{
		{"tokens", 5.0, "[2, 1024]", "number of tokens"},
		{
			"concentration", 1.0, "(0, 1e6]",
			"concentration of the Dirichlet distribution of each row of P: below 1 rows are peaked, above 1 even",
		},
		{"seed", 1.0, "0 or a positive whole number", "seed from which P is drawn"},
		{
			"lags",
			[]float64{1, 2, 3},
			"1 to 64 different whole numbers in [1, 1024]",
			"possible lags, in tokens; a sequence has only one of them",
		},
	},
	Summary: "interleaved chains with a random P, whose rows are drawn from a Dirichlet distribution",
	New: func(p Params) (Sampler, error) {
		const name = "random_chains"
		lags, err := p.Wholes(name, "lags", 1, longestLag)
		if err != nil {
			return nil, err
		}
		tokens, err := p.Whole(name, "tokens", 2, maxStates)
		if err != nil {
			return nil, err
		}
		seed, err := p.Whole(name, "seed", 0, math.MaxInt)
		if err != nil {
			return nil, err
		}
		P, err := DirichletRows(tokens, p.Number("concentration"), uint64(seed))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c, err := NewInterleaved(P, lags)
		if err != nil {
			return nil, err
		}
		c.name = name
		return c, nil
	},
}

// DirichletRows draws a matrix P for the given number A of tokens, A×A by rows. Each row
// is drawn from the symmetric Dirichlet distribution with a concentration in (0, 1e6]:
// with 1 all distributions are equally likely; far below 1 one entry has almost all the
// probability, and others may be 0. The seed and at most three indices select the random
// numbers: the same seed and indices give the same P on every machine.
func DirichletRows(tokens int, concentration float64, seed uint64, indices ...uint64) ([][]float64, error) {
	if !(concentration > 0 && concentration <= mostConcentration) {
		return nil, strict.Fieldf("concentration", "= %g is outside (0, %g]", concentration, mostConcentration)
	}
	stream := random.New(seed, "process/dirichlet", indices...)
	rows := make([][]float64, tokens)
	for i := range rows {
		logs := make([]float64, tokens)
		for j := range logs {
			logs[j] = logGamma(stream, concentration)
		}
		rows[i] = proportional(logs)
	}
	return rows, nil
}

// proportional converts logarithms of weights, in place, to weights that sum to one.
func proportional(logs []float64) []float64 {
	most, total := slices.Max(logs), 0.0
	for j, l := range logs {
		logs[j] = portable.Exp(l - most)
		total += logs[j]
	}
	for j := range logs {
		logs[j] /= total
	}
	return logs
}

// logGamma draws the logarithm of a Gamma-distributed number with the given shape and
// scale 1. The number itself may be too small for a float64.
func logGamma(stream *random.Stream, shape float64) float64 {
	if shape < 1 {
		return logGamma(stream, shape+1) + portable.Log(1-stream.Float64())/shape
	}
	d, cube := stream.Gamma(shape)
	return portable.Log(d) + portable.Log(cube)
}
