package walk

import (
	"fmt"

	"foretell/model"
)

// output is the section from the last residual stream to probabilities.
func (w *walker) output() Section {
	s := Section{Title: "Output"}
	x := w.own(w.finalStream())
	in := x
	if w.config.NormalizationType != "none" {
		in = w.own(operand{symbol: Symbol{Base: "F"}, value: w.hook("ln_final.hook_normalized")})
		s.Steps = append(s.Steps, w.normalize("ln_final", x, in)...)
	}
	logits := w.own(operand{symbol: Symbol{Base: "L"}, value: w.logits})
	p := operand{symbol: Symbol{Base: "p", Sub: logits.symbol.Sub}, value: zeros(logits.value.Rows, logits.value.Columns)}
	for i := range p.value.Rows {
		copy(p.value.Row(i), model.Probabilities(logits.value.Row(i)))
	}
	winner, logit := largest(lastRow(logits.value).Data)
	_, share := largest(lastRow(p.value).Data)
	s.Steps = append(s.Steps,
		Step{
			Title: "Logits",
			Equations: []Equation{w.equation(logits,
				sum{product{in, w.parameter("W", "U", "unembed.W_U")}, w.parameter("b", "U", "unembed.b_U")})},
			Note: fmt.Sprintf("Each token's column of `W_U` has measured how far the stream points its way; "+
				"after position %d token %d is ahead with %s.", w.last(), winner, w.decimal(logit)),
		},
		Step{
			Title:     "Probabilities",
			Equations: []Equation{w.equation(p, call{softmax, logits})},
			Note: fmt.Sprintf("Each row is the model's prediction of the next token: after position %d, "+
				"token %d with probability %s.", w.last(), winner, w.decimal(share)),
		})
	return s
}

// finalStream is the residual stream after the last layer.
func (w *walker) finalStream() operand {
	last := w.config.NLayers
	return operand{symbol: stream(last), value: w.hook(fmt.Sprintf("blocks.%d.hook_resid_post", last-1))}
}
