package craft

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"foretell/model"
	"foretell/process"
)

// Construction is a hand-written model with a name, which the command line knows as
// craft:NAME.
type Construction struct {
	Name    string
	Params  []process.Param // whose defaults are all numbers
	Summary string          // one line
	New     func(Params) (*Crafted, error)
}

// Params are parameters of a construction by name, as JSON has them.
type Params map[string]any

// Crafted is a hand-written model with the process that it predicts.
type Crafted struct {
	Model   *model.Transformer[float64]
	Process process.Process
}

// Constructions lists the hand-written models.
func Constructions() []Construction {
	return []Construction{
		{
			Name:    "coin",
			Params:  coinParams("neurons"),
			Summary: "one head computes the posterior mean of a coin's bias, an MLP its log-odds",
			New:     func(p Params) (*Crafted, error) { return newCoin(p, Coin.Transformer) },
		},
		{
			Name:    "coin-attention",
			Params:  coinParams("heads"),
			Summary: "the same without an MLP: heads that tilt the prior add up to the log-odds",
			New:     func(p Params) (*Crafted, error) { return newCoin(p, Coin.AttentionOnly) },
		},
	}
}

func coinParams(width string) []process.Param {
	return []process.Param{
		{Name: "a", Default: 1.0, Range: "(0, 1e6]", Summary: "heads that the prior counts for"},
		{Name: "b", Default: 1.0, Range: "(0, 1e6]", Summary: "tails that the prior counts for"},
		{Name: "n_ctx", Default: 1024.0, Range: "[1, 1048576]", Summary: "longest context in tokens, BOS included"},
		{Name: "error", Default: 1e-6, Range: "[1e-10, 0.1]", Summary: "largest error of the probability of heads"},
		{Name: "width", Default: 0.0, Range: "0 or more", Summary: width + " there may be; 0 for as many as it takes"},
	}
}

func newCoin(p Params, build func(Coin) (*model.Transformer[float64], error)) (*Crafted, error) {
	c := Coin{A: p.number("a"), B: p.number("b"), Error: p.number("error")}
	var err error
	if c.NCtx, err = p.whole("coin", "n_ctx"); err != nil {
		return nil, err
	}
	if c.Width, err = p.whole("coin", "width"); err != nil {
		return nil, err
	}
	m, err := build(c)
	if err != nil {
		return nil, err
	}
	coin, err := process.NewCoin(c.A, c.B)
	if err != nil {
		return nil, err
	}
	return &Crafted{m, coin.WithBOS()}, nil
}

// Make makes a construction by name. Parameters not in params have their defaults. An
// unknown name or parameter and a value of the wrong type or out of range are errors
// that say what would be right.
func Make(name string, params Params) (*Crafted, error) {
	all := Constructions()
	at := slices.IndexFunc(all, func(c Construction) bool { return c.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("unknown construction %q: %s", name, choice(name, distinct(all, func(c Construction) string { return c.Name })))
	}
	c := all[at]
	full := Params{}
	for _, p := range c.Params {
		full[p.Name] = p.Default
	}
	for _, given := range slices.Sorted(maps.Keys(params)) {
		if _, known := full[given]; !known {
			return nil, fmt.Errorf("%s: unknown parameter %q: %s", name, given, choice(given, distinct(c.Params, func(p process.Param) string { return p.Name })))
		}
		number, ok := params[given].(float64)
		if !ok {
			return nil, fmt.Errorf("%s: %s = %v is not a number", name, given, params[given])
		}
		full[given] = number
	}
	return c.New(full)
}

func (p Params) number(name string) float64 { return p[name].(float64) }

func (p Params) whole(construction, name string) (int, error) {
	x := p.number(name)
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, fmt.Errorf("%s: %s = %v is not a whole number", construction, name, x)
	}
	return int(x), nil
}
