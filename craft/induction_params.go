package craft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/internal/strict"
	"foretell/process"
)

// chainName is the catalogue name of the process that an Induction predicts. The
// construction has the process's parameters in addition to its own.
const chainName = "interleaved"

// automatic is the value of third_layer that selects the third layer by the rules of
// [Induction]'s field Third.
const automatic = "auto"

// withAutomatic are the allowed values of third_layer.
var withAutomatic = append([]string{automatic}, texts(ThirdLayers)...)

// inductionConstruction returns the construction craft:induction.
func inductionConstruction() Construction {
	return Construction{
		Name:   "induction",
		Params: inductionParams(),
		Summary: "three layers of concatenated heads infer the lag of interleaved Markov chains, " +
			"and copy the token at that lag",
		New: newInduction,
	}
}

func chainEntry() process.Entry {
	all := process.Catalogue()
	return all[slices.IndexFunc(all, func(e process.Entry) bool { return e.Name == chainName })]
}

func inductionParams() []process.Param {
	return append(slices.Clone(chainEntry().Params), []process.Param{
		{
			Name: "heads", Default: 0.0, Range: "0 or more",
			Summary: "number of heads in the second layer; 0 for the number that keeps all transitions apart; " +
				"fewer heads lose some transitions, except that one head is enough for two lags",
		},
		{
			Name: "n_ctx", Default: 128.0, Range: "[2, 4096]",
			Summary: "longest context in tokens, more than the largest lag",
		},
		{Name: "beta", Default: 100.0, Range: "(0, 1e6]", Summary: "how sharply the third layer selects the lag"},
		{
			Name: "lambda", Default: 500.0, Range: "(0, 1e6]",
			Summary: "how strongly a source is masked; at least beta·heads/2 + 25, " +
				"or beta + 25 for two lags with one head",
		},
		{
			Name: "third_layer", Default: automatic, Range: strings.Join(withAutomatic, ", "),
			Summary: "how the third layer adds up the gathered transitions: as in the paper's Sec. 4.1 (masked), " +
				"App. H and I (positional) or App. J (transposed)",
		},
		{
			Name: "average", Default: string(PerHead), Range: strings.Join(texts(Averages), ", "),
			Summary: "what a sum is divided by: head, the number of transitions in its head (the paper's construction), " +
				"or transition, the number in all heads (the paper's Eq. 3)",
		},
	}...)
}

func newInduction(p process.Params) (*Crafted, error) {
	entry, own := chainEntry(), process.Params{}
	for _, param := range entry.Params {
		own[param.Name] = p[param.Name]
	}
	source, err := entry.New(own)
	if err != nil {
		return nil, err
	}
	c := Induction{
		Chain: source.(*process.Interleaved), Beta: p.Number("beta"), Lambda: p.Number("lambda"),
		Third: ThirdLayer(p.Text("third_layer")), Average: Average(p.Text("average")),
	}
	if c.Third == automatic {
		c.Third = ""
	} else if !slices.Contains(ThirdLayers, c.Third) {
		return nil, fmt.Errorf("induction: third_layer = %s", strict.NotOneOf(string(c.Third), withAutomatic))
	}
	if c.NCtx, err = p.Whole("induction", "n_ctx", math.MinInt, math.MaxInt); err != nil {
		return nil, err
	}
	if c.Heads, err = p.Whole("induction", "heads", math.MinInt, math.MaxInt); err != nil {
		return nil, err
	}
	m, err := c.Transformer()
	if err != nil {
		return nil, err
	}
	return &Crafted{m, c.Chain}, nil
}
