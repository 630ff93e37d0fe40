package walk

import (
	"fmt"

	"foretell/model"
)

// output returns the section from the last residual stream to probabilities.
func (w *walker) output() Section {
	s := Section{Title: "Output"}
	x := w.own(w.finalStream())
	in := x
	if w.config.NormalizationType != "none" {
		in = w.own(operand{symbol: Symbol{Base: "F"}, value: w.hook("ln_final.hook_normalized")})
		s.Steps = append(s.Steps, w.normalize("ln_final", x, in)...)
	}
	logits := w.own(operand{symbol: Symbol{Base: "L"}, value: w.logits})
	p := operand{symbol: Symbol{Base: "p", Sub: logits.symbol.Sub}, weights: true}
	p.value = zeros(logits.value.Rows, logits.value.Columns)
	for i := range p.value.Rows {
		copy(p.value.Row(i), model.Probabilities(logits.value.Row(i)))
	}
	winner, logit := largest(lastRow(logits.value).Data)
	_, share := largest(lastRow(p.value).Data)
	s.Steps = append(s.Steps,
		Step{
			Title:     "Logits",
			Equations: []Equation{w.byToken(w.equation(logits, w.readOut(in)))},
			Note: fmt.Sprintf("A token's logit measures how far the stream points along its %s; "+
				"after position %d, %s has the largest logit, %s.",
				w.outputVector(), w.last(), w.token(winner), w.decimal(logit)),
		},
		Step{
			Title:     "Probabilities",
			Equations: []Equation{w.byToken(w.equation(p, call{softmax, logits}))},
			Note: fmt.Sprintf("Each row is the model's prediction of the next token: after position %d, "+
				"%s with probability %s.", w.last(), w.token(winner), w.decimal(share)),
		})
	return s
}

// readOut returns the formula that computes the logits from the given input of the output
// layer.
func (w *walker) readOut(in Formula) Formula {
	if w.config.TieUnembed {
		return product{in, transposed{w.parameter("W", "E", "embed.W_E")}}
	}
	read := product{in, w.parameter("W", "U", "unembed.W_U")}
	if !w.config.HasUnembedBias() {
		return read
	}
	return sum{read, w.parameter("b", "U", "unembed.b_U")}
}

// outputVector returns a description of a token's output vector for a sentence.
func (w *walker) outputVector() string {
	if w.config.TieUnembed {
		return "row of `W_E`, which is also its embedding"
	}
	return "column of `W_U`"
}

// outputVectors returns the tokens' output vectors as rows, (V,d).
func (w *walker) outputVectors() Formula {
	if w.config.TieUnembed {
		return w.parameter("W", "E", "embed.W_E")
	}
	return transposed{w.parameter("W", "U", "unembed.W_U")}
}

// finalStream returns the residual stream after the last layer.
func (w *walker) finalStream() operand {
	last := w.config.NLayers
	return operand{symbol: stream(last), value: w.hook(fmt.Sprintf("blocks.%d.hook_resid_post", last-1))}
}
