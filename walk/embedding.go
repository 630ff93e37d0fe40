package walk

import (
	"fmt"
	"strconv"
)

// stream returns the symbol of the residual stream before a layer: C before the first
// layer, X¹ before the next, and so on.
func stream(layer int) Symbol {
	if layer == 0 {
		return Symbol{Base: "C"}
	}
	return Symbol{Base: "X", Sup: strconv.Itoa(layer)}
}

// embedding returns the section from tokens to the context matrix C.
func (w *walker) embedding() Section {
	s := Section{Title: "Embedding"}
	tokens := make([]int, len(w.tokens))
	for i, t := range w.tokens {
		tokens[i] = int(t)
	}
	e := operand{symbol: Symbol{Base: "E"}, value: w.hook("hook_embed")}
	s.Steps = append(s.Steps, Step{
		Title: "Embeddings of the tokens", Hook: "hook_embed",
		Equations: []Equation{w.equation(e, rows{
			w.parameter("W", "E", "embed.W_E"), tokens,
		})},
		Note: "Each token has looked up its row of `W_E`: " + w.token(tokens[0]) + " at position 0 found row " +
			fmt.Sprint(tokens[0]) + ", and so on.",
	})
	c := operand{symbol: stream(0), value: w.hook("blocks.0.hook_resid_pre")}
	step := Step{Title: "Context", Hook: "blocks.0.hook_resid_pre"}
	p, hasPositions := w.positions()
	if !hasPositions {
		step.Equations = []Equation{w.equation(c, e)}
		step.Note = "The residual stream starts as the embeddings; it does not encode the order of the tokens yet."
		s.Steps = append(s.Steps, step)
		return s
	}
	s.Steps = append(s.Steps, w.positionStep(p))
	if c.value.Rows <= w.Size {
		for i := range c.value.Rows {
			step.Equations = append(step.Equations, w.equation(rowOf(c, i), sum{rowOf(e, i), rowOf(p, i)}))
		}
	}
	step.Equations = append(step.Equations, w.equation(c, sum{e, p}))
	step.Note = "Each row of the context matrix `C` encodes a token and its position."
	s.Steps = append(s.Steps, step)
	return s
}

// positions returns the positional embedding, if the model adds one.
func (w *walker) positions() (p operand, ok bool) {
	switch w.config.PositionalEmbeddingType {
	case "learned", "sinusoidal":
		return operand{symbol: Symbol{Base: "P"}, value: w.hook("hook_pos_embed")}, true
	}
	return operand{}, false
}

// positionStep returns the step that looks up or computes the positional embedding p.
func (w *walker) positionStep(p operand) Step {
	step := Step{Title: "Embeddings of the positions", Hook: "hook_pos_embed"}
	places := make([]int, p.value.Rows)
	column := zeros(p.value.Rows, 1)
	for i := range places {
		places[i], column.Data[i] = i, float64(i)
	}
	if w.config.PositionalEmbeddingType == "learned" {
		table := w.parameter("W", "pos", "pos_embed.W_pos")
		step.Equations = []Equation{w.equation(p, rows{table, places})}
		step.Note = "Each position has looked up its row of `W_pos`, regardless of its token."
		return step
	}
	t := operand{symbol: Symbol{Base: "t"}, value: column}
	step.Equations = []Equation{w.equation(p, call{sinusoid(w.config.DModel), t})}
	step.Note = "Columns 2k and 2k+1 are the sine and the cosine of `t` times 10000^(-2k/d_model): " +
		"slow and fast clocks that distinguish the positions."
	return step
}

// rowOf returns row i of a matrix that has a row for each position.
func rowOf(o operand, i int) operand {
	o.symbol.Sub = strconv.Itoa(i)
	o.value = o.value.rowsFrom(i, i+1)
	return o
}
