package walk

import (
	"fmt"
	"strconv"
)

// Attribution is direct logit attribution. It states how much the vector that each
// component writes to the residual stream contributes to the winning logit. The final
// norm is linear once the variance at this position is held fixed, so the contributions
// add up to the logit.
type Attribution struct {
	Position int     `json:"position"`
	Token    int     `json:"token"`          // the token with the largest logit
	Name     string  `json:"name,omitempty"` // the token's name; empty if it has no name
	Logit    float64 `json:"logit"`          // the token's logit, as computed by the model
	// Direction holds the steps that compute the vector d. A component's contribution is the
	// product of d and the vector that the component wrote.
	Direction Step           `json:"direction"`
	Parts     []Contribution `json:"parts"`
	Sum       float64        `json:"sum"` // sum of the parts' values
}

// Contribution is the contribution of one component to the winning logit.
type Contribution struct {
	Component string  `json:"component"`
	Formula   Formula `json:"-"`
	Value     float64 `json:"value"`
}

// attribution explains the winning logit at the last position.
func (w *walker) attribution() *Attribution {
	row := lastRow(w.logits).Data
	a := &Attribution{Position: w.last()}
	a.Token, a.Logit = largest(row)
	a.Name = w.name(a.Token)
	var d operand
	a.Direction, d = w.direction(a.Token)
	a.Parts = w.contributions(d, a.Token)
	terms := sum{}
	for i := range a.Parts {
		p := &a.Parts[i]
		p.Value = p.Formula.compute(false).Data[0]
		a.Sum += p.Value
		terms = append(terms, p.Formula)
	}
	total := operand{symbol: Symbol{Base: "L", Sub: strconv.Itoa(w.last())}, value: scalar(a.Logit)}
	w.equation(total, terms)
	return a
}

// direction returns the steps that compute d, and d itself as a row. Let u be the output
// vector of the winning token. Without a norm d = u; with a norm, d is u pulled back
// through the norm's linear map:
//
//	x̂·u = (x − mean(x))/√(σ² + ε) ⊙ w · u = x·d,  d = (w ⊙ u − mean(w ⊙ u))/√(σ² + ε).
func (w *walker) direction(token int) (Step, operand) {
	step := Step{Title: "The direction that the winning logit reads"}
	read := rows{w.outputVectors(), []int{token}}
	if w.config.NormalizationType == "none" {
		e, d := w.define(Symbol{Base: "d"}, read)
		step.Equations = []Equation{e}
		step.Note = fmt.Sprintf("The logit of %s at position %d is the product of the residual stream with `d`, "+
			"so the product of each part of the stream with `d` is its contribution.", w.token(token), w.last())
		return step, d
	}
	lookup, u := w.define(Symbol{Base: "u"}, read)
	step.Equations = []Equation{lookup}
	var weighted Formula = u
	if w.config.NormalizationType == "LN" {
		weighted = elementwise{w.parameter("w", "", "ln_final.w"), u}
	}
	x := w.at(w.finalStream())
	variances, sigma := w.define(Symbol{Base: "σ", Sup: "2"}, call{variance, x})
	e, d := w.define(Symbol{Base: "d"}, quotient{difference{weighted, call{mean, weighted}}, w.deviation(sigma)})
	step.Equations = append(step.Equations, variances, e)
	step.Note = fmt.Sprintf("With the variance at position %d held fixed, the final norm is linear; "+
		"`d` is the direction that the logit of %s reads through it.", w.last(), w.token(token))
	return step, d
}

// at returns the row of the position that the walk explains.
func (w *walker) at(o operand) operand { return rowOf(o, o.value.Rows-1) }

// contributions returns the components in the order of the forward pass. Biases are
// components too.
func (w *walker) contributions(d operand, token int) []Contribution {
	part := func(component string, wrote Formula) Contribution {
		return Contribution{Component: component, Formula: product{wrote, transposed{d}}}
	}
	list := []Contribution{part("embedding of "+w.token(int(w.tokens[w.last()])),
		w.at(operand{symbol: Symbol{Base: "E"}, value: w.hook("hook_embed")}))}
	if p, ok := w.positions(); ok {
		list = append(list, part("embedding of position "+strconv.Itoa(w.last()), w.at(p)))
	}
	for layer, heads := range w.config.NHeads {
		name := "blocks." + strconv.Itoa(layer)
		in := "layer " + strconv.Itoa(layer) + " "
		for i := range heads {
			h := head{name: name + ".attn", index: i, heads: heads}
			list = append(list, part(in+"head "+strconv.Itoa(i),
				product{w.at(w.headActivation(h, ".hook_z", "Z")), w.headParameter(h, "W", "O")}))
		}
		list = append(list, part(in+"attention bias", w.parameter("b", "O", name+".attn.b_O")))
		if !w.config.AttnOnly {
			list = append(list,
				part(in+"MLP", product{w.at(w.hidden(name)), w.parameter("W", "out", name+".mlp.W_out")}),
				part(in+"MLP bias", w.parameter("b", "out", name+".mlp.b_out")))
		}
	}
	if w.config.NormalizationType == "LN" {
		u := operand{symbol: Symbol{Base: "u"}, value: w.outputVectors().compute(false).rowsFrom(token, token+1)}
		list = append(list, Contribution{
			Component: "final norm bias",
			Formula:   product{w.parameter("b", "", "ln_final.b"), transposed{u}},
		})
	}
	if !w.config.HasUnembedBias() {
		return list
	}
	bias := rows{transposed{w.parameter("b", "U", "unembed.b_U")}, []int{token}}
	return append(list, Contribution{Component: "output bias", Formula: bias})
}

const attributionTitle = "What each component contributed to the winning logit"

// tableRow is a row of the table of contributions. The last two rows, the sum and the
// model's logit, have no formula.
type tableRow struct {
	name, value string
	formula     Formula
	first       bool // whether this is the first row without a formula
}

// table returns the rows of the table of contributions.
func (a *Attribution) table(digits int) []tableRow {
	var list []tableRow
	for _, p := range a.Parts {
		list = append(list, tableRow{name: p.Component, value: decimal(p.Value, digits), formula: p.Formula})
	}
	return append(list,
		tableRow{name: "sum", value: decimal(a.Sum, digits), first: true},
		tableRow{name: "the model's logit", value: decimal(a.Logit, digits)})
}

// note returns the sentence below the table.
func (a *Attribution) note() string {
	best := 0
	for i, p := range a.Parts {
		if p.Value > a.Parts[best].Value {
			best = i
		}
	}
	return fmt.Sprintf("The contributions add up to the logit of %s at position %d; the largest: %s.",
		tokenText(a.Token, a.Name), a.Position, a.Parts[best].Component)
}
