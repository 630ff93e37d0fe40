package token

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"foretell/internal/strict"
)

// tokenizers is the table. A new kind is one file, which holds its Tokenizer, and one
// line here.
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
	// Name is what Fit calls it.
	Name string
	// Params are its parameters in the order of its definition.
	Params []Param
	// Summary is one line that says what it does.
	Summary string
	// Fit makes the quantiser of training samples x with all parameters, within their
	// ranges. x is not kept.
	Fit func(x []float64, params Params) (Quantizer, error)
}

// Param is a parameter of a tokenizer, a number in [Low, High].
type Param struct {
	Name      string
	Default   float64
	Low, High float64
	Whole     bool // whether it is a whole number
	Summary   string
}

// Params are parameters by name.
type Params map[string]float64

// whole returns a parameter that has been checked to be a whole number.
func (p Params) whole(name string) int { return int(p[name]) }

var (
	levelsParam = Param{"levels", 32, 2, mostLevels, true, "levels, which are the tokens"}
	seedParam   = Param{"seed", 1, 0, 1 << 53, true, "seed of what is drawn"}
)

// Tokenizers returns the table of quantisers in a fixed order.
func Tokenizers() []Tokenizer { return slices.Clone(tokenizers) }

// Fit makes a quantiser of the table on training samples x. Parameters not in params have
// their defaults; params may be nil. An unknown name or parameter, a value out of its
// range and samples that cannot be fitted are errors that say what would be right.
func Fit(name string, params Params, x []float64) (Quantizer, error) {
	at := slices.IndexFunc(tokenizers, func(t Tokenizer) bool { return t.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown tokenizer %q: %s", name,
			strict.Choice(name, names(tokenizers, func(t Tokenizer) string { return t.Name })))
	}
	full, err := resolve(name, tokenizers[at].Params, params)
	if err != nil {
		return nil, err
	}
	return tokenizers[at].Fit(x, full)
}

// resolve returns all parameters of a tokenizer.
func resolve(name string, known []Param, given Params) (Params, error) {
	full := Params{}
	for _, p := range known {
		full[p.Name] = p.Default
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		at := slices.IndexFunc(known, func(p Param) bool { return p.Name == key })
		if at < 0 {
			return nil, fmt.Errorf("%s: unknown parameter %q: %s", name, key,
				strict.Choice(key, names(known, func(p Param) string { return p.Name })))
		}
		p, v := known[at], given[key]
		if !(v >= p.Low && v <= p.High) {
			return nil, fmt.Errorf("%s: %s = %g is outside [%g, %g]", name, key, v, p.Low, p.High)
		}
		if p.Whole && v != math.Trunc(v) {
			return nil, fmt.Errorf("%s: %s = %g is no whole number", name, key, v)
		}
		full[key] = v
	}
	return full, nil
}

// names are those of what a table lists.
func names[T any](list []T, name func(T) string) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = name(v)
	}
	return all
}

// asQuantizer adapts the result of a constructor to Tokenizer.Fit.
func asQuantizer[Q Quantizer](q Q, err error) (Quantizer, error) {
	if err != nil {
		return nil, err
	}
	return q, nil
}
