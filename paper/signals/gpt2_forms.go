package signals

import (
	"fmt"
	"math"

	"foretell/model"
)

// printedForms evaluates GPT-2 as the slides print it, formula by formula, in float64 and
// with simple loops. It shares only the weights with the forward pass of package model.
type printedForms struct {
	gelu    func(x float64) float64
	weights *model.Weights[float64]
	config  model.Config

	postNorm, noLastNorm bool // change the formulas, for comparison: see gpt2Found
}

// geluForms are the slide's GELU, xΦ(x), and the tanh form of GPT-2's code (Hendrycks and
// Gimpel 2016).
var geluForms = map[string]func(x float64) float64{
	"gelu": func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) },
	"gelu_new": func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	},
}

// logits returns the logits (T,V) after each of the tokens (T).
func (f printedForms) logits(tokens []int32) (all []float64) {
	embedding, positions := f.rows("embed.W_E"), f.rows("pos_embed.W_pos")
	h := make([][]float64, len(tokens))
	for i, t := range tokens {
		h[i] = rowSum(embedding[t], positions[i])
	}
	for l := range f.config.NLayers {
		h = f.block(h, fmt.Sprintf("blocks.%d", l))
	}
	for _, x := range h {
		if !f.noLastNorm {
			x = f.norm(x, "ln_final")
		}
		for _, e := range embedding {
			all = append(all, inner(x, e))
		}
	}
	return all
}

// block returns h′ + MLP(h̃′), where h̃ = LN(h), h′ = h + MHA(h̃) and h̃′ = LN(h′).
func (f printedForms) block(h [][]float64, name string) [][]float64 {
	sublayer := func(h [][]float64, norm string, of func([][]float64) [][]float64) [][]float64 {
		in, out := make([][]float64, len(h)), make([][]float64, len(h))
		for i, x := range h {
			if in[i] = x; !f.postNorm {
				in[i] = f.norm(x, norm)
			}
		}
		for i, y := range of(in) {
			if out[i] = rowSum(h[i], y); f.postNorm {
				out[i] = f.norm(out[i], norm)
			}
		}
		return out
	}
	h = sublayer(h, name+".ln1", func(in [][]float64) [][]float64 { return f.attention(in, name+".attn") })
	return sublayer(h, name+".ln2", func(in [][]float64) [][]float64 { return f.mlp(in, name+".mlp") })
}

// norm returns γ ⊙ (x − μ)/√(σ² + ε) + β.
func (f printedForms) norm(x []float64, name string) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	gamma, beta := f.weights.Get(name+".w").Data, f.weights.Get(name+".b").Data
	y := make([]float64, len(x))
	for k, v := range x {
		y[k] = gamma[k]*(v-mean)/math.Sqrt(variance+f.config.Eps) + beta[k]
	}
	return y
}

// attention returns concat(head_1, …, head_H)·W_O, causal, with scores divided by √d_k.
func (f printedForms) attention(in [][]float64, name string) [][]float64 {
	width, out := f.config.DHead, make([][]float64, len(in))
	for i := range in {
		out[i] = append([]float64{}, f.weights.Get(name+".b_O").Data...)
	}
	for head := range f.config.NHeads[0] {
		q, k := f.heads(in, name, "Q", head), f.heads(in, name, "K", head)
		v := f.heads(in, name, "V", head)
		o := f.rows(name + ".W_O")[head*width : (head+1)*width]
		for i := range in {
			weights, total := make([]float64, i+1), 0.0
			for j := range weights {
				weights[j] = math.Exp(inner(q[i], k[j]) / math.Sqrt(float64(width)))
				total += weights[j]
			}
			z := make([]float64, width)
			for j, a := range weights {
				for c := range z {
					z[c] += a / total * v[j][c]
				}
			}
			out[i] = rowSum(out[i], rowTimes(z, o))
		}
	}
	return out
}

// heads returns the queries, keys or values of one head, (T,d_k).
func (f printedForms) heads(in [][]float64, name, kind string, head int) (list [][]float64) {
	d, width := f.config.DModel, f.config.DHead
	w := f.rows(name + ".W_" + kind)[head*d : (head+1)*d]
	bias := f.weights.Get(name + ".b_" + kind).Data[head*width : (head+1)*width]
	for _, x := range in {
		list = append(list, rowSum(rowTimes(x, w), bias))
	}
	return list
}

// mlp returns W_2·GELU(W_1·x + b_1) + b_2 for each row x.
func (f printedForms) mlp(in [][]float64, name string) (out [][]float64) {
	first, second := f.rows(name+".W_in"), f.rows(name+".W_out")
	for _, x := range in {
		hidden := rowSum(rowTimes(x, first), f.weights.Get(name+".b_in").Data)
		for k, v := range hidden {
			hidden[k] = f.gelu(v)
		}
		out = append(out, rowSum(rowTimes(hidden, second), f.weights.Get(name+".b_out").Data))
	}
	return out
}

// rows splits a parameter into rows along its last dimension. The rows of a head are
// adjacent.
func (f printedForms) rows(name string) (list [][]float64) {
	t := f.weights.Get(name)
	n := t.Shape[len(t.Shape)-1]
	for i := 0; i < len(t.Data); i += n {
		list = append(list, t.Data[i:i+n])
	}
	return list
}

// rowTimes returns the row x·w.
func rowTimes(x []float64, w [][]float64) []float64 {
	y := make([]float64, len(w[0]))
	for i, v := range x {
		for j := range y {
			y[j] += v * w[i][j]
		}
	}
	return y
}

func rowSum(x, y []float64) []float64 {
	sum := make([]float64, len(x))
	for i := range x {
		sum[i] = x[i] + y[i]
	}
	return sum
}
