package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// Construction is a hand-written model with a name, which the command line accepts as
// craft:NAME.
type Construction struct {
	Name    string
	Params  []process.Param
	Summary string // a description in one line
	// New makes the model from parameters that [process.ResolveParams] has filled in; see
	// Make.
	New func(process.Params) (*Crafted, error)
}

// Crafted is a hand-written model with the process that it predicts.
type Crafted struct {
	Model   *model.Transformer[float64]
	Process process.Process
}

// Constructions returns the hand-written models.
func Constructions() []Construction {
	return []Construction{
		{
			Name:    "coin",
			Params:  coinParams("neurons"),
			Summary: "one head computes the posterior mean of a coin's bias, an MLP its log-odds",
			New:     func(p process.Params) (*Crafted, error) { return newCoin(p, Coin.Transformer) },
		},
		{
			Name:    "coin-attention",
			Params:  coinParams("heads"),
			Summary: "the coin without an MLP: heads with shifted priors add up to the log-odds",
			New:     func(p process.Params) (*Crafted, error) { return newCoin(p, Coin.AttentionOnly) },
		},
		inductionConstruction(),
		delayConstruction(),
		switchingDelayConstruction(),
		routingConstruction(),
		bracketsConstruction(),
	}
}

func coinParams(width string) []process.Param {
	return []process.Param{
		{Name: "a", Default: 1.0, Range: "(0, 1e6]", Summary: "prior pseudo-count of heads"},
		{Name: "b", Default: 1.0, Range: "(0, 1e6]", Summary: "prior pseudo-count of tails"},
		{Name: "n_ctx", Default: 1024.0, Range: "[1, 1048576]", Summary: "longest context in tokens, including BOS"},
		{Name: "error", Default: 1e-6, Range: "[1e-10, 0.1]", Summary: "largest error of the probability of heads"},
		{Name: "width", Default: 0.0, Range: "0 or more", Summary: "largest number of " + width + "; 0 for no limit"},
	}
}

func newCoin(p process.Params, build func(Coin) (*model.Transformer[float64], error)) (*Crafted, error) {
	c := Coin{A: p.Number("a"), B: p.Number("b"), Error: p.Number("error")}
	var err error
	if c.NCtx, err = p.Whole("coin", "n_ctx", math.MinInt, math.MaxInt); err != nil {
		return nil, err
	}
	if c.Width, err = p.Whole("coin", "width", math.MinInt, math.MaxInt); err != nil {
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

// Make makes a construction by name. Parameters that are not in params have their
// defaults. It returns an error if the name or a parameter is unknown, or if a value has
// the wrong type or is out of range. The error states what is allowed.
func Make(name string, params process.Params) (*Crafted, error) {
	all := Constructions()
	at := slices.IndexFunc(all, func(c Construction) bool { return c.Name == name })
	if at < 0 {
		names := distinct(all, func(c Construction) string { return c.Name })
		return nil, fmt.Errorf("unknown construction %q: %s", name, strict.Name(name, names, mostNames))
	}
	return all[at].Make(params)
}

// Make makes the construction. Parameters have the same types as for processes, so a
// value can also be a list, a matrix or a process. It returns the errors of
// [process.ResolveParams], and errors for values out of range.
func (c Construction) Make(params process.Params) (*Crafted, error) {
	full, err := process.ResolveParams(c.Name, c.Params, params)
	if err != nil {
		return nil, err
	}
	return c.New(full)
}
