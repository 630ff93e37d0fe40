package walk

import "foretell/model"

// normalize returns the steps of the norm that maps the operand `in` to the operand
// `out`, which have rows for the same positions. The names of the norm's hooks and
// parameters begin with `name`. If the model has no norms, it returns nil.
func (w *walker) normalize(name string, in operand, out operand) []Step {
	if w.config.NormalizationType == "none" {
		return nil
	}
	means, mu := w.define(Symbol{Base: "μ"}, call{mean, in})
	variances, sigma := w.define(Symbol{Base: "σ", Sup: "2"}, call{variance, in})
	return []Step{
		{
			Title:     "Mean and variance",
			Equations: []Equation{means, variances},
			Note:      "Each position has computed the mean and variance of its vector in the residual stream.",
		},
		{
			Title: "Norm", Hook: name + ".hook_normalized",
			Equations: []Equation{w.equation(out, w.scaled(name, quotient{difference{in, mu}, w.deviation(sigma)}))},
			Note:      "Each row has been shifted to mean 0 and stretched to variance 1" + scaledNote(w.config) + ".",
		},
	}
}

// scaledNote returns the part of the norm's note about its weight and bias, if it has
// them.
func scaledNote(c model.Config) string {
	if c.NormalizationType == "LN" {
		return ", then scaled by `w` and shifted by `b`"
	}
	return ""
}

// deviation returns √(σ² + ε).
func (w *walker) deviation(sigma operand) Formula {
	return root{sum{sigma, operand{symbol: Symbol{Base: "ε"}, value: scalar(w.config.Eps), bare: true}}}
}

// scaled applies the weight and bias of a norm, if it has them, to its normalised input.
func (w *walker) scaled(name string, normalised Formula) Formula {
	if w.config.NormalizationType != "LN" {
		return normalised
	}
	return sum{
		elementwise{normalised, w.parameter("w", "", name+".w")},
		w.parameter("b", "", name+".b"),
	}
}
