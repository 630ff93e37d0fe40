package token

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/internal/text"
)

// tokenizers is the table of quantisers. A new kind needs one file with its Tokenizer,
// and one line here.
var tokenizers = []Tokenizer{
	uniformTokenizer,
	muLawTokenizer,
	aLawTokenizer,
	lloydMaxTokenizer,
	optimalTokenizer,
	highRateTokenizer,
	vectorTokenizer,
	productTokenizer,
	windowTokenizer,
	dftTokenizer,
	dctTokenizer,
	haarTokenizer,
	daubechies4Tokenizer,
	learnedTokenizer,
}

// Tokenizer describes a kind of quantiser that [Fit] can make.
type Tokenizer struct {
	// Name is the name for Fit.
	Name string
	// Params are the parameters, always in the same order.
	Params []Param
	// Summary describes the quantiser in one line.
	Summary string
	// Fit makes the quantiser for training samples x, given all parameters, each within its
	// range. It does not keep x.
	Fit func(x []float64, params Params) (Quantizer, error)
}

// Param is a parameter of a tokenizer: a number in [Low, High].
type Param struct {
	Name      string
	Default   float64
	Low, High float64
	Whole     bool // whether it must be a whole number
	Summary   string
}

// Params maps names of parameters to values.
type Params map[string]float64

// whole returns a parameter that has been checked to be a whole number.
func (p Params) whole(name string) int { return int(p[name]) }

var (
	levelsParam = Param{"levels", 32, 2, mostLevels, true, "number of levels (tokens)"}
	seedParam   = Param{"seed", 1, 0, 1 << 53, true, "seed of the random numbers"}
)

// Tokenizers returns the table of quantisers, always in the same order.
func Tokenizers() []Tokenizer { return slices.Clone(tokenizers) }

// Fit makes a quantiser from the table, fitted on training samples x. Parameters that are
// not in params have their defaults; params may be nil. It returns an error if the name
// or a parameter is unknown, if a value is out of its range, or if the samples cannot be
// fitted. The error states what is allowed.
func Fit(name string, params Params, x []float64) (Quantizer, error) {
	at := slices.IndexFunc(tokenizers, func(t Tokenizer) bool { return t.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown tokenizer %q: %s", name,
			strict.Choice(name, text.Each(tokenizers, func(t Tokenizer) string { return t.Name })))
	}
	full, err := resolve(name, tokenizers[at].Params, params)
	if err != nil {
		return nil, err
	}
	return tokenizers[at].Fit(x, full)
}

// resolve returns all parameters of a tokenizer: the given values, and defaults for the
// others.
func resolve(name string, known []Param, given Params) (Params, error) {
	full := Params{}
	for _, p := range known {
		full[p.Name] = p.Default
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		at := slices.IndexFunc(known, func(p Param) bool { return p.Name == key })
		if at < 0 {
			return nil, fmt.Errorf("%s: unknown parameter %q: %s", name, key,
				strict.Choice(key, text.Each(known, func(p Param) string { return p.Name })))
		}
		p, v := known[at], given[key]
		if !(v >= p.Low && v <= p.High) {
			return nil, fmt.Errorf("%s: %s = %g is outside [%g, %g]", name, key, v, p.Low, p.High)
		}
		if p.Whole && v != math.Trunc(v) {
			return nil, fmt.Errorf("%s: %s = %g is not a whole number", name, key, v)
		}
		full[key] = v
	}
	return full, nil
}

// asQuantizer converts the result of a constructor to the result of Tokenizer.Fit. If
// there is an error, the quantiser is nil.
func asQuantizer[Q Quantizer](q Q, err error) (Quantizer, error) {
	if err != nil {
		return nil, err
	}
	return q, nil
}
