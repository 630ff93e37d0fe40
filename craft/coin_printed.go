package craft

import (
	"math"

	"foretell/model"
	"foretell/process"
)

// PrintedCoin returns the embeddings and the head of Gemini 2025 as printed (Eq. 3–12,
// d_model 4, d_head 2; Sec. 6's W_U = W_Eᵀ), without an MLP. The residual stream is (e_T,
// e_H, e_BOS, e_N).
//
// Eq. 13 holds: the head's output at position N is (H·e_H + T·e_T)/(N+1). Two matrix
// expressions near it have shapes that do not match, although the matrices are right: Eq.
// 8's [e_T e_H]ᵀW'_V should be [e_T e_H]W'_V, and W_Oᵀz before Eq. 12 should be W_O·z.
//
// Of the three bullets after Eq. 15 the first holds (e_N carries N). The other two do
// not: Eq. 15 has W_E[t_N] in the same directions, so e_H carries H/(N+1) + [t_N = heads]
// and e_T carries T/(N+1) + [t_N = tails]. After BOS, heads, e_H carries 3/2 instead of
// 1/2, and Sec. 6's H = H_scaled·(N+1) is 3 instead of 1. The head needs separate
// directions for its output. Written as a [Design], the printed head is rejected for this
// reason.
//
// Sec. 6 has three more errors. mlp_out = l·(e_H − e_T) makes the logits differ by 2l,
// which gives odds of ((1+H)/(1+T))²; l/2 would be right. W_U = W_Eᵀ adds the components
// of resid_mid along e_H and e_T to the logits. And BOS gets the logit 0, hence a
// probability that is not 0. The logits differ by an amount proportional to l, not “by a
// factor”.
func PrintedCoin(nCtx int) (*model.Transformer[float64], error) {
	return printedCoin(model.Config{DModel: 4, NCtx: nCtx, AttnOnly: true})
}

// printedCoin returns a transformer with the printed weights; c sets the fields that the
// paper does not print.
func printedCoin(c model.Config) (*model.Transformer[float64], error) {
	c.NLayers, c.NHeads, c.DHead, c.DVocab = 1, model.Heads{1}, 2, 3
	c.NormalizationType, c.PositionalEmbeddingType = "none", "learned"
	m, err := model.Zero[float64](c)
	if err != nil {
		return nil, err
	}
	const tails, heads, bos, position = 0, 1, 2, 3 // the indices of e_T, e_H, e_BOS, e_N
	d, get := m.Config.DModel, func(name string) []float64 { return m.Weights.Get(name).Data }
	for token, direction := range []int{tails, heads, bos} { // Eq. 3
		get("embed.W_E")[token*d+direction] = 1
		get("unembed.W_U")[direction*3+token] = 1
	}
	for i := range c.NCtx { // p_i = i·e_N
		get("pos_embed.W_pos")[i*d+position] = float64(i)
	}
	v, o := get("blocks.0.attn.W_V"), get("blocks.0.attn.W_O") // Eq. 8, of shape (4,2), and Eq. 12, of shape (2,4)
	v[heads*2+0], v[tails*2+1] = 1, 1
	o[0*d+heads], o[1*d+tails] = 1, 1
	return m, nil
}

// CoinMethod returns the MLP of Gemini 2025, Sec. 7, with log as the curve for log(1+x).
// Its neurons read H from e_H and T from e_T, and write log(1+H) and log(1+T) to separate
// logit directions (W_out of Eq. 16–17 writes to the vocabulary). The logit of BOS is −2C
// = −1000. The printed head comes before the MLP, with d_model 7.
//
// Gemini simplifies the input of this MLP to H·e_H + T·e_T + N·e_N, which its head cannot
// compute (it would be a product of two activations, H/(N+1) and N+1). [SimplifiedLogits]
// sets this input directly. Otherwise the MLP evaluates log(1+x) at fractions instead of
// counts. [Coin.Transformer] needs no such simplification.
//
// The curves to compare are [PrintedTable] and [LogTable] (method 1), and [PrintedRamps]
// and [LogRamps] (method 2).
func CoinMethod(log Curve, nCtx int) (*model.Transformer[float64], error) {
	const dModel, logitTails = 7, 4 // the axes of the three logits follow e_T … e_N
	width := 2 * len(log.Ramps)
	m, err := printedCoin(model.Config{DModel: dModel, DMLP: width, NCtx: nCtx, ActFn: "relu"})
	if err != nil {
		return nil, err
	}
	in, bias := m.Weights.Get("blocks.0.mlp.W_in").Data, m.Weights.Get("blocks.0.mlp.b_in").Data
	out, offset := m.Weights.Get("blocks.0.mlp.W_out").Data, m.Weights.Get("blocks.0.mlp.b_out").Data
	for token := range 2 {
		for i, r := range log.Ramps {
			j := token*len(log.Ramps) + i
			sign := r.sign()
			in[token*width+j], bias[j] = sign, -sign*r.Knot
			out[j*dModel+logitTails+token] = r.Slope
		}
		offset[logitTails+token] = log.Offset
	}
	unembed := m.Weights.Get("unembed.W_U").Data
	clear(unembed)
	for token := range 3 {
		unembed[(logitTails+token)*3+token] = 1
	}
	m.Weights.Get("unembed.b_U").Data[process.BOS] = silent
	return m, nil
}

// SimplifiedLogits returns the logits of a model of [CoinMethod] with resid_mid replaced
// by the simplified input H·e_H + T·e_T + N·e_N.
func SimplifiedLogits(m *model.Transformer[float64], heads, tails int) []float64 {
	w := model.NewWorkspace[float64](m.Config, 1)
	w.HookNames = []string{"blocks.0.hook_resid_mid"}
	w.Hook = func(t model.Tensor[float64]) {
		clear(t.Data)
		t.Data[0], t.Data[1], t.Data[3] = float64(tails), float64(heads), float64(heads+tails)
	}
	return m.Forward(w, []int32{process.BOS}, 1)
}

// PrintedIndicator is the pair of neurons in Sec. 7.1.1 for H = h, ReLU(x−h+½) −
// ReLU(x−h−½), “approximately 1 if H = h and 0 otherwise”. It is a step: 0 below h, ½ at
// h and 1 at every integer above. The indicator is [Bump](h, 1), which has three neurons.
// Fewer neurons cannot compute it: the second differences of the indicator are 1, −2, 1,
// and the second differences of a ramp have one sign, at one integer or two consecutive
// ones. So no single neuron is “the indicator neuron” whose row of W_out Eq. 16 and 17
// give, and the hidden layer is not one-hot.
func PrintedIndicator(h int) Curve {
	return Step(float64(h), 1)
}

// PrintedTable is method 1 as printed for x = 0 … n: Σ_h log(1+h)·[PrintedIndicator](h).
// The pair for h is N_h and N_{h+1}, so neighbouring pairs share a neuron. There are n+2
// neurons, and the first, N_0, is unused. Because the indicators are steps, the sum at
// the integers is ½·log(1+x) + log(x!) instead of log(1+x), and it keeps its last value
// beyond n.
func PrintedTable(n int) Curve {
	var c Curve
	last := 0.0 // the slope for h−1 at the neuron that it shares with h
	for h := range n + 1 {
		value := math.Log1p(float64(h))
		c.Ramps = append(c.Ramps, Ramp{Knot: float64(h) - 0.5, Slope: value - last})
		last = value
	}
	c.Ramps = append(c.Ramps, Ramp{Knot: float64(n) + 0.5, Slope: -last})
	return c
}

// LogTable is method 1, corrected: exactly log(1+x) at x = 0 … n, and 0 at larger
// integers. It has n+2 neurons (the one for x = 0 is unused).
func LogTable(n int) Curve {
	values := make([]float64, n+1)
	for x := range values {
		values[x] = math.Log1p(float64(x))
	}
	return Table(0, values)
}

// PrintedRamps is method 2 with the printed biases −½, −1½, …, which start the n ramps
// half way between integers (not “at a different integer value”), and with the
// coefficients that are best on 0 … n: they have no error at the integers. But the slopes
// that this requires, s_x+1 = 2·log((x+2)/(x+1)) − s_x from s_0 = 0, alternate in sign
// and do not decay. After n they continue as ±2·log(π/2) (Wallis's product), away from
// log(1+x). Nor are n ramps “more parameter-efficient” than the n+2 neurons of
// [LogTable].
func PrintedRamps(n int) Curve {
	var c Curve
	slope := 0.0 // the slope between x−½ and x+½
	for x := range n {
		rise := math.Log(float64(x+2) / float64(x+1))
		c.Ramps = append(c.Ramps, Ramp{Knot: float64(x) + 0.5, Slope: 2*rise - 2*slope})
		slope = 2*rise - slope
	}
	return c
}

// LogRamps is method 2, corrected: within maxError of log(1+x) on [0, n] with the fewest
// ramps, about log(1+n)/√(16·maxError). Beyond n it continues as a straight line, which
// moves away from log(1+x): at 2n the error is about 1 − log 2 = 0.3.
func LogRamps(n int, maxError float64) Curve {
	return Approximate(math.Log1p, func(x float64) float64 { return 1 / (1 + x) }, 0, float64(n), maxError)
}
