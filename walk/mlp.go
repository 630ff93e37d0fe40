package walk

import "fmt"

// mlp returns the steps of a layer's MLP. Its input is mid, the residual stream after
// attention.
func (w *walker) mlp(layer int, name string, mid operand) []Step {
	var steps []Step
	in := mid
	if w.config.NormalizationType != "none" {
		in = w.own(operand{symbol: Symbol{Base: "N′"}, value: w.hook(name + ".ln2.hook_normalized")})
		steps = w.normalize(name+".ln2", mid, in)
	}
	pre := w.own(operand{symbol: Symbol{Base: "H"}, value: w.hook(name + ".mlp.hook_pre")})
	post := w.own(w.hidden(name))
	out := w.own(operand{symbol: Symbol{Base: "R"}, value: w.hook(name + ".hook_mlp_out")})
	after := w.own(operand{symbol: stream(layer + 1), value: w.hook(name + ".hook_resid_post")})
	act, is := activation(w.config.ActFn)
	on := 0
	for _, x := range lastRow(pre.value).Data {
		if x > 0 {
			on++
		}
	}
	return append(steps,
		Step{
			Title: "Neurons before the activation", Hook: name + ".mlp.hook_pre",
			Equations: []Equation{w.equation(pre, sum{
				product{in, w.parameter("W", "in", name+".mlp.W_in")},
				w.parameter("b", "in", name+".mlp.b_in"),
			})},
			Note: fmt.Sprintf("Each neuron has measured one direction of the stream; "+
				"at position %d, %d of %d are above 0.", w.last(), on, pre.value.Columns),
		},
		Step{
			Title: "Activation", Hook: name + ".mlp.hook_post",
			Equations: []Equation{w.equation(post, call{act, pre})},
			Note: fmt.Sprintf("`%s` of x is %s: neurons above 0 pass, neurons below 0 are suppressed.",
				act.name, is),
		},
		Step{
			Title: "Output of the MLP", Hook: name + ".hook_mlp_out",
			Equations: []Equation{w.equation(out, sum{
				product{post, w.parameter("W", "out", name+".mlp.W_out")},
				w.parameter("b", "out", name+".mlp.b_out"),
			})},
			Note: "Each neuron has written its own direction, scaled by its activation.",
		},
		w.residual("MLP", name+".hook_resid_post", after, mid, out))
}

// hidden returns the neurons' activations in a layer's MLP.
func (w *walker) hidden(name string) operand {
	return operand{symbol: Symbol{Base: "G"}, value: w.hook(name + ".mlp.hook_post")}
}

// parameter returns a parameter with its symbol.
func (w *walker) parameter(base, sub, name string) operand {
	t := w.weights.Get(name)
	return operand{
		symbol: Symbol{Base: base, Sub: sub}, value: w.weight(name), weight: &origin{name: name, shape: t.Shape},
	}
}
